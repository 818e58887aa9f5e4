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

  ! A row again: what comes to it is lost, were it not for the check.
  subroutine spread_row(field, request)
    include 'mpif.h'
    integer, intent(inout) :: field(:, :)
    integer, intent(out) :: request
    integer :: ierror
    call MPI_Ibcast(field(3, :), size(field, 2), MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
  end subroutine

  subroutine put_row(field, rank, window)
    include 'mpif.h'
    integer, intent(inout) :: field(:, :)
    integer, intent(in) :: rank, window
    integer(MPI_ADDRESS_KIND), parameter :: place = 0
    integer :: ierror
    call MPI_Win_fence(0, window, ierror)
    call MPI_Put(field(5, :), size(field, 2), MPI_INTEGER, 1 - rank, place, size(field, 2), MPI_INTEGER, window, &
                 ierror)
    call MPI_Win_fence(0, window, ierror)
  end subroutine

  subroutine write_row(field, file, request)
    include 'mpif.h'
    integer, intent(inout) :: field(:, :)
    integer, intent(in) :: file
    integer, intent(out) :: request
    integer(MPI_OFFSET_KIND), parameter :: place = 0
    integer :: ierror
    call MPI_File_iwrite_at(file, place, field(7, :), size(field, 2), MPI_INTEGER, request, ierror)
  end subroutine

  subroutine lend_rows(field, rank)
    include 'mpif.h'
    integer, intent(inout) :: field(:, :)
    integer, intent(in) :: rank
    integer :: memory(1000), ierror, requests(2), window, file
    integer(MPI_ADDRESS_KIND), parameter :: bytes = 4000
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
    call MPI_File_open(MPI_COMM_SELF, 'rows.data' // achar(iachar('0') + rank), &
                       ior(MPI_MODE_CREATE, ior(MPI_MODE_WRONLY, MPI_MODE_DELETE_ON_CLOSE)), MPI_INFO_NULL, file, &
                       ierror)
    call spread_row(field, requests(1))
    call write_row(field, file, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    call put_row(field, rank, window)
    call MPI_File_close(file, ierror)
    call MPI_Win_free(window, ierror)
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
  if (which == 'rows') call lend_rows(field, rank)
  if (which == 'hang') call wait_for_each_other(rank)
  call MPI_Finalize(ierror)
end program
