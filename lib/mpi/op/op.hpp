// The object behind an MPI_Op.
#pragma once

#include <optional>

#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/object.hpp"
#include "lib/mpi/object/views.hpp"
#include "tutti/reduction.hpp"

namespace tutti::mpi {

struct ReductionOp final : ObjectOf<ReductionOp> {
    using Handle = MPI_Op;
    static constexpr std::uintptr_t kFirst = 0x20;
    static constexpr std::size_t kPredefined = 32;
    static constexpr Kind kKind = Kind::op;
    inline static Predefined<ReductionOp, kPredefined> predefined{};  // set before MPI is running, for ever

    /// A program's.
    ReductionOp(const UserFunction& given, bool commutes) noexcept : function(given), commutative(commutes) {}
    /// A predefined one.
    ReductionOp(std::uintptr_t handle, std::optional<Op> known, bool commutes) noexcept
        : ObjectOf(handle), built_in(known), commutative(commutes)
    {
    }

    const std::optional<Op> built_in;  // none: a program's, or one for windows only
    UserFunction function{static_cast<MPI_User_function*>(
        nullptr)};  // completed by other languages' libraries, before it is used
    const bool commutative;
};

void define_operators();

/// Throws Failure for a handle that is no operator's.
ReductionOp& operator_of(MPI_Op handle);

}  // namespace tutti::mpi
