// The collectives that move blocks, one for each rank or pair of ranks, as members of every Communicator.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "tutti/calls.hpp"
#include "tutti/misuse.hpp"
#include "tutti/request.hpp"

namespace tutti {

namespace detail {
class CommunicatorState;

/// True for a buffer, false for options.
template <class B>
concept BlockBuffer = !std::same_as<std::remove_cvref_t<B>, RootOptions> &&
                      !std::same_as<std::remove_cvref_t<B>, CollectiveOptions>;
}  // namespace detail

/// Each collective has three forms: blocking; with the prefix i, which returns at once; and with the suffix
/// _init, which only describes the call (PersistentRequest). The buffers of an i call are in use until the
/// request is complete, those of an _init call as long as the request lives.
///
/// Buffers are trivially copyable objects, contiguous ranges of them, or layouts, whose elements count in the
/// order in which they travel. In the forms with one size all blocks are equally long and lie in rank order
/// without gaps. The forms that end in v take sizes and displacements (BlockCounts); sender and receiver must
/// give the same sizes.
///
/// Input and output must not overlap, and neither may received blocks; the forms with one buffer work in
/// place. Sizes that do not fit throw ErrorCode::invalid_argument before anything is sent. Where ranks
/// disagree, ErrorCode::truncated is thrown at the ranks that receive another size than they expect.
class BlockCollectives : protected detail::Misuse {
public:
    /// The concatenation of all ranks' `in`, everywhere: out.size() is size() times in.size().
    template <class I, detail::BlockBuffer O>
    void allgather(const I& in, O&& out, CollectiveOptions options = {}) const
    {
        run<O>(detail::call_allgather, detail::in_out(in, out), options);
    }
    template <class I, detail::BlockBuffer O>
    Request iallgather(I&& in, O& out, CollectiveOptions options = {}) const
    {
        return requested(detail::call_allgather, detail::borrowed_in_out<I>(in, out), options);
    }
    template <class I, detail::BlockBuffer O>
    PersistentRequest allgather_init(I&& in, O& out, CollectiveOptions options = {}) const
    {
        return prepared(detail::call_allgather, detail::borrowed_in_out<I>(in, out), options);
    }
    /// In place: the own block is already at its place in `data`.
    template <class D>
    void allgather(D&& data, CollectiveOptions options = {}) const
    {
        run<D>(detail::call_allgather, detail::in_place(data), options);
    }
    template <class D>
    Request iallgather(D&& data, CollectiveOptions options = {}) const
    {
        return requested(detail::call_allgather, detail::borrowed_in_place<D>(data), options);
    }
    template <class D>
    PersistentRequest allgather_init(D&& data, CollectiveOptions options = {}) const
    {
        return prepared(detail::call_allgather, detail::borrowed_in_place<D>(data), options);
    }

    /// allgather() of blocks of any sizes, at any places in `out`; the sizes are equal at all ranks.
    template <class I, class O>
    void allgatherv(const I& in, O&& out, BlockCounts blocks, CollectiveOptions options = {}) const
    {
        run<O>(detail::call_allgatherv, detail::in_out(in, out), blocks, options);
    }
    template <class I, class O>
    Request iallgatherv(I&& in, O& out, BlockCounts blocks, CollectiveOptions options = {}) const
    {
        return requested(detail::call_allgatherv, detail::borrowed_in_out<I>(in, out), blocks, options);
    }
    template <class I, class O>
    PersistentRequest allgatherv_init(I&& in, O& out, BlockCounts blocks,
                                      CollectiveOptions options = {}) const
    {
        return prepared(detail::call_allgatherv, detail::borrowed_in_out<I>(in, out), blocks, options);
    }
    template <class D>
    void allgatherv(D&& data, BlockCounts blocks, CollectiveOptions options = {}) const
    {
        run<D>(detail::call_allgatherv, detail::in_place(data), blocks, options);
    }
    template <class D>
    Request iallgatherv(D&& data, BlockCounts blocks, CollectiveOptions options = {}) const
    {
        return requested(detail::call_allgatherv, detail::borrowed_in_place<D>(data), blocks, options);
    }
    template <class D>
    PersistentRequest allgatherv_init(D&& data, BlockCounts blocks, CollectiveOptions options = {}) const
    {
        return prepared(detail::call_allgatherv, detail::borrowed_in_place<D>(data), blocks, options);
    }

    /// The concatenation of all ranks' `in`, at root: there, out.size() is size() times in.size(). `out` of
    /// other ranks is unchanged.
    template <class I, detail::BlockBuffer O>
    void gather(const I& in, O&& out, RootOptions options = {}) const
    {
        run<O>(detail::call_gather, detail::in_out(in, out), options);
    }
    template <class I, detail::BlockBuffer O>
    Request igather(I&& in, O& out, RootOptions options = {}) const
    {
        return requested(detail::call_gather, detail::borrowed_in_out<I>(in, out), options);
    }
    template <class I, detail::BlockBuffer O>
    PersistentRequest gather_init(I&& in, O& out, RootOptions options = {}) const
    {
        return prepared(detail::call_gather, detail::borrowed_in_out<I>(in, out), options);
    }
    /// In place: root's `data` is the whole buffer, with its own block at its place; at other ranks `data` is
    /// the block and is unchanged.
    template <class D>
    void gather(D&& data, RootOptions options = {}) const
    {
        run<D>(detail::call_gather, detail::in_place(data), options);
    }
    template <class D>
    Request igather(D&& data, RootOptions options = {}) const
    {
        return requested(detail::call_gather, detail::borrowed_in_place<D>(data), options);
    }
    template <class D>
    PersistentRequest gather_init(D&& data, RootOptions options = {}) const
    {
        return prepared(detail::call_gather, detail::borrowed_in_place<D>(data), options);
    }

