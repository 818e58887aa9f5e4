// The collectives that combine the elements of all ranks, as members of every Communicator.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "tutti/block_collectives.hpp"
#include "tutti/buffer.hpp"
#include "tutti/reduction.hpp"
#include "tutti/request.hpp"
#include "tutti/root_options.hpp"

namespace tutti {

/// Buffers are contiguous: trivially copyable objects, or ranges of them. The operator is tutti::sum and the
/// like, an Op, or a user_op; it is the same at all ranks, and so are the sizes. The i'th element of a result
/// is the operator over the i'th elements of the ranks' inputs, those of lower ranks on the left where it
/// does not commute.
///
/// Input and output are the same buffer, or two that are apart; reduce_scatter has no form in place. Sizes
/// that do not fit throw ErrorCode::invalid_argument before anything is sent. Where only ranks disagree,
/// ErrorCode::truncated is thrown at those that receive another size than they expect. The forms with i
/// return at once; buffers are in use until the request is complete.
class ReduceCollectives : public BlockCollectives {
public:
    /// out = op over all ranks' in, at root; `out` of other ranks is left alone.
    template <class I, class O, ReductionOperator F>
    void reduce(const I& in, O&& out, const F& op, RootOptions options = {}) const
    {
        detail::check_same_elements<I, O>();
        reduce_buffers(detail::const_reduce_view(in), detail::reduce_view(out), operator_for<O>(op),
                       options.root);
    }
    /// In place: `data` is the input everywhere; root's becomes the result, other ranks' is left alone.
    template <class D, ReductionOperator F>
    void reduce(D&& data, const F& op, RootOptions options = {}) const
    {
        reduce_buffers(detail::const_reduce_view(data), detail::reduce_view(data), operator_for<D>(op),
                       options.root);
    }
    template <class I, class O, ReductionOperator F>
    Request ireduce(I&& in, O& out, F op, RootOptions options = {}) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_elements<I, O>();
        return start_with<O>(std::move(op), [&](const detail::Operator& kept) {
            return ireduce_buffers(detail::const_reduce_view(in), detail::reduce_view(out), kept,
                                   options.root);
        });
    }

