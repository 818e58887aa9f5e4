// The collectives that combine the elements of all ranks, as members of every Communicator.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "tutti/block_collectives.hpp"
#include "tutti/calls.hpp"
#include "tutti/request.hpp"

namespace tutti {

/// Each has the three forms of BlockCollectives. Buffers are trivially copyable objects, contiguous ranges of
/// them, or layouts, which are packed before and unpacked after. The operator is tutti::sum and the like, an
/// Op, or a user_op. Operator and sizes are the same at all ranks. The i'th element of a result combines the
/// i'th elements of the ranks' inputs; without commutativity, lower ranks stay on the left.
///
/// Input and output are the same buffer or do not overlap. Sizes that do not fit throw
/// ErrorCode::invalid_argument before anything is sent. Where ranks disagree, ErrorCode::truncated is thrown
/// at the ranks that receive another size than they expect.
class ReduceCollectives : public BlockCollectives {
public:
    /// out = op over all ranks' in, at root; `out` of other ranks is unchanged.
    template <class I, class O, ReductionOperator F>
    void reduce(const I& in, O&& out, const F& op, RootOptions options = {}) const
    {
        run<O>(detail::call_reduce, in, out, op, options);
    }
    template <class I, class O, ReductionOperator F>
    Request ireduce(I&& in, O& out, F op, RootOptions options = {}) const
    {
        return begin<I>(detail::call_reduce, Form::nonblocking, in, out, std::move(op), options).request();
    }
    template <class I, class O, ReductionOperator F>
    PersistentRequest reduce_init(I&& in, O& out, F op, RootOptions options = {}) const
    {
        return begin<I>(detail::call_reduce, Form::persistent, in, out, std::move(op), options).persistent();
    }
    /// In place: `data` is the input; root's `data` becomes the result, that of other ranks is unchanged.
    template <class D, ReductionOperator F>
    void reduce(D&& data, const F& op, RootOptions options = {}) const
    {
        run<D>(detail::call_reduce, data, data, op, options);
    }
    template <class D, ReductionOperator F>
    Request ireduce(D&& data, F op, RootOptions options = {}) const
    {
        return begin<D>(detail::call_reduce, Form::nonblocking, data, data, std::move(op), options).request();
    }
    template <class D, ReductionOperator F>
    PersistentRequest reduce_init(D&& data, F op, RootOptions options = {}) const
    {
        return begin<D>(detail::call_reduce, Form::persistent, data, data, std::move(op), options)
            .persistent();
    }

    /// out = op over all ranks' in, everywhere.
    template <class I, class O, ReductionOperator F>
    void allreduce(const I& in, O&& out, const F& op, CollectiveOptions options = {}) const
    {
        run<O>(detail::call_allreduce, in, out, op, options);
    }
    template <class I, class O, ReductionOperator F>
    Request iallreduce(I&& in, O& out, F op, CollectiveOptions options = {}) const
    {
        return begin<I>(detail::call_allreduce, Form::nonblocking, in, out, std::move(op), options).request();
    }
    template <class I, class O, ReductionOperator F>
    PersistentRequest allreduce_init(I&& in, O& out, F op, CollectiveOptions options = {}) const
    {
        return begin<I>(detail::call_allreduce, Form::persistent, in, out, std::move(op), options)
            .persistent();
    }
    /// In place: `data` of every rank becomes op over all ranks' data.
    template <class D, ReductionOperator F>
    void allreduce(D&& data, const F& op, CollectiveOptions options = {}) const
    {
        run<D>(detail::call_allreduce, data, data, op, options);
    }
    template <class D, ReductionOperator F>
    Request iallreduce(D&& data, F op, CollectiveOptions options = {}) const
    {
        return begin<D>(detail::call_allreduce, Form::nonblocking, data, data, std::move(op), options)
            .request();
    }
    template <class D, ReductionOperator F>
    PersistentRequest allreduce_init(D&& data, F op, CollectiveOptions options = {}) const
    {
        return begin<D>(detail::call_allreduce, Form::persistent, data, data, std::move(op), options)
            .persistent();
    }

