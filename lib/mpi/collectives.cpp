// Barrier, broadcast and allreduce.
#include <fmt/format.h>

#include "lib/mpi/communicator.hpp"
#include "lib/mpi/datatype.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/op.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "tutti/calls.hpp"

namespace tutti::mpi {

namespace {

using detail::Form;

detail::Elements bytes_of(const detail::View& view) noexcept
{
    return {view.data, view.size_bytes, 1};
}

void check_root(const detail::CommunicatorState& state, int root)
{
    if (static_cast<unsigned>(root) >= static_cast<unsigned>(state.size()))
        fail(MPI_ERR_ROOT, fmt::format("the root is {}, but the ranks of this communicator are 0 to {}", root,
                                       state.size() - 1));
}

/// The elements of a reduction. A pair counts with its gaps.
detail::ReducedBuffers reduced(const void* sendbuf, void* recvbuf, MPI_Count count, const Datatype& type)
{
    if (count < 0)
        fail(MPI_ERR_COUNT, fmt::format("the count is {}; it must not be negative", count));
    const auto element = static_cast<std::size_t>(type.map->extent_bytes());
    const detail::Elements out{static_cast<std::byte*>(recvbuf), static_cast<std::size_t>(count), element};
    const void* const in = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    return {{static_cast<const std::byte*>(in), out.count, element}, out};
}

}  // namespace

int barrier(MPI_Comm comm)
{
    return guard("MPI_Barrier", comm, [&] { detail::call_barrier(state_of(comm), Form::blocking, {}); });
}

int bcast(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return guard("MPI_Bcast", comm, [&] {
        const detail::StatePointer& state = state_of(comm);
        const detail::View view = view_of(buffer, count, datatype);
        check_root(*state, root);
        detail::call_broadcast(state, Form::blocking, {{}, bytes_of(view), true, nullptr, view.layout},
                               {.root = root});
    });
}

int allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm)
{
    return guard("MPI_Allreduce", comm, [&] {
        const detail::StatePointer& state = state_of(comm);
        const Datatype& type = datatype_of(datatype);
        detail::call_allreduce(state, Form::blocking, reduced(sendbuf, recvbuf, count, type),
                               operator_of(op, type), {});
    });
}

}  // namespace tutti::mpi
