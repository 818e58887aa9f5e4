// The handles of operators, groups and communicators that programs create: objects of Open MPI's size and form, since
// its library for Fortran (libmpi_mpifh) reads and writes within them. One for each standard handle, as long as the
// process lives. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::mpi::facade {

struct CreatedOp {
    static constexpr std::uint32_t kIsFortran = 0x0002;

    std::uintptr_t standard;
    std::byte unused[76];
    std::uint32_t flags;  // written by libmpi_mpifh
    std::byte rest[2048 - 88];
};
static_assert(offsetof(CreatedOp, flags) == 84);

struct GroupObject {
    std::uintptr_t standard;
    std::byte unused[8]{};
    std::int32_t ranks{};
    std::int32_t rank{};  // read by nobody
    std::int32_t fortran{};  // its integer
    std::byte rest[256 - 28]{};
};
static_assert(offsetof(GroupObject, ranks) == 0x10 && offsetof(GroupObject, fortran) == 0x18 &&
              sizeof(GroupObject) == 256);

struct CommunicatorObject {
    static constexpr std::uint32_t kIsInter = 0x0001;

    std::uintptr_t standard;
    std::byte unused[0xe8 - 8]{};
    std::uint32_t flags{};
    std::byte unused_too[0xf8 - 0xec]{};
    const GroupObject* local{};
    const GroupObject* remote{};
    std::byte rest[512 - 0x108]{};
};
static_assert(offsetof(CommunicatorObject, flags) == 0xe8 && offsetof(CommunicatorObject, local) == 0xf8 &&
              offsetof(CommunicatorObject, remote) == 0x100 && sizeof(CommunicatorObject) == 512);

CreatedOp& created_op(std::uintptr_t standard);
/// Filled anew: a handle may have been that of another one before.
GroupObject& created_group(std::uintptr_t standard);
CommunicatorObject& created_communicator(std::uintptr_t standard);

/// The members of the predefined communicators, which their objects name.
extern GroupObject members_of_world;
extern GroupObject members_of_self;
/// Does nothing while MPI is not running.
void count_members_of_world();

/// Of a request that outlives its operation: writes its integer where libmpi_mpifh looks for it behind a wait.
void note_fortran_request(const std::uintptr_t* handle, int number);

}  // namespace tutti::mpi::facade
