// The calls of the program's functions and error handlers. Behind a facade programs know
// handles, codes and statuses in another form, so each facade has its own of these: callbacks.cpp is that of
// the standard ABI.
#pragma once

#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/views.hpp"

namespace tutti::mpi {

struct ErrorHandler;
struct Generalized;

/// The class of an error as programs know it: those behind a facade do not know all.
int known_class(int error_class) noexcept;
/// The communicator whose error handler takes the errors of calls without one.
MPI_Comm comm_of_other_errors() noexcept;

void call_operator(const UserFunction& function, void* in, void* inout, MPI_Count count,
                   MPI_Datatype datatype);
void call_error_handler(const ErrorHandler& handler, MPI_Comm comm, int& code, const char* call);
void call_error_handler(const ErrorHandler& handler, MPI_File file, int& code, const char* call);
void call_error_handler(const ErrorHandler& handler, MPI_Win window, int& code, const char* call);
/// The handler MPI::ERRORS_THROW_EXCEPTIONS of the old C++ bindings, which only programs behind a facade
/// know. May throw.
void throw_error(MPI_Comm comm, int& code, const char* call);
void throw_error(MPI_File file, int& code, const char* call);
void throw_error(MPI_Win window, int& code, const char* call);

// The functions below return the code of the program's function.
int call_conversion(const ConversionFunction& function, void* user, MPI_Datatype datatype, MPI_Count count,
                    void* file, MPI_Offset position, void* extra_state);
int call_extent(MPI_Datarep_extent_function* function, MPI_Datatype datatype, MPI_Aint* extent,
                void* extra_state);
int call_copy(MPI_Comm_copy_attr_function* function, MPI_Comm comm, int key, void* extra_state, void* value,
              void* copied, int* is_copied);
int call_copy(MPI_Type_copy_attr_function* function, MPI_Datatype datatype, int key, void* extra_state,
              void* value, void* copied, int* is_copied);
int call_copy(MPI_Win_copy_attr_function* function, MPI_Win window, int key, void* extra_state, void* value,
              void* copied, int* is_copied);
int call_delete(MPI_Comm_delete_attr_function* function, MPI_Comm comm, int key, void* value,
                void* extra_state);
int call_delete(MPI_Type_delete_attr_function* function, MPI_Datatype datatype, int key, void* value,
                void* extra_state);
int call_delete(MPI_Win_delete_attr_function* function, MPI_Win window, int key, void* value,
                void* extra_state);
int call_query(const Generalized& request, MPI_Status* status);
int call_free(const Generalized& request);
int call_cancel(const Generalized& request, bool is_complete);

}  // namespace tutti::mpi