    /// gather() of blocks of any sizes, at any places in root's `out`. `blocks` matters at root only.
    template <class I, class O>
    void gatherv(const I& in, O&& out, BlockCounts blocks, RootOptions options = {}) const
    {
        run<O>(detail::call_gatherv, detail::in_out(in, out), blocks, options);
    }
    template <class I, class O>
    Request igatherv(I&& in, O& out, BlockCounts blocks, RootOptions options = {}) const
    {
        return requested(detail::call_gatherv, detail::borrowed_in_out<I>(in, out), blocks, options);
    }
    template <class I, class O>
    PersistentRequest gatherv_init(I&& in, O& out, BlockCounts blocks, RootOptions options = {}) const
    {
        return prepared(detail::call_gatherv, detail::borrowed_in_out<I>(in, out), blocks, options);
    }
    template <class D>
    void gatherv(D&& data, BlockCounts blocks, RootOptions options = {}) const
    {
        run<D>(detail::call_gatherv, detail::in_place(data), blocks, options);
    }
    template <class D>
    Request igatherv(D&& data, BlockCounts blocks, RootOptions options = {}) const
    {
        return requested(detail::call_gatherv, detail::borrowed_in_place<D>(data), blocks, options);
    }
    template <class D>
    PersistentRequest gatherv_init(D&& data, BlockCounts blocks, RootOptions options = {}) const
    {
        return prepared(detail::call_gatherv, detail::borrowed_in_place<D>(data), blocks, options);
    }

    /// Each rank's part of root's `in`: at root, in.size() is size() times out.size(). `in` of other ranks is
    /// ignored.
    template <class I, detail::BlockBuffer O>
    void scatter(const I& in, O&& out, RootOptions options = {}) const
    {
        run<O>(detail::call_scatter, detail::in_out(in, out), options);
    }
    template <class I, detail::BlockBuffer O>
    Request iscatter(I&& in, O& out, RootOptions options = {}) const
    {
        return requested(detail::call_scatter, detail::borrowed_in_out<I>(in, out), options);
    }
    template <class I, detail::BlockBuffer O>
    PersistentRequest scatter_init(I&& in, O& out, RootOptions options = {}) const
    {
        return prepared(detail::call_scatter, detail::borrowed_in_out<I>(in, out), options);
    }
    /// In place: root's `data` is the whole buffer and is unchanged; at other ranks `data` becomes the block.
    template <class D>
    void scatter(D&& data, RootOptions options = {}) const
    {
        run<D>(detail::call_scatter, detail::in_place(data), options);
    }
    template <class D>
    Request iscatter(D&& data, RootOptions options = {}) const
    {
        return requested(detail::call_scatter, detail::borrowed_in_place<D>(data), options);
    }
    template <class D>
    PersistentRequest scatter_init(D&& data, RootOptions options = {}) const
    {
        return prepared(detail::call_scatter, detail::borrowed_in_place<D>(data), options);
    }

    /// scatter() of blocks of any sizes, at any places in root's `in`, which may overlap. `blocks` matters
    /// at root only.
    template <class I, detail::BlockBuffer O>
    void scatterv(const I& in, BlockCounts blocks, O&& out, RootOptions options = {}) const
    {
        run<O>(detail::call_scatterv, detail::in_out(in, out), blocks, options);
    }
    template <class I, detail::BlockBuffer O>
    Request iscatterv(I&& in, BlockCounts blocks, O& out, RootOptions options = {}) const
    {
        return requested(detail::call_scatterv, detail::borrowed_in_out<I>(in, out), blocks, options);
    }
    template <class I, detail::BlockBuffer O>
    PersistentRequest scatterv_init(I&& in, BlockCounts blocks, O& out, RootOptions options = {}) const
    {
        return prepared(detail::call_scatterv, detail::borrowed_in_out<I>(in, out), blocks, options);
    }
    template <class D>
    void scatterv(D&& data, BlockCounts blocks, RootOptions options = {}) const
    {
        run<D>(detail::call_scatterv, detail::in_place(data), blocks, options);
    }
    template <class D>
    Request iscatterv(D&& data, BlockCounts blocks, RootOptions options = {}) const
    {
        return requested(detail::call_scatterv, detail::borrowed_in_place<D>(data), blocks, options);
    }
    template <class D>
    PersistentRequest scatterv_init(D&& data, BlockCounts blocks, RootOptions options = {}) const
    {
        return prepared(detail::call_scatterv, detail::borrowed_in_place<D>(data), blocks, options);
    }

