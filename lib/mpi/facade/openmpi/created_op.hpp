// The handles of operators that programs create. Open MPI's Fortran library marks its own in the object's
// memory, so they are objects of Open MPI's size and form.
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

/// The object of a standard handle of a created operator: one as long as the process lives. Any thread.
CreatedOp& created_op(std::uintptr_t standard);

}  // namespace tutti::mpi::facade
