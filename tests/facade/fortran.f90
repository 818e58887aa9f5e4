! What a library for Fortran asks of the library below it: integers for handles, sentinels by address, functions of the
! program, attributes, error handlers.
module callbacks
  use mpi
  implicit none
  integer :: handled = 0
  integer :: copied = 0
contains
  subroutine combine(in, inout, length, datatype)
    integer :: length, datatype
    integer :: in(length), inout(length)
    integer :: i
    if (datatype /= MPI_INTEGER) stop 91
    do i = 1, length
      inout(i) = max(in(i), inout(i)) + 1
    end do
  end subroutine
  subroutine on_error(comm, code)
    integer :: comm, code, ierr
    if (comm /= MPI_COMM_WORLD) stop 92
    call MPI_Error_class(code, handled, ierr)
  end subroutine
  subroutine copy(comm, key, extra, from, to, flag, ierr)
    integer :: comm, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: extra, from, to
    logical :: flag
    copied = copied + 1
    to = from + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
end module

program fortran
  use callbacks
  implicit none
  integer :: ierr, rank, ranks, next, i, key, made, group, op, handler, length, request(2), both, provided
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  integer :: numbers(4), more(4)
  integer(kind=MPI_ADDRESS_KIND) :: value, extra, place
  logical :: flag
  double precision :: seconds
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=MPI_MAX_ERROR_STRING) :: words

  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierr)
  call check(ierr == MPI_SUCCESS .and. provided >= MPI_THREAD_SERIALIZED, 1)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  seconds = MPI_Wtime()
  call check(seconds > 0, 2)

  ! In place, and a function of the program's.
  numbers = rank
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call check(all(numbers == ranks * (ranks - 1) / 2), 3)
  call MPI_Op_create(combine, .true., op, ierr)
  numbers = 5
  call MPI_Allreduce(numbers, more, 4, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call check(all(more > 5 .or. ranks == 1), 4)
  call MPI_Op_free(op, ierr)
  call check(op == MPI_OP_NULL, 5)

  ! Wildcards, statuses and arrays of them.
  next = mod(rank + 1, ranks)
  call MPI_Irecv(more, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request(1), ierr)
  call MPI_Isend(numbers, 3, MPI_INTEGER, next, 17, MPI_COMM_WORLD, request(2), ierr)
  call MPI_Waitall(2, request, statuses, ierr)
  call check(ierr == MPI_SUCCESS .and. all(request == MPI_REQUEST_NULL), 6)
  call check(statuses(MPI_SOURCE, 1) == mod(rank + ranks - 1, ranks) .and. statuses(MPI_TAG, 1) == 17, 7)
  call MPI_Get_count(statuses(:, 1), MPI_INTEGER, length, ierr)
  call check(length == 3, 8)
  call MPI_Sendrecv(numbers, 1, MPI_INTEGER, MPI_PROC_NULL, 1, more, 1, MPI_INTEGER, MPI_PROC_NULL, 1, &
                    MPI_COMM_WORLD, status, ierr)
  call check(status(MPI_SOURCE) == MPI_PROC_NULL, 9)
  call MPI_Sendrecv(numbers, 1, MPI_INTEGER, rank, 1, more, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPI_SUCCESS .and. more(1) == numbers(1), 10)

  ! A datatype of absolute addresses, from MPI_BOTTOM.
  call MPI_Get_address(numbers, place, ierr)
  call MPI_Type_create_hindexed(1, (/2/), (/place/), MPI_INTEGER, made, ierr)
  call MPI_Type_commit(made, ierr)
  numbers = rank
  if (rank == 0) numbers = 42
  call MPI_Bcast(MPI_BOTTOM, 1, made, 0, MPI_COMM_WORLD, ierr)
  call check(numbers(1) == 42 .and. numbers(2) == 42 .and. (rank == 0 .or. numbers(3) == rank), 11)
  call MPI_Type_free(made, ierr)
  call check(made == MPI_DATATYPE_NULL, 12)

  ! Communicators, groups and names.
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, both, ierr)
  call MPI_Comm_size(both, length, ierr)
  call check(length == (ranks + 1 - mod(rank, 2)) / 2, 13)
  call MPI_Comm_set_name(both, 'half', ierr)
  call MPI_Comm_get_name(both, name, length, ierr)
  call check(name == 'half' .and. length == 4, 14)
  call MPI_Comm_group(both, group, ierr)
  call MPI_Group_compare(group, MPI_GROUP_EMPTY, i, ierr)
  call check(i == MPI_UNEQUAL, 15)
  call MPI_Group_free(group, ierr)
  call MPI_Comm_free(both, ierr)
  call check(both == MPI_COMM_NULL, 16)

  ! Attributes: a predefined one, and one with functions of the program's.
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  call check(flag .and. value >= 32767, 17)
  extra = 3
  call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  value = 1000
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, both, ierr)
  call MPI_Comm_get_attr(both, key, value, flag, ierr)
  call check(flag .and. value == 1003 .and. copied == 1, 18)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierr)
  call check(flag .and. value == 1000, 19)
  call MPI_Comm_free(both, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  call check(key == MPI_KEYVAL_INVALID, 20)

  ! Errors.
  call MPI_Comm_create_errhandler(on_error, handler, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierr)
  call MPI_Send(numbers, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, ierr)
  call check(ierr /= MPI_SUCCESS .and. handled == MPI_ERR_RANK, 21)
  call MPI_Error_string(ierr, words, length, i)
  call check(index(words, 'MPI_Send') == 1, 22)
  call MPI_Errhandler_free(handler, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine check(holds, number)
    logical :: holds
    integer :: number
    if (.not. holds) then
      print *, 'rank', rank, ': check', number, 'failed'
      call MPI_Abort(MPI_COMM_WORLD, 90, ierr)
    end if
  end subroutine
end program