    /// Block b of rank a's `in` becomes block a of rank b's `out`. Both have one block for each rank.
    template <class I, class O>
    void alltoall(const I& in, O&& out, CollectiveOptions options = {}) const
    {
        run<O>(detail::call_alltoall, detail::in_out(in, out), options);
    }
    template <class I, class O>
    Request ialltoall(I&& in, O& out, CollectiveOptions options = {}) const
    {
        return requested(detail::call_alltoall, detail::borrowed_in_out<I>(in, out), options);
    }
    template <class I, class O>
    PersistentRequest alltoall_init(I&& in, O& out, CollectiveOptions options = {}) const
    {
        return prepared(detail::call_alltoall, detail::borrowed_in_out<I>(in, out), options);
    }
    /// In place: a block that arrives replaces the block sent to the same rank. Only the algorithms
    /// "pairwise" and "board" can do this.
    template <class D>
    void alltoall(D&& data, CollectiveOptions options = {}) const
    {
        run<D>(detail::call_alltoall, detail::in_place(data), options);
    }
    template <class D>
    Request ialltoall(D&& data, CollectiveOptions options = {}) const
    {
        return requested(detail::call_alltoall, detail::borrowed_in_place<D>(data), options);
    }
    template <class D>
    PersistentRequest alltoall_init(D&& data, CollectiveOptions options = {}) const
    {
        return prepared(detail::call_alltoall, detail::borrowed_in_place<D>(data), options);
    }

    /// alltoall() of blocks of any sizes, at any places: the size that `sent` gives for a rank must equal the
    /// size that this rank's `received` gives. Blocks that are sent may overlap.
    template <class I, class O>
    void alltoallv(const I& in, BlockCounts sent, O&& out, BlockCounts received,
                   CollectiveOptions options = {}) const
    {
        run<O>(detail::call_alltoallv, detail::in_out(in, out), sent, received, options);
    }
    template <class I, class O>
    Request ialltoallv(I&& in, BlockCounts sent, O& out, BlockCounts received,
                       CollectiveOptions options = {}) const
    {
        return requested(detail::call_alltoallv, detail::borrowed_in_out<I>(in, out), sent, received,
                         options);
    }
    template <class I, class O>
    PersistentRequest alltoallv_init(I&& in, BlockCounts sent, O& out, BlockCounts received,
                                     CollectiveOptions options = {}) const
    {
        return prepared(detail::call_alltoallv, detail::borrowed_in_out<I>(in, out), sent, received, options);
    }
    /// In place: two ranks must send each other blocks of equal size. Only "pairwise" can do this.
    template <class D>
    void alltoallv(D&& data, BlockCounts blocks, CollectiveOptions options = {}) const
    {
        run<D>(detail::call_alltoallv, detail::in_place(data), BlockCounts{}, blocks, options);
    }
    template <class D>
    Request ialltoallv(D&& data, BlockCounts blocks, CollectiveOptions options = {}) const
    {
        return requested(detail::call_alltoallv, detail::borrowed_in_place<D>(data), BlockCounts{}, blocks,
                         options);
    }
    template <class D>
    PersistentRequest alltoallv_init(D&& data, BlockCounts blocks, CollectiveOptions options = {}) const
    {
        return prepared(detail::call_alltoallv, detail::borrowed_in_place<D>(data), BlockCounts{}, blocks,
                        options);
    }

    // Calls that do not fit are refused in words.
    using Misuse::allgather, Misuse::allgather_init, Misuse::allgatherv, Misuse::allgatherv_init,
        Misuse::alltoall, Misuse::alltoall_init, Misuse::gather, Misuse::gather_init, Misuse::gatherv,
        Misuse::gatherv_init, Misuse::iallgather, Misuse::iallgatherv, Misuse::ialltoall, Misuse::igather,
        Misuse::igatherv, Misuse::iscatter, Misuse::iscatterv, Misuse::scatter, Misuse::scatter_init,
        Misuse::scatterv, Misuse::scatterv_init;

protected:
    explicit BlockCollectives(std::shared_ptr<detail::CommunicatorState> state) noexcept
        : state_(std::move(state))
    {
    }

    std::shared_ptr<detail::CommunicatorState> state_;

private:
    using Form = detail::Form;

    /// `O`: as the program gave the memory of the result.
    template <class O, class Call, class... Rest>
    void run(const Call& call, const detail::BlockBuffers& buffers, const Rest&... rest) const
    {
        detail::check_result_stays<O>();
        call(state_, Form::blocking, buffers, rest...);
    }
    template <class Call, class... Rest>
    Request requested(const Call& call, const detail::BlockBuffers& buffers, const Rest&... rest) const
    {
        return call(state_, Form::nonblocking, buffers, rest...).request();
    }
    template <class Call, class... Rest>
    PersistentRequest prepared(const Call& call, const detail::BlockBuffers& buffers,
                               const Rest&... rest) const
    {
        return call(state_, Form::persistent, buffers, rest...).persistent();
    }
};

}  // namespace tutti
