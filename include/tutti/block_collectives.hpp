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

    /// The concatenation of all ranks' `in`, at root: out.size() is size() times in.size() there, and `out`
    /// of other ranks is left alone.
    template <class I, detail::BlockBuffer O>
    void gather(const I& in, O&& out, RootOptions options = {}) const
    {
        detail::check_same_type<I, O>();
        gather_elements(detail::const_elements(in), detail::elements(out), options.root);
    }
    /// In place: root's `data` is the whole, with its own block at its place already; elsewhere `data` is the
    /// block, and left alone.
    template <class D>
    void gather(D&& data, RootOptions options = {}) const
    {
        gather_elements({}, detail::elements(data), options.root);
    }
    template <class I, detail::BlockBuffer O>
    Request igather(I&& in, O& out, RootOptions options = {}) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_type<I, O>();
        return igather_elements(detail::const_elements(in), detail::elements(out), options.root);
    }
    template <class D>
    Request igather(D& data, RootOptions options = {}) const
    {
        return igather_elements({}, detail::elements(data), options.root);
    }

    /// The same with blocks of any sizes, at any places in root's `out`. `blocks` matters at root only.
    template <class I, class O>
    void gatherv(const I& in, O&& out, BlockCounts blocks, RootOptions options = {}) const
    {
        detail::check_same_type<I, O>();
        gatherv_elements(detail::const_elements(in), detail::elements(out), blocks, options.root);
    }
    template <class D>
    void gatherv(D&& data, BlockCounts blocks, RootOptions options = {}) const
    {
        gatherv_elements({}, detail::elements(data), blocks, options.root);
    }
    template <class I, class O>
    Request igatherv(I&& in, O& out, BlockCounts blocks, RootOptions options = {}) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_type<I, O>();
        return igatherv_elements(detail::const_elements(in), detail::elements(out), blocks, options.root);
    }
    template <class D>
    Request igatherv(D& data, BlockCounts blocks, RootOptions options = {}) const
    {
        return igatherv_elements({}, detail::elements(data), blocks, options.root);
    }

    /// Each rank's part of root's `in`: in.size() is size() times out.size() there, and `in` of other ranks
    /// does not matter.
    template <class I, detail::BlockBuffer O>
    void scatter(const I& in, O&& out, RootOptions options = {}) const
    {
        detail::check_same_type<I, O>();
        scatter_elements(detail::const_elements(in), detail::elements(out), options.root);
    }
    /// In place: root's `data` is the whole, and left alone; elsewhere `data` becomes the block.
    template <class D>
    void scatter(D&& data, RootOptions options = {}) const
    {
        scatter_elements({}, detail::elements(data), options.root);
    }
    template <class I, detail::BlockBuffer O>
    Request iscatter(I&& in, O& out, RootOptions options = {}) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_type<I, O>();
        return iscatter_elements(detail::const_elements(in), detail::elements(out), options.root);
    }
    template <class D>
    Request iscatter(D& data, RootOptions options = {}) const
    {
        return iscatter_elements({}, detail::elements(data), options.root);
    }

    /// The same with blocks of any sizes, at any places in root's `in`, which may overlap. `blocks` matters
    /// at root only.
    template <class I, detail::BlockBuffer O>
    void scatterv(const I& in, BlockCounts blocks, O&& out, RootOptions options = {}) const
    {
        detail::check_same_type<I, O>();
        scatterv_elements(detail::const_elements(in), blocks, detail::elements(out), options.root);
    }
    template <class D>
    void scatterv(D&& data, BlockCounts blocks, RootOptions options = {}) const
    {
        scatterv_elements({}, blocks, detail::elements(data), options.root);
    }
    template <class I, detail::BlockBuffer O>
    Request iscatterv(I&& in, BlockCounts blocks, O& out, RootOptions options = {}) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_type<I, O>();
        return iscatterv_elements(detail::const_elements(in), blocks, detail::elements(out), options.root);
    }
    template <class D>
    Request iscatterv(D& data, BlockCounts blocks, RootOptions options = {}) const
    {
        return iscatterv_elements({}, blocks, detail::elements(data), options.root);
    }

    /// Block b of rank a's `in` becomes block a of rank b's `out`. Both have one block for each rank.
    template <class I, class O>
    void alltoall(const I& in, O&& out) const
    {
        detail::check_same_type<I, O>();
        alltoall_elements(detail::const_elements(in), detail::elements(out));
    }
    /// In place: the blocks that arrive replace those that were sent to the same rank.
    template <class D>
    void alltoall(D&& data) const
    {
        alltoall_elements({}, detail::elements(data));
    }
    template <class I, class O>
    Request ialltoall(I&& in, O& out) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_type<I, O>();
        return ialltoall_elements(detail::const_elements(in), detail::elements(out));
    }
    template <class D>
    Request ialltoall(D& data) const
    {
        return ialltoall_elements({}, detail::elements(data));
    }

    /// The same with blocks of any sizes, at any places: what a rank's `sent` gives another must be as much
    /// as that one's `received` gives it. Blocks that are sent may overlap.
    template <class I, class O>
    void alltoallv(const I& in, BlockCounts sent, O&& out, BlockCounts received) const
    {
        detail::check_same_type<I, O>();
        alltoallv_elements(detail::const_elements(in), sent, detail::elements(out), received);
    }
    /// In place: two ranks must send each other equally much.
    template <class D>
    void alltoallv(D&& data, BlockCounts blocks) const
    {
        alltoallv_elements({}, {}, detail::elements(data), blocks);
    }
    template <class I, class O>
    Request ialltoallv(I&& in, BlockCounts sent, O& out, BlockCounts received) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_type<I, O>();
        return ialltoallv_elements(detail::const_elements(in), sent, detail::elements(out), received);
    }
    template <class D>
    Request ialltoallv(D& data, BlockCounts blocks) const
    {
        return ialltoallv_elements({}, {}, detail::elements(data), blocks);
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
    void gather_elements(OptionalInput in, detail::Elements out, int root) const;
    Request igather_elements(OptionalInput in, detail::Elements out, int root) const;
    void gatherv_elements(OptionalInput in, detail::Elements out, BlockCounts blocks, int root) const;
    Request igatherv_elements(OptionalInput in, detail::Elements out, BlockCounts blocks, int root) const;
    void scatter_elements(OptionalInput in, detail::Elements out, int root) const;
    Request iscatter_elements(OptionalInput in, detail::Elements out, int root) const;
    void scatterv_elements(OptionalInput in, BlockCounts blocks, detail::Elements out, int root) const;
    Request iscatterv_elements(OptionalInput in, BlockCounts blocks, detail::Elements out, int root) const;
    void alltoall_elements(OptionalInput in, detail::Elements out) const;
    Request ialltoall_elements(OptionalInput in, detail::Elements out) const;
    void alltoallv_elements(OptionalInput in, BlockCounts sent, detail::Elements out,
                            BlockCounts received) const;
    Request ialltoallv_elements(OptionalInput in, BlockCounts sent, detail::Elements out,
                                BlockCounts received) const;
};

}  // namespace tutti
