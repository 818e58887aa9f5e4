// The collectives that move blocks, one for each rank or pair of ranks, as members of every Communicator.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>

#include "tutti/blocks.hpp"
#include "tutti/request.hpp"
#include "tutti/root_options.hpp"

namespace tutti {

namespace detail {
class CommunicatorState;

/// A buffer, and not an option in its place.
template <class B>
concept BlockBuffer = !std::same_as<std::remove_cvref_t<B>, RootOptions>;
}  // namespace detail

/// Buffers are contiguous: trivially copyable objects, or ranges of them. In the forms with one size the
/// blocks of all ranks are equally long and lie in rank order without gaps; the forms that end in v take the
/// blocks' sizes and places (BlockCounts), and the sizes must agree between sender and receiver.
///
/// Input and output must not overlap, nor blocks that are received; for data that is in its place already
/// there are forms with one buffer. Sizes that do not fit throw ErrorCode::invalid_argument before anything
/// is sent. Where only ranks disagree, ErrorCode::truncated is thrown at those that receive another size than
/// they expect. The forms with i return at once; buffers are in use until the request is complete.
class BlockCollectives {
public:
    /// The concatenation of all ranks' `in`, everywhere: out.size() is size() times in.size().
    template <class I, class O>
    void allgather(const I& in, O&& out) const
    {
        detail::check_same_type<I, O>();
        allgather_elements(detail::const_elements(in), detail::elements(out));
    }
    /// In place: the own block lies in `data` at its place already.
    template <class D>
    void allgather(D&& data) const
    {
        allgather_elements({}, detail::elements(data));
    }
    template <class I, class O>
    Request iallgather(I&& in, O& out) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_type<I, O>();
        return iallgather_elements(detail::const_elements(in), detail::elements(out));
    }
    template <class D>
    Request iallgather(D& data) const
    {
        return iallgather_elements({}, detail::elements(data));
    }

    /// The same with blocks of any sizes, at any places in `out`; the sizes are the same at all ranks.
    template <class I, class O>
    void allgatherv(const I& in, O&& out, BlockCounts blocks) const
    {
        detail::check_same_type<I, O>();
        allgatherv_elements(detail::const_elements(in), detail::elements(out), blocks);
    }
    template <class D>
    void allgatherv(D&& data, BlockCounts blocks) const
    {
        allgatherv_elements({}, detail::elements(data), blocks);
    }
    template <class I, class O>
    Request iallgatherv(I&& in, O& out, BlockCounts blocks) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_type<I, O>();
        return iallgatherv_elements(detail::const_elements(in), detail::elements(out), blocks);
    }
    template <class D>
    Request iallgatherv(D& data, BlockCounts blocks) const
    {
        return iallgatherv_elements({}, detail::elements(data), blocks);
    }

protected:
    using OptionalInput = std::optional<detail::ConstElements>;  // nothing: in place

    explicit BlockCollectives(std::shared_ptr<detail::CommunicatorState> state) noexcept
        : state_(std::move(state))
    {
    }

    std::shared_ptr<detail::CommunicatorState> state_;

private:
    void allgather_elements(OptionalInput in, detail::Elements out) const;
    Request iallgather_elements(OptionalInput in, detail::Elements out) const;
    void allgatherv_elements(OptionalInput in, detail::Elements out, BlockCounts blocks) const;
    Request iallgatherv_elements(OptionalInput in, detail::Elements out, BlockCounts blocks) const;
};

}  // namespace tutti
