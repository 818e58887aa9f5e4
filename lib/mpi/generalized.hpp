// Generalized requests: the program begins and ends the operation, and says by functions how it ended.
#pragma once

#include "lib/mpi/request.hpp"

namespace tutti::mpi {

/// Its functions are called without the lock.
struct Generalized final : FaceRequest {
    Generalized(MPI_Grequest_query_function* how_it_ended, MPI_Grequest_free_function* ends,
                MPI_Grequest_cancel_function* cancels, void* state) noexcept;

    Generalized* generalized() noexcept override { return this; }
    int let_go(progress::Engine::Lock& lock) override;
    std::exception_ptr failure() override { return nullptr; }
    void recycle() noexcept override { delete this; }

    MPI_Grequest_query_function* const query_function;
    MPI_Grequest_free_function* const free_function;
    MPI_Grequest_cancel_function* const cancel_function;
    void* const extra_state;
    bool has_handle = true;

    /// Where Open MPI's library for Fortran says that the functions are Fortran's: so far from the handle.
    static constexpr std::size_t kLanguageOffset = 0xc0;
    std::byte unused_too[kLanguageOffset - kFortranOffset - 5 * sizeof(void*) - 1]{};
    bool is_of_c = true;
};

/// nullptr for requests of another kind and inactive ones. Throws Failure for what is no request.
Generalized* generalized_of(MPI_Request request);

/// How a completed one ended. Under the lock, which is released for the program's function.
Completed query(progress::Engine::Lock& lock, Generalized& request);
/// Calls the program's function and frees a completed one. Likewise. The function's code.
int end(progress::Engine::Lock& lock, Generalized& request);

}  // namespace tutti::mpi
