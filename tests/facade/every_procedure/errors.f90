! Error handlers, their functions, and what wrong calls answer.
module errors_functions
    implicit none
    integer, save :: seen(2) = -1
contains
    subroutine on_error(comm, code)
        @use
        @include
        type(MPI_Comm) :: comm
        integer :: code, ierr
        seen(1) = -2
        if (comm == MPI_COMM_WORLD) seen(1) = 1
        if (comm == MPI_COMM_SELF) seen(1) = 2
        call MPI_Error_class(code, seen(2), ierr)
    end subroutine
    subroutine on_win_error(win, code)
        @use
        @include
        type(MPI_Win) :: win
        integer :: code, ierr
        seen(1) = merge(3, -2, win /= MPI_WIN_NULL)
        call MPI_Error_class(code, seen(2), ierr)
    end subroutine
    subroutine on_file_error(file, code)
        @use
        @include
        type(MPI_File) :: file
        integer :: code, ierr
        seen(1) = 4
        call MPI_Error_class(code, seen(2), ierr)
    end subroutine
end module

subroutine group_errors()
    @use
    use report
    use errors_functions
    implicit none
    @include
    integer :: ierr, number
    type(MPI_Errhandler) :: handler, before
    type(MPI_Win) :: win
    type(MPI_Comm) :: comm
    type(MPI_Group) :: group
    type(MPI_Datatype) :: made
    logical :: flag

    call MPI_Comm_create_errhandler(on_error, handler, ierr)
    call say('MPI_Comm_create_errhandler', ierr, handler /= MPI_ERRHANDLER_NULL)
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, before, ierr)
    call say('MPI_Comm_get_errhandler', ierr, before == MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierr)
    call say('MPI_Comm_set_errhandler', ierr)
    call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER, ierr)
    call say('MPI_Comm_call_errhandler', ierr, seen)
    seen = -1
    call MPI_Comm_rank(MPI_COMM_WORLD, number, ierr)
    call say('MPI_Comm_rank', ierr, seen)
    call MPI_Send(number, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, ierr)
    call say('MPI_Send to no rank', ierr, seen)
    seen = -1
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierr)
    call MPI_Send(number, -1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierr)
    call say('MPI_Send of less than nothing', ierr, seen)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, before, ierr)
    call say('MPI_Comm_get_errhandler', ierr, before == handler)
    call MPI_Errhandler_free(before, ierr)
    call say('MPI_Errhandler_free', ierr, before == MPI_ERRHANDLER_NULL)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call say('MPI_Errhandler_free', ierr, handler == MPI_ERRHANDLER_NULL)
#ifndef F08
    seen = -1
    call MPI_Errhandler_create(on_error, handler, ierr)
    call say('MPI_Errhandler_create', ierr, handler /= MPI_ERRHANDLER_NULL)
    call MPI_Errhandler_set(MPI_COMM_SELF, handler, ierr)
    call say('MPI_Errhandler_set', ierr)
    call MPI_Errhandler_get(MPI_COMM_SELF, before, ierr)
    call say('MPI_Errhandler_get', ierr, before == handler)
    call MPI_Send(number, 1, MPI_INTEGER, 1, 0, MPI_COMM_SELF, ierr)
    call say('MPI_Send to no rank', ierr, seen)
    call MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    call MPI_Errhandler_free(handler, ierr)
#endif

    if (ranks > 1) call of_windows()  ! Open MPI has no windows of one rank here

    ! Wrong calls, by the class of their error.
    call MPI_Send(number, 1, MPI_INTEGER, 0, -5, MPI_COMM_WORLD, ierr)
    call say('MPI_Send with a wrong tag', ierr)
    call MPI_Send(number, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, ierr)
    call say('MPI_Send without a type', ierr)
    call MPI_Send(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_NULL, ierr)
    call say('MPI_Send without a communicator', ierr)
    call MPI_Bcast(number, 1, MPI_INTEGER, ranks, MPI_COMM_WORLD, ierr)
    call say('MPI_Bcast from no rank', ierr)
    call MPI_Comm_group(MPI_COMM_NULL, group, ierr)
    call say('MPI_Comm_group of nothing', ierr)
    call MPI_Group_size(MPI_GROUP_NULL, number, ierr)
    call say('MPI_Group_size of nothing', ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
    call MPI_Group_incl(group, 1, (/ ranks /), group, ierr)
    call say('MPI_Group_incl of no rank', ierr)
    call MPI_Type_contiguous(-1, MPI_INTEGER, made, ierr)
    call say('MPI_Type_contiguous of less than nothing', ierr)
    comm = MPI_COMM_NULL
    call MPI_Comm_free(comm, ierr)
    call say('MPI_Comm_free of nothing', ierr)
    call MPI_Cart_rank(MPI_COMM_WORLD, (/ 0 /), number, ierr)
    call say('MPI_Cart_rank without a grid', ierr)
    call MPI_Comm_test_inter(MPI_COMM_NULL, flag, ierr)
    call say('MPI_Comm_test_inter of nothing', ierr)

contains

    subroutine of_windows()
        seen = -1
        call MPI_Win_create_errhandler(on_win_error, handler, ierr)
        call say('MPI_Win_create_errhandler', ierr, handler /= MPI_ERRHANDLER_NULL)
        call MPI_Win_create(number, 4_ak, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
        call MPI_Win_set_errhandler(win, handler, ierr)
        call say('MPI_Win_set_errhandler', ierr)
        call MPI_Win_get_errhandler(win, before, ierr)
        call say('MPI_Win_get_errhandler', ierr, before == handler)
        call MPI_Win_call_errhandler(win, MPI_ERR_OTHER, ierr)
        call say('MPI_Win_call_errhandler', ierr, seen)
        call MPI_Win_free(win, ierr)
        call MPI_Errhandler_free(handler, ierr)
    end subroutine
end subroutine
