! The part in Fortran of languages.cpp, which calls these by their names for the linker. Handles are integers here.

! In this algebra a and b give (1 + a)(1 + b) - 1.
subroutine join(in, inout, length, datatype)
  include 'mpif.h'
  integer, intent(in) :: length, datatype
  integer, intent(in) :: in(length)
  integer, intent(inout) :: inout(length)
  if (datatype /= MPI_INTEGER .and. datatype /= MPI_INT) stop 'the operator got another datatype'
  inout = in + inout + in * inout
end subroutine

subroutine fortran_op_create(op)
  include 'mpif.h'
  integer, intent(out) :: op
  integer :: ierror
  external :: join
  call MPI_Op_create(join, .true., op, ierror)
end subroutine

! By an operator of either language.
subroutine fortran_allreduce(value, total, op, comm, ierror)
  include 'mpif.h'
  integer, intent(in) :: value, op, comm
  integer, intent(out) :: total, ierror
  call MPI_Allreduce(value, total, 1, MPI_INTEGER, op, comm, ierror)
end subroutine

subroutine note_error(comm, code)
  integer, intent(in) :: comm, code
  integer :: noted_comm, noted_code
  common /noted/ noted_comm, noted_code
  noted_comm = comm
  noted_code = code
end subroutine

subroutine fortran_noted(comm, code)
  integer, intent(out) :: comm, code
  integer :: noted_comm, noted_code
  common /noted/ noted_comm, noted_code
  comm = noted_comm
  code = noted_code
end subroutine

subroutine fortran_errhandler_create(handler)
  include 'mpif.h'
  integer, intent(out) :: handler
  integer :: ierror
  external :: note_error
  call MPI_Comm_create_errhandler(note_error, handler, ierror)
end subroutine

! To a rank that there is not.
subroutine fortran_send_wrong(comm, ierror)
  include 'mpif.h'
  integer, intent(in) :: comm
  integer, intent(out) :: ierror
  integer :: ranks, value
  call MPI_Comm_size(comm, ranks, ierror)
  value = 0
  call MPI_Send(value, 1, MPI_INTEGER, ranks, 0, comm, ierror)
end subroutine

subroutine fortran_isend(value, to, tag, comm, request)
  include 'mpif.h'
  integer, intent(in) :: value, to, tag, comm
  integer, intent(out) :: request
  integer :: ierror
  call MPI_Isend(value, 1, MPI_INTEGER, to, tag, comm, request, ierror)
end subroutine

subroutine fortran_recv(value, from, tag, comm, status)
  include 'mpif.h'
  integer, intent(in) :: from, tag, comm
  integer, intent(out) :: value, status(MPI_STATUS_SIZE)
  integer :: ierror
  call MPI_Recv(value, 1, MPI_INTEGER, from, tag, comm, status, ierror)
end subroutine

subroutine fortran_dup(comm, copy)
  include 'mpif.h'
  integer, intent(in) :: comm
  integer, intent(out) :: copy
  integer :: ierror
  call MPI_Comm_dup(comm, copy, ierror)
end subroutine

subroutine fortran_comm_free(comm)
  include 'mpif.h'
  integer, intent(inout) :: comm
  integer :: ierror
  call MPI_Comm_free(comm, ierror)
  if (comm /= MPI_COMM_NULL) stop 'a freed communicator is not null'
end subroutine
