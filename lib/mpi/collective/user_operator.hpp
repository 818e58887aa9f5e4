// A program's operator on elements of any datatype, as a kernel of the core's.
#pragma once

#include <optional>

#include "lib/core/process/process.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/views.hpp"
#include "tutti/user_op.hpp"

namespace tutti::mpi {

/// The function runs on threads that are inside MPI calls. Below MPI_THREAD_MULTIPLE it need not be fit for
/// others: a program without threads may share data with it.
struct UserOperator {
    UserOperator(UserFunction called, const Datatype& of, bool commutes);
    /// Refers to this object.
    detail::UserKernel kernel() const noexcept;
    /// Calls the function: inout = in op inout.
    void call(const void* in, void* inout, std::size_t count) const;

    UserFunction function;
    Ref<const Datatype> type;
    bool commutative;

private:
    std::optional<progress::Engine::Hold> hold_;  // empty at MPI_THREAD_MULTIPLE

    static void combine(const void* self, void* dst, const void* a, const void* b, std::size_t count);
    bool combine_in_place(std::byte* dst, const std::byte* a, const std::byte* b, std::size_t count) const;
    void combine_copies(std::byte* dst, const std::byte* a, const std::byte* b, std::size_t count) const;
};

}  // namespace tutti::mpi
