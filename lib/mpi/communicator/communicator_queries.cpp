// Questions to communicators: ranks, groups, names, info.
#include <algorithm>

#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/strings.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::CommunicatorState;

// A duplicate that is being made has the groups of another communicator, and is none with it.
bool are_one(MPI_Comm comm1, const CommunicatorState& one, MPI_Comm comm2, const CommunicatorState& other)
{
    return comm1 == comm2 ||
           (&one == &other && find<Communicator>(comm1) != nullptr && find<Communicator>(comm2) != nullptr);
}

int compare(const CommunicatorState& one, const CommunicatorState& other)
{
    if ((one.both() == nullptr) != (other.both() == nullptr))
        return MPI_UNEQUAL;
    // The results rise from equal groups to different ones. Without a remote group both are the same.
    const int groups = std::max(compare(Group(one.members()), Group(other.members())),
                                compare(Group(one.remote()), Group(other.remote())));
    return groups == MPI_IDENT ? MPI_CONGRUENT : groups;
}
static_assert(MPI_IDENT < MPI_SIMILAR && MPI_SIMILAR < MPI_UNEQUAL);

}  // namespace

int comm_rank(MPI_Comm comm, int* rank)
{
    return guard_result("MPI_Comm_rank", comm, rank, "rank", [&] {
        return ask(comm, [](const CommunicatorState& state) { return state.rank(); });
    });
}

int comm_size(MPI_Comm comm, int* size)
{
    return guard_result("MPI_Comm_size", comm, size, "size", [&] {
        return ask(comm, [](const CommunicatorState& state) { return state.size(); });
    });
}

int comm_group(MPI_Comm comm, MPI_Group* group)
{
    return guard_result("MPI_Comm_group", comm, group, "group", [&] {
        return ask(comm, [](const CommunicatorState& state) { return new_group(state.members()); });
    });
}

int comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result)
{
    return guard("MPI_Comm_compare", comm1, [&] {
        check_not_null(result, "result");
        *result = ask(comm1, [&](const CommunicatorState& one) {
            return ask(comm2, [&](const CommunicatorState& other) {
                return are_one(comm1, one, comm2, other) ? MPI_IDENT : compare(one, other);
            });
        });
    });
}

int comm_get_parent(MPI_Comm* parent)
{
    return guard("MPI_Comm_get_parent", [&] {
        check_not_null(parent, "parent");
        *parent = MPI_COMM_NULL;  // no program has spawned this one
    });
}

int comm_get_name(MPI_Comm comm, char* name, int* length)
{
    return guard("MPI_Comm_get_name", comm, [&] {
        copy_out(comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : begun_communicator_of(comm).name(), name, length,
                 MPI_MAX_OBJECT_NAME);
    });
}

int comm_set_name(MPI_Comm comm, const char* name)
{
    return guard("MPI_Comm_set_name", comm, [&] {
        check_not_null(name, "comm_name");
        begun_communicator_of(comm).set_name(std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1));
    });
}

int comm_set_info(MPI_Comm comm, MPI_Info info)
{
    return guard("MPI_Comm_set_info", comm, [&] {
        static_cast<void>(begun_communicator_of(comm));
        check_info(info);  // its hints would change nothing
    });
}

int comm_get_info(MPI_Comm comm, MPI_Info* info)
{
    return guard("MPI_Comm_get_info", comm, [&] {
        check_not_null(info, "info_used");
        static_cast<void>(begun_communicator_of(comm));
        *info = new_info();  // no hint is used
    });
}

}  // namespace tutti::mpi
