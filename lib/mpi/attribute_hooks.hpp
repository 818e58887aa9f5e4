// What happens to a communicator's attributes when it is duplicated or freed. Both functions call the
// program's callbacks, not under the engine's lock, and return MPI_SUCCESS or the code of the first one that
// fails.
#pragma once

namespace tutti::mpi {

struct Communicator;

/// `to` has no attributes yet, and those copied so far after a failure.
int copy_attributes(const Communicator& from, Communicator& to);
int delete_attributes(Communicator& of);

}  // namespace tutti::mpi
