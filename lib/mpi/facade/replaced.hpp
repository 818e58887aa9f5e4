// Bodies of the facades' own: of functions that the standard has removed, and of some whose answers differ by
// more than constants. Arguments and results are in the standard's form.
#pragma once

#include <cstdint>

#include "lib/mpi/object/views.hpp"

namespace tutti::mpi::facade {

// Markers of MPI 1 for the ends of a structure, which the standard has no handles for.
inline constexpr std::uintptr_t kLowerBoundMarker = 0x2f0;
inline constexpr std::uintptr_t kUpperBoundMarker = 0x2f1;

int attr_get(MPI_Comm comm, int key, void* value, int* flag);
int buffer_attach(void* buffer, MPI_Count size);
int comm_get_attr(MPI_Comm comm, int key, void* value, int* flag);
int win_get_attr(MPI_Win window, int key, void* value, int* flag);
int get_version(int* version, int* subversion);
int get_library_version(char* version, int* length);
int type_create_struct(bool large, MPI_Count count, Counts lengths, const MPI_Count* displacements,
                       const MPI_Datatype* types, MPI_Datatype* made);
int type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                      int* integers, MPI_Aint* addresses, MPI_Datatype* datatypes);
int type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int* integers,
                        MPI_Aint* addresses, MPI_Count* large_counts, MPI_Datatype* datatypes);

int address(const void* location, MPI_Aint* address);
int errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler);
int errhandler_get(MPI_Comm comm, MPI_Errhandler* handler);
int errhandler_set(MPI_Comm comm, MPI_Errhandler handler);
int type_extent(MPI_Datatype datatype, MPI_Aint* extent);
int type_hindexed(int count, const int* lengths, const MPI_Aint* displacements, MPI_Datatype old,
                  MPI_Datatype* made);
int type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* made);
int type_lb(MPI_Datatype datatype, MPI_Aint* lower_bound);
int type_struct(int count, const int* lengths, const MPI_Aint* displacements, const MPI_Datatype* types,
                MPI_Datatype* made);
int type_ub(MPI_Datatype datatype, MPI_Aint* upper_bound);

}  // namespace tutti::mpi::facade
