! The module mpi_f08: handles and statuses with types of their own.
program fortran08
  use mpi_f08
  implicit none
  integer :: rank, ranks, ierr, count
  integer :: mine(2), got(2)
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  type(MPI_Comm) :: copy
  type(MPI_Datatype) :: pair

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_rank(copy, rank)
  call MPI_Comm_size(copy, ranks)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  mine = (/rank, -rank/)
  call MPI_Irecv(got, 1, pair, MPI_ANY_SOURCE, 3, copy, request)
  call MPI_Send(mine, 1, pair, mod(rank + 1, ranks), 3, copy)
  call MPI_Wait(request, status)
  call MPI_Get_count(status, pair, count)
  if (count /= 1 .or. status%MPI_SOURCE /= mod(rank + ranks - 1, ranks) .or. status%MPI_TAG /= 3) stop 1
  if (got(1) /= status%MPI_SOURCE .or. got(2) /= -got(1)) stop 2
  if (request /= MPI_REQUEST_NULL) stop 3
  call MPI_Allreduce(MPI_IN_PLACE, mine, 2, MPI_INTEGER, MPI_MAX, copy, ierr)
  if (mine(1) /= ranks - 1 .or. mine(2) /= 0) stop 4
  call MPI_Type_free(pair)
  call MPI_Comm_free(copy)
  call MPI_Finalize()
end program
