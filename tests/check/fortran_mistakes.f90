! Mistakes in Fortran, through mpif.h: the argument says which.
module halo
contains
  ! A row of a matrix, of which the compiler passes a copy.
  subroutine exchange(field, rank, requests)
    include 'mpif.h'
    integer, intent(inout) :: field(:, :)
    integer, intent(in) :: rank
    integer, intent(out) :: requests(2)
    integer :: ierror
    requests = MPI_REQUEST_NULL
    if (rank == 0) then
      call MPI_Isend(field(3, :), size(field, 2), MPI_INTEGER, 1, 7, MPI_COMM_WORLD, requests(1), ierror)
    else if (rank == 1) then
      call MPI_Irecv(field(3, :), size(field, 2), MPI_INTEGER, 0, 7, MPI_COMM_WORLD, requests(1), ierror)
    end if
  end subroutine

  ! A column, which is passed itself.
  subroutine exchange_column(field, rank, requests)
    include 'mpif.h'
    integer, intent(inout) :: field(:, :)
    integer, intent(in) :: rank
    integer, intent(out) :: requests(2)
    integer :: ierror
    requests = MPI_REQUEST_NULL
    if (rank == 0) then
      call MPI_Isend(field(1, 3), size(field, 1), MPI_INTEGER, 1, 7, MPI_COMM_WORLD, requests(1), ierror)
    else if (rank == 1) then
      call MPI_Irecv(field(1, 3), size(field, 1), MPI_INTEGER, 0, 7, MPI_COMM_WORLD, requests(1), ierror)
    end if
  end subroutine

  subroutine wait_for_each_other(rank)
    include 'mpif.h'
    integer, intent(in) :: rank
    integer :: value, ierror
    call MPI_Recv(value, 1, MPI_INTEGER, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end subroutine
end module

program mistakes
  use halo
  include 'mpif.h'
  integer, allocatable :: field(:, :)
  integer :: rank, ierror, requests(2)
  character(len=20) :: which
  call get_command_argument(1, which)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  allocate(field(1000, 1000))
  field = rank
  if (which == 'section') call exchange(field, rank, requests)
  if (which == 'column') call exchange_column(field, rank, requests)
  if (which == 'section' .or. which == 'column') call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  if (which == 'hang') call wait_for_each_other(rank)
  call MPI_Finalize(ierror)
end program
