! Never called.
subroutine on_error_of_file(file, code)
    @use
    @include
    type(MPI_File) :: file
    integer :: code
end subroutine
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