    /// Each rank's part of op over all ranks' in: `in` is a block of out.size() elements for every rank, in
    /// rank order, so in.size() is size() times out.size().
    template <class I, class O, ReductionOperator F>
    void reduce_scatter(const I& in, O&& out, const F& op, CollectiveOptions options = {}) const
    {
        run<O>(detail::call_reduce_scatter, in, out, op, options);
    }
    template <class I, class O, ReductionOperator F>
    Request ireduce_scatter(I&& in, O& out, F op, CollectiveOptions options = {}) const
    {
        return begin<I>(detail::call_reduce_scatter, Form::nonblocking, in, out, std::move(op), options)
            .request();
    }
    template <class I, class O, ReductionOperator F>
    PersistentRequest reduce_scatter_init(I&& in, O& out, F op, CollectiveOptions options = {}) const
    {
        return begin<I>(detail::call_reduce_scatter, Form::persistent, in, out, std::move(op), options)
            .persistent();
    }
    /// In place: `data` is the input, a block of equal size for every rank; its first block becomes the
    /// result, the others are unchanged.
    template <class D, ReductionOperator F>
    void reduce_scatter(D&& data, const F& op, CollectiveOptions options = {}) const
    {
        run<D>(detail::call_reduce_scatter, data, data, op, options);
    }
    template <class D, ReductionOperator F>
    Request ireduce_scatter(D&& data, F op, CollectiveOptions options = {}) const
    {
        return begin<D>(detail::call_reduce_scatter, Form::nonblocking, data, data, std::move(op), options)
            .request();
    }
    template <class D, ReductionOperator F>
    PersistentRequest reduce_scatter_init(D&& data, F op, CollectiveOptions options = {}) const
    {
        return begin<D>(detail::call_reduce_scatter, Form::persistent, data, data, std::move(op), options)
            .persistent();
    }

    /// As reduce_scatter with blocks of any sizes: `counts` has the elements of each rank's block, the same
    /// at all ranks. Their sum is in.size(), and out.size() is the own count. Zeros are allowed. `counts` is
    /// not used after the call.
    template <class I, class O, ReductionOperator F>
    void reduce_scatterv(const I& in, O&& out, std::span<const std::size_t> counts, const F& op,
                         CollectiveOptions options = {}) const
    {
        run<O>(kReduceScatterv, in, out, op, counts, options);
    }
    template <class I, class O, ReductionOperator F>
    Request ireduce_scatterv(I&& in, O& out, std::span<const std::size_t> counts, F op,
                             CollectiveOptions options = {}) const
    {
        return begin<I>(kReduceScatterv, Form::nonblocking, in, out, std::move(op), counts, options)
            .request();
    }
    template <class I, class O, ReductionOperator F>
    PersistentRequest reduce_scatterv_init(I&& in, O& out, std::span<const std::size_t> counts, F op,
                                           CollectiveOptions options = {}) const
    {
        return begin<I>(kReduceScatterv, Form::persistent, in, out, std::move(op), counts, options)
            .persistent();
    }
    /// In place: the first elements of `data`, as many as the own count, become the result; the others are
    /// unchanged.
    template <class D, ReductionOperator F>
    void reduce_scatterv(D&& data, std::span<const std::size_t> counts, const F& op,
                         CollectiveOptions options = {}) const
    {
        run<D>(kReduceScatterv, data, data, op, counts, options);
    }
    template <class D, ReductionOperator F>
    Request ireduce_scatterv(D&& data, std::span<const std::size_t> counts, F op,
                             CollectiveOptions options = {}) const
    {
        return begin<D>(kReduceScatterv, Form::nonblocking, data, data, std::move(op), counts, options)
            .request();
    }
    template <class D, ReductionOperator F>
    PersistentRequest reduce_scatterv_init(D&& data, std::span<const std::size_t> counts, F op,
                                           CollectiveOptions options = {}) const
    {
        return begin<D>(kReduceScatterv, Form::persistent, data, data, std::move(op), counts, options)
            .persistent();
    }

    /// out = op over the in of ranks 0 to this one.
    template <class I, class O, ReductionOperator F>
    void scan(const I& in, O&& out, const F& op, CollectiveOptions options = {}) const
    {
        run<O>(detail::call_scan, in, out, op, options);
    }
    template <class I, class O, ReductionOperator F>
    Request iscan(I&& in, O& out, F op, CollectiveOptions options = {}) const
    {
        return begin<I>(detail::call_scan, Form::nonblocking, in, out, std::move(op), options).request();
    }
    template <class I, class O, ReductionOperator F>
    PersistentRequest scan_init(I&& in, O& out, F op, CollectiveOptions options = {}) const
    {
        return begin<I>(detail::call_scan, Form::persistent, in, out, std::move(op), options).persistent();
    }
    /// In place: `data` becomes the result.
    template <class D, ReductionOperator F>
    void scan(D&& data, const F& op, CollectiveOptions options = {}) const
    {
        run<D>(detail::call_scan, data, data, op, options);
    }
    template <class D, ReductionOperator F>
    Request iscan(D&& data, F op, CollectiveOptions options = {}) const
    {
        return begin<D>(detail::call_scan, Form::nonblocking, data, data, std::move(op), options).request();
    }
    template <class D, ReductionOperator F>
    PersistentRequest scan_init(D&& data, F op, CollectiveOptions options = {}) const
    {
        return begin<D>(detail::call_scan, Form::persistent, data, data, std::move(op), options).persistent();
    }

