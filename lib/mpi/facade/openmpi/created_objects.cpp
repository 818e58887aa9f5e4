#include "lib/mpi/facade/openmpi/created_objects.hpp"

#include <map>
#include <mutex>

#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/facade/openmpi/handles.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/handle_numbers.hpp"
#include "lib/mpi/op/op.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/topology/topology_object.hpp"

namespace tutti::mpi::facade {

namespace {

struct Created {
    std::mutex mutex;
    std::map<std::uintptr_t, CreatedOp> operators;
    std::map<std::uintptr_t, GroupObject> groups;
    struct Members {
        CommunicatorObject object;
        GroupObject local;
        GroupObject remote;
    };
    std::map<std::uintptr_t, Members> communicators;
    std::map<std::uintptr_t, ErrorHandlerObject> error_handlers;
};

// Never destroyed: objects are used after main.
Created& created()
{
    static Created& all = *new Created;
    return all;
}

std::uint32_t topology_flag(std::uintptr_t standard)
{
    const auto* const communicator = find<Communicator>(reinterpret_cast<MPI_Comm>(standard));
    if (communicator == nullptr || communicator->topology == nullptr)
        return 0;
    switch (communicator->topology->kind) {
        case MPI_CART:
            return CommunicatorObject::kIsGrid;
        case MPI_GRAPH:
            return CommunicatorObject::kIsGraph;
        default:
            return 0;
    }
}

}  // namespace

GroupObject members_of_world{};
GroupObject members_of_self{.standard = 0, .ranks = 1};

void count_members_of_world()
{
    if (const auto* const world = find<Communicator>(MPI_COMM_WORLD))
        members_of_world.ranks = world->state->size();
}

CreatedOp& created_op(std::uintptr_t standard)
{
    Created& all = created();
    const std::lock_guard lock(all.mutex);
    CreatedOp& op = all.operators[standard];
    op = {.standard = standard, .unused = {}, .flags = 0, .rest = {}};
    return op;
}

GroupObject& created_group(std::uintptr_t standard)
{
    const auto* const found = find<Group>(reinterpret_cast<MPI_Group>(standard));
    Created& all = created();
    const std::lock_guard lock(all.mutex);
    GroupObject& group = all.groups[standard];
    group.standard = standard;
    group.ranks = found != nullptr ? found->size() : 0;
    group.fortran = static_cast<int>(HandleNumbers::of(reinterpret_cast<std::uintptr_t>(&group)));
    return group;
}

CommunicatorObject& created_communicator(std::uintptr_t standard)
{
    Created& all = created();
    const std::lock_guard lock(all.mutex);
    Created::Members& made = all.communicators[standard];
    made.object.standard = standard;
    made.object.local = &made.local;
    try {
        ask(reinterpret_cast<MPI_Comm>(standard), [&made, standard](const detail::CommunicatorState& state) {
            const bool is_inter = state.both() != nullptr;
            made.local.ranks = state.size();
            made.remote.ranks = is_inter ? static_cast<int>(state.peers().size()) : 0;
            made.object.flags = is_inter ? CommunicatorObject::kIsInter : topology_flag(standard);
            made.object.remote = is_inter ? &made.remote : &made.local;
        });
    } catch (const Failure&) {
        // The communicator is being freed: functions of its attributes get its handle.
    }
    return made.object;
}

ErrorHandlerObject& created_error_handler(std::uintptr_t standard)
{
    Created& all = created();
    const std::lock_guard lock(all.mutex);
    ErrorHandlerObject& handler = all.error_handlers[standard];
    handler.standard = standard;
    return handler;
}

void note_fortran_operator(const std::uintptr_t* handle)
{
    const auto& op = *reinterpret_cast<const CreatedOp*>(handle);
    auto* const own = find<ReductionOp>(reinterpret_cast<MPI_Op>(op.standard));
    if (own != nullptr && (op.flags & CreatedOp::kIsFortran) != 0)
        own->function.language = Language::fortran;
}

void note_fortran_request(const std::uintptr_t* handle, int number)
{
    // From the start of the operation's state.
    static_assert(MpiRequest::kFortranOffset == 0x68);
    const auto& state = *reinterpret_cast<const detail::RequestState*>(handle);
    if (state.kind != detail::RequestState::Kind::own)
        return;
    const auto request = reinterpret_cast<MPI_Request>(reinterpret_cast<std::uintptr_t>(handle));
    if (MpiRequest* const own = mpi_request(request); own != nullptr)
        own->fortran = number;
}

}  // namespace tutti::mpi::facade
