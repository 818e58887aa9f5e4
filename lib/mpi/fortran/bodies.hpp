// Calls whose arguments differ in Fortran by more than their form. Their arguments are those of Fortran:
// addresses, and the lengths of strings at the end. `large`: in the form for large counts. All return error
// codes.
#pragma once

#include <cstddef>

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi::fortran {

/// A procedure of the program.
using Function = void();

int attr_get(const int* comm, const int* keyval, int* value, int* flag);
int attr_put(const int* comm, const int* keyval, const int* value);
int comm_get_attr(const int* comm, const int* keyval, MPI_Aint* value, int* flag);
int comm_set_attr(const int* comm, const int* keyval, const MPI_Aint* value);
int type_get_attr(const int* type, const int* keyval, MPI_Aint* value, int* flag);
int type_set_attr(const int* type, const int* keyval, const MPI_Aint* value);
int win_get_attr(const int* win, const int* keyval, MPI_Aint* value, int* flag);
int win_set_attr(const int* win, const int* keyval, const MPI_Aint* value);
int keyval_create(Function* copy, Function* remove, int* keyval, const int* extra_state);
int comm_create_keyval(Function* copy, Function* remove, int* keyval, const MPI_Aint* extra_state);
int type_create_keyval(Function* copy, Function* remove, int* keyval, const MPI_Aint* extra_state);
int win_create_keyval(Function* copy, Function* remove, int* keyval, const MPI_Aint* extra_state);

int op_create(bool large, Function* function, const int* commute, int* op);
int comm_create_errhandler(Function* function, int* errhandler);
int file_create_errhandler(Function* function, int* errhandler);
int session_create_errhandler(Function* function, int* errhandler);
int win_create_errhandler(Function* function, int* errhandler);
int grequest_start(Function* query, Function* free, Function* cancel, const MPI_Aint* extra_state,
                   int* request);
int register_datarep(bool large, const char* name, Function* read, Function* write, Function* extent,
                     const MPI_Aint* extra_state, std::size_t name_length);

int info_get(const int* info, const char* key, const int* valuelen, char* value, int* flag,
             std::size_t key_length, std::size_t value_length);
int info_get_string(const int* info, const char* key, int* buflen, char* value, int* flag,
                    std::size_t key_length, std::size_t value_length);
int session_get_nth_pset(const int* session, const int* info, const int* n, int* pset_len, char* pset_name,
                         std::size_t name_length);

}  // namespace tutti::mpi::fortran