    /// out = op over the in of the ranks below this one; rank 0's `out` is unchanged.
    template <class I, class O, ReductionOperator F>
    void exscan(const I& in, O&& out, const F& op, CollectiveOptions options = {}) const
    {
        run<O>(detail::call_exscan, in, out, op, options);
    }
    template <class I, class O, ReductionOperator F>
    Request iexscan(I&& in, O& out, F op, CollectiveOptions options = {}) const
    {
        return begin<I>(detail::call_exscan, Form::nonblocking, in, out, std::move(op), options).request();
    }
    template <class I, class O, ReductionOperator F>
    PersistentRequest exscan_init(I&& in, O& out, F op, CollectiveOptions options = {}) const
    {
        return begin<I>(detail::call_exscan, Form::persistent, in, out, std::move(op), options).persistent();
    }
    /// In place: `data` becomes the result; rank 0's `data` is unchanged.
    template <class D, ReductionOperator F>
    void exscan(D&& data, const F& op, CollectiveOptions options = {}) const
    {
        run<D>(detail::call_exscan, data, data, op, options);
    }
    template <class D, ReductionOperator F>
    Request iexscan(D&& data, F op, CollectiveOptions options = {}) const
    {
        return begin<D>(detail::call_exscan, Form::nonblocking, data, data, std::move(op), options).request();
    }
    template <class D, ReductionOperator F>
    PersistentRequest exscan_init(D&& data, F op, CollectiveOptions options = {}) const
    {
        return begin<D>(detail::call_exscan, Form::persistent, data, data, std::move(op), options)
            .persistent();
    }

    // Calls that do not fit are refused in words.
    using Misuse::allreduce, Misuse::allreduce_init, Misuse::exscan, Misuse::exscan_init, Misuse::iallreduce,
        Misuse::iexscan, Misuse::ireduce, Misuse::ireduce_scatter, Misuse::ireduce_scatterv, Misuse::iscan,
        Misuse::reduce, Misuse::reduce_init, Misuse::reduce_scatter, Misuse::reduce_scatter_init,
        Misuse::reduce_scatterv, Misuse::reduce_scatterv_init, Misuse::scan, Misuse::scan_init;

protected:
    using BlockCollectives::BlockCollectives;

private:
    using Form = detail::Form;
    using Operator = detail::Operator;
    using CallHandle = detail::CallHandle;

    /// Its arguments in the order of the other calls.
    static constexpr auto kReduceScatterv = [](const auto& state, Form form, const auto& buffers,
                                               const Operator& op, std::span<const std::size_t> counts,
                                               const CollectiveOptions& options) {
        return detail::call_reduce_scatterv(state, form, buffers, counts, op, options);
    };

    /// `O`: as the program gave `out`.
    template <class O, class Call, class I, class Out, class F, class... Rest>
    void run(const Call& call, const I& in, Out& out, const F& op, const Rest&... rest) const
    {
        detail::check_result_stays<O>();
        call(state_, Form::blocking, detail::reduced(in, out), detail::operator_for(out, op), rest...);
    }
    /// `I`: as the program gave `in`. All operations of the call keep the operator's function object alive.
    template <class I, class Call, class In, class Out, class F, class... Rest>
    CallHandle begin(const Call& call, Form form, In& in, Out& out, F op, const Rest&... rest) const
    {
        const auto with = [&](const Operator& made) {
            return call(state_, form, detail::borrowed_reduced<I>(in, out), made, rest...);
        };
        if constexpr (detail::kHasState<F>) {
            auto kept = std::make_shared<F>(std::move(op));
            const CallHandle started = with(detail::operator_for(out, *kept));
            started.keep(std::move(kept));
            return started;
        } else {
            return with(detail::operator_for(out, op));
        }
    }
};

}  // namespace tutti