    /// In place: `data` of every rank becomes op over all ranks' data.
    template <class D, ReductionOperator F>
    void allreduce(D&& data, const F& op) const
    {
        allreduce_buffers(detail::const_reduce_view(data), detail::reduce_view(data), operator_for<D>(op));
    }
    template <class I, class O, ReductionOperator F>
    void allreduce(const I& in, O&& out, const F& op) const
    {
        detail::check_same_elements<I, O>();
        allreduce_buffers(detail::const_reduce_view(in), detail::reduce_view(out), operator_for<O>(op));
    }
    template <class D, ReductionOperator F>
    Request iallreduce(D& data, F op) const
    {
        return start_with<D>(std::move(op), [&](const detail::Operator& kept) {
            return iallreduce_buffers(detail::const_reduce_view(data), detail::reduce_view(data), kept);
        });
    }
    template <class I, class O, ReductionOperator F>
    Request iallreduce(I&& in, O& out, F op) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_elements<I, O>();
        return start_with<O>(std::move(op), [&](const detail::Operator& kept) {
            return iallreduce_buffers(detail::const_reduce_view(in), detail::reduce_view(out), kept);
        });
    }

    /// Each rank's part of op over all ranks' in: `in` is a block of out.size() elements for every rank, in
    /// rank order, so in.size() is size() times out.size().
    template <class I, class O, ReductionOperator F>
    void reduce_scatter(const I& in, O&& out, const F& op) const
    {
        detail::check_same_elements<I, O>();
        reduce_scatter_buffers(detail::const_reduce_view(in), detail::reduce_view(out), operator_for<O>(op));
    }
    template <class I, class O, ReductionOperator F>
    Request ireduce_scatter(I&& in, O& out, F op) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_elements<I, O>();
        return start_with<O>(std::move(op), [&](const detail::Operator& kept) {
            return ireduce_scatter_buffers(detail::const_reduce_view(in), detail::reduce_view(out), kept);
        });
    }

    /// The same with blocks of any sizes: `counts` has the elements of each rank's block, the same at all
    /// ranks; they add up to in.size(), and out.size() is the own one. Zeros are allowed. `counts` is not
    /// used after the call.
    template <class I, class O, ReductionOperator F>
    void reduce_scatterv(const I& in, O&& out, std::span<const std::size_t> counts, const F& op) const
    {
        detail::check_same_elements<I, O>();
        reduce_scatterv_buffers(detail::const_reduce_view(in), detail::reduce_view(out), counts,
                                operator_for<O>(op));
    }
    template <class I, class O, ReductionOperator F>
    Request ireduce_scatterv(I&& in, O& out, std::span<const std::size_t> counts, F op) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_elements<I, O>();
        return start_with<O>(std::move(op), [&](const detail::Operator& kept) {
            return ireduce_scatterv_buffers(detail::const_reduce_view(in), detail::reduce_view(out), counts,
                                            kept);
        });
    }

    /// out = op over the in of ranks 0 to the own one.
    template <class I, class O, ReductionOperator F>
    void scan(const I& in, O&& out, const F& op) const
    {
        detail::check_same_elements<I, O>();
        scan_buffers(detail::const_reduce_view(in), detail::reduce_view(out), operator_for<O>(op));
    }
    /// In place: `data` becomes the result.
    template <class D, ReductionOperator F>
    void scan(D&& data, const F& op) const
    {
        scan_buffers(detail::const_reduce_view(data), detail::reduce_view(data), operator_for<D>(op));
    }
    template <class I, class O, ReductionOperator F>
    Request iscan(I&& in, O& out, F op) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_elements<I, O>();
        return start_with<O>(std::move(op), [&](const detail::Operator& kept) {
            return iscan_buffers(detail::const_reduce_view(in), detail::reduce_view(out), kept);
        });
    }
    template <class D, ReductionOperator F>
    Request iscan(D& data, F op) const
    {
        return start_with<D>(std::move(op), [&](const detail::Operator& kept) {
            return iscan_buffers(detail::const_reduce_view(data), detail::reduce_view(data), kept);
        });
    }

    /// out = op over the in of the ranks below the own one; rank 0's `out` is left alone.
    template <class I, class O, ReductionOperator F>
    void exscan(const I& in, O&& out, const F& op) const
    {
        detail::check_same_elements<I, O>();
        exscan_buffers(detail::const_reduce_view(in), detail::reduce_view(out), operator_for<O>(op));
    }
    /// In place: `data` becomes the result, but for rank 0's, which is left alone.
    template <class D, ReductionOperator F>
    void exscan(D&& data, const F& op) const
    {
        exscan_buffers(detail::const_reduce_view(data), detail::reduce_view(data), operator_for<D>(op));
    }
    template <class I, class O, ReductionOperator F>
    Request iexscan(I&& in, O& out, F op) const
    {
        detail::check_outlives_call<I>();
        detail::check_same_elements<I, O>();
        return start_with<O>(std::move(op), [&](const detail::Operator& kept) {
            return iexscan_buffers(detail::const_reduce_view(in), detail::reduce_view(out), kept);
        });
    }
    template <class D, ReductionOperator F>
    Request iexscan(D& data, F op) const
    {
        return start_with<D>(std::move(op), [&](const detail::Operator& kept) {
            return iexscan_buffers(detail::const_reduce_view(data), detail::reduce_view(data), kept);
        });
    }

protected:
    using BlockCollectives::BlockCollectives;

    /// Lets an active request keep `what` until it is complete.
    static void keep(Request& request, std::shared_ptr<void> what) noexcept;

private:
    using Input = detail::ConstReduceView;
    using Output = detail::ReduceView;
    using Counts = std::span<const std::size_t>;

    /// `op` for the elements of a D.
    template <class D, class F>
    static detail::Operator operator_for(const F& op) noexcept
    {
        return detail::operator_of<detail::ReducedElementT<D>>(op);
    }
    /// start(operator), whose request then keeps the function object that the operator refers to.
    template <class D, class F, class Start>
    static Request start_with(F op, Start&& start)
    {
        if constexpr (detail::kHasState<F>) {
            auto kept = std::make_shared<F>(std::move(op));
            Request request = start(operator_for<D>(*kept));
            keep(request, std::move(kept));
            return request;
        } else {
            return start(operator_for<D>(op));
        }
    }

    void reduce_buffers(Input in, Output out, const detail::Operator& op, int root) const;
    Request ireduce_buffers(Input in, Output out, const detail::Operator& op, int root) const;
    void allreduce_buffers(Input in, Output out, const detail::Operator& op) const;
    Request iallreduce_buffers(Input in, Output out, const detail::Operator& op) const;
    void reduce_scatter_buffers(Input in, Output out, const detail::Operator& op) const;
    Request ireduce_scatter_buffers(Input in, Output out, const detail::Operator& op) const;
    void reduce_scatterv_buffers(Input in, Output out, Counts counts, const detail::Operator& op) const;
    Request ireduce_scatterv_buffers(Input in, Output out, Counts counts, const detail::Operator& op) const;
    void scan_buffers(Input in, Output out, const detail::Operator& op) const;
    Request iscan_buffers(Input in, Output out, const detail::Operator& op) const;
    void exscan_buffers(Input in, Output out, const detail::Operator& op) const;
    Request iexscan_buffers(Input in, Output out, const detail::Operator& op) const;
};

}  // namespace tutti
