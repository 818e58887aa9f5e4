subroutine on_error_of_file(file, code)
    @use
    use report
    @include
    type(MPI_File) :: file
    integer :: code
    call say('error handler of a file', code, file /= MPI_FILE_NULL)
end subroutine
! Never called.
#ifdef MPICH
subroutine on_error_of_session(session, code)
    @use
    @include
    type(MPI_Session) :: session
    integer :: code
end subroutine
#endif
subroutine never_called()
end subroutine
