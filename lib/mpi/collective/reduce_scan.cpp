// The collectives that combine elements.
#include <limits>
#include <vector>

#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/mpi/collective/collective_buffers.hpp"
#include "lib/mpi/collective/collective_call.hpp"
#include "lib/mpi/collective/reduction_arguments.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::ReducedBuffers;
using detail::StatePointer;

namespace {

/// Throws Failure on an intercommunicator.
void check_has_one_group(const detail::CommunicatorState& state)
{
    if (is_inter(state))
        fail(MPI_ERR_COMM, "scans are not defined on intercommunicators, whose ranks have no common order");
}

/// Throws Failure if an intercommunicator's collective is to work in place.
void check_in_place(const detail::CommunicatorState& state, const void* sendbuf)
{
    static_cast<void>(is_in_place(state, sendbuf));
}

/// The elements of all ranks' blocks; a number that no memory holds if there are too many.
MPI_Count times(MPI_Count count, int ranks) noexcept
{
    MPI_Count all = 0;
    if (__builtin_mul_overflow(count, MPI_Count{ranks}, &all))
        return std::numeric_limits<MPI_Count>::max();
    return count < 0 ? count : all;
}

}  // namespace

int reduce(const CollectiveCall& call, const void* sendbuf, void* recvbuf, MPI_Count count,
           MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const Root to(*state, root);
        const ReductionArguments reduction(op, datatype);
        if (to.has_whole)
            check_in_place(*state, sendbuf);
        const ReducedBuffers buffers =
            to.has_own && to.has_whole ? reduction.buffers(sendbuf, count, recvbuf, count)
            : to.has_own               ? reduction.input(sendbuf, count)
                         : reduction.output(to.has_whole ? recvbuf : nullptr, to.has_whole ? count : 0);
        return reduction.keep(
            is_inter(*state)
                ? detail::call_inter_reduce(state, call.form(), buffers, reduction.op(), to.rank)
                : detail::call_reduce(state, call.form(), buffers, reduction.op(), {.root = root}));
    });
}

int allreduce(const CollectiveCall& call, const void* sendbuf, void* recvbuf, MPI_Count count,
              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const ReductionArguments reduction(op, datatype);
        check_in_place(*state, sendbuf);
        const ReducedBuffers buffers = reduction.buffers(sendbuf, count, recvbuf, count);
        return reduction.keep(is_inter(*state)
                                  ? detail::call_inter_allreduce(state, call.form(), buffers, reduction.op())
                                  : detail::call_allreduce(state, call.form(), buffers, reduction.op(), {}));
    });
}

int reduce_scatter_block(const CollectiveCall& call, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const ReductionArguments reduction(op, datatype);
        check_in_place(*state, sendbuf);
        const ReducedBuffers buffers =
            reduction.buffers(sendbuf, times(recvcount, state->size()), recvbuf, recvcount);
        return reduction.keep(
            is_inter(*state) ? detail::call_inter_reduce_scatter(state, call.form(), buffers, reduction.op())
                             : detail::call_reduce_scatter(state, call.form(), buffers, reduction.op(), {}));
    });
}

int reduce_scatter(const CollectiveCall& call, const void* sendbuf, void* recvbuf, Counts recvcounts,
                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const ReductionArguments reduction(op, datatype);
        check_in_place(*state, sendbuf);
        const auto ranks = static_cast<std::size_t>(state->size());
        const RankNumbers numbers = checked_counts(recvcounts, ranks);
        const std::span counts(numbers.data(), ranks);
        MPI_Count all = 0;
        for (const std::size_t count : counts)
            if (__builtin_add_overflow(all, static_cast<MPI_Count>(count), &all))
                fail(MPI_ERR_COUNT, "the counts together exceed the address space");
        const MPI_Count own = static_cast<MPI_Count>(counts[static_cast<std::size_t>(state->rank())]);
        const ReducedBuffers buffers = reduction.buffers(sendbuf, all, recvbuf, own);
        return reduction.keep(
            is_inter(*state)
                ? detail::call_inter_reduce_scatterv(state, call.form(), buffers, counts, reduction.op())
                : detail::call_reduce_scatterv(state, call.form(), buffers, counts, reduction.op(), {}));
    });
}

int scan(const CollectiveCall& call, const void* sendbuf, void* recvbuf, MPI_Count count,
         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        check_has_one_group(*state);
        const ReductionArguments reduction(op, datatype);
        const ReducedBuffers buffers = reduction.buffers(sendbuf, count, recvbuf, count);
        return reduction.keep(detail::call_scan(state, call.form(), buffers, reduction.op(), {}));
    });
}

int exscan(const CollectiveCall& call, const void* sendbuf, void* recvbuf, MPI_Count count,
           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        check_has_one_group(*state);
        const ReductionArguments reduction(op, datatype);
        const ReducedBuffers buffers = reduction.buffers(sendbuf, count, recvbuf, count);
        return reduction.keep(detail::call_exscan(state, call.form(), buffers, reduction.op(), {}));
    });
}

int reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
    return guard("MPI_Reduce_local",
                 [&] { ReductionArguments(op, datatype).combine(inbuf, inoutbuf, count); });
}

}  // namespace tutti::mpi
