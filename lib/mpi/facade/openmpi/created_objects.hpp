// The handles of operators, groups, communicators and error handlers that programs create: objects of Open
// MPI's size and form, since its libraries for Fortran (libmpi_mpifh) and C++ (libmpi_cxx) read and write
// within them. One for each standard handle, as long as the process lives. Any thread.
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
    std::int32_t rank{};     // read by nobody
    std::int32_t fortran{};  // its integer
    std::byte rest[256 - 28]{};
};
static_assert(offsetof(GroupObject, ranks) == 0x10 && offsetof(GroupObject, fortran) == 0x18 &&
              sizeof(GroupObject) == 256);

struct CommunicatorObject {
    static constexpr std::uint32_t kIsInter = 0x0001;
    static constexpr std::uint32_t kIsGrid = 0x0100;
    static constexpr std::uint32_t kIsGraph = 0x0200;

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

struct ErrorHandlerObject {
    std::uintptr_t standard;
    std::byte unused[0x54 - 8]{};
    std::int32_t language{};
    // The first three are written by libmpi_cxx within MPI::ERRORS_THROW_EXCEPTIONS.
    void (*of_communicators)(){};
    void (*of_files)(){};
    void (*of_windows)(){};
    void (*of_fortran)(){};
    void (*cxx_caller)(){};  // written by libmpi_cxx for C++ functions
    std::byte rest[1024 - 0x80]{};
};
static_assert(offsetof(ErrorHandlerObject, language) == 0x54 &&
              offsetof(ErrorHandlerObject, of_windows) == 0x68 &&
              offsetof(ErrorHandlerObject, cxx_caller) == 0x78 && sizeof(ErrorHandlerObject) == 1024);

CreatedOp& created_op(std::uintptr_t standard);
/// Filled anew: a handle may have been that of another one before.
GroupObject& created_group(std::uintptr_t standard);
CommunicatorObject& created_communicator(std::uintptr_t standard);
ErrorHandlerObject& created_error_handler(std::uintptr_t standard);

/// The members of the predefined communicators, which their objects name.
extern GroupObject members_of_world;
extern GroupObject members_of_self;
/// Does nothing while MPI is not running.
void count_members_of_world();

/// Of a created operator, which libmpi_mpifh marks as one of Fortran's before it asks for its integer.
void note_fortran_operator(const std::uintptr_t* handle);
/// Of a request that outlives its operation: writes its integer where libmpi_mpifh looks for it behind a
/// wait.
void note_fortran_request(const std::uintptr_t* handle, int number);

}  // namespace tutti::mpi::facade
