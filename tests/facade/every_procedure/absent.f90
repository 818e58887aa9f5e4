! What Tutti does not have: ports, spawned programs, sessions and partitioned messages. Each call is refused by an error,
! on Tutti alone.
subroutine group_absent()
    @use
    use report
    implicit none
    @include
    integer :: ierr, number, codes(2), buffer(4)
    logical :: flag
    character(MPI_MAX_PORT_NAME) :: port
    character(20) :: arguments(2), many_arguments(2, 2)
    type(MPI_Comm) :: comm
    type(MPI_Info) :: info
    type(MPI_Group) :: group
    type(MPI_Errhandler) :: handler
    type(MPI_Request) :: request

    buffer = 0
    arguments = ' '
    arguments(1) = 'one'
    many_arguments = ' '
    port = 'tag#0$description#none$'
    call MPI_Open_port(MPI_INFO_NULL, port, ierr)
    call say_refused('MPI_Open_port', ierr)
    call MPI_Publish_name('tutti', MPI_INFO_NULL, port, ierr)
    call say_refused('MPI_Publish_name', ierr)
    call MPI_Lookup_name('tutti', MPI_INFO_NULL, port, ierr)
    call say_refused('MPI_Lookup_name', ierr)
    call MPI_Unpublish_name('tutti', MPI_INFO_NULL, port, ierr)
    call say_refused('MPI_Unpublish_name', ierr)
    call MPI_Close_port(port, ierr)
    call say_refused('MPI_Close_port', ierr)
    call MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, ierr)
    call say_refused('MPI_Comm_accept', ierr)
    call MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, ierr)
    call say_refused('MPI_Comm_connect', ierr)
    call MPI_Comm_join(0, comm, ierr)
    call say_refused('MPI_Comm_join', ierr)
    call MPI_Comm_spawn('true', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, codes, ierr)
    call say_refused('MPI_Comm_spawn', ierr)
    call MPI_Comm_spawn('true', arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, MPI_ERRCODES_IGNORE, ierr)
    call say_refused('MPI_Comm_spawn', ierr)
    call MPI_Comm_spawn_multiple(2, arguments, MPI_ARGVS_NULL, (/ 1, 1 /), (/ MPI_INFO_NULL, MPI_INFO_NULL /), 0, &
                                 MPI_COMM_SELF, comm, MPI_ERRCODES_IGNORE, ierr)
    call say_refused('MPI_Comm_spawn_multiple', ierr)
    call MPI_Comm_spawn_multiple(2, arguments, many_arguments, (/ 1, 1 /), (/ MPI_INFO_NULL, MPI_INFO_NULL /), 0, &
                                 MPI_COMM_SELF, comm, codes, ierr)
    call say_refused('MPI_Comm_spawn_multiple', ierr)
#ifdef MPICH
    call sessions()
    call partitioned()

contains

    subroutine sessions()
        type(MPI_Session) :: session
        type(MPI_Group) :: none
        character(40) :: name
        external :: on_error_of_session
        call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierr)
        call say_refused('MPI_Session_init', ierr)
        ! MPI_SESSION_NULL, which this family's Fortran does not name.
#ifdef F08
        session%MPI_VAL = int(z'38000000')
#else
        session = int(z'38000000')
#endif
        call MPI_Session_get_num_psets(session, MPI_INFO_NULL, number, ierr)
        call say_refused('MPI_Session_get_num_psets', ierr)
        number = 40
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, number, name, ierr)
        call say_refused('MPI_Session_get_nth_pset', ierr)
        call MPI_Session_get_info(session, info, ierr)
        call say_refused('MPI_Session_get_info', ierr)
        call MPI_Session_get_pset_info(session, 'mpi://WORLD', info, ierr)
        call say_refused('MPI_Session_get_pset_info', ierr)
        call MPI_Session_create_errhandler(on_error_of_session, handler, ierr)
        call say_refused('MPI_Session_create_errhandler', ierr)
        call MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN, ierr)
        call say_refused('MPI_Session_set_errhandler', ierr)
        call MPI_Session_get_errhandler(session, handler, ierr)
        call say_refused('MPI_Session_get_errhandler', ierr)
        call MPI_Session_call_errhandler(session, MPI_ERR_OTHER, ierr)
        call say_refused('MPI_Session_call_errhandler', ierr)
        call MPI_Group_from_session_pset(session, 'mpi://WORLD', none, ierr)
        call say_refused('MPI_Group_from_session_pset', ierr)
        call MPI_Session_finalize(session, ierr)
        call say_refused('MPI_Session_finalize', ierr)
    end subroutine

    subroutine partitioned()
        call MPI_Psend_init(buffer, 2, 1_8, MPI_INTEGER, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
        call say_refused('MPI_Psend_init', ierr)
        call MPI_Precv_init(buffer, 2, 1_8, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
        call say_refused('MPI_Precv_init', ierr)
        request = MPI_REQUEST_NULL
        call MPI_Pready(0, request, ierr)
        call say_refused('MPI_Pready', ierr)
        call MPI_Pready_range(0, 1, request, ierr)
        call say_refused('MPI_Pready_range', ierr)
        call MPI_Pready_list(2, (/ 0, 1 /), request, ierr)
        call say_refused('MPI_Pready_list', ierr)
#ifndef MPI
        ! The module mpi has a wrong type for its flag.
        call MPI_Parrived(request, 0, flag, ierr)
        call say_refused('MPI_Parrived', ierr)
#endif
    end subroutine
#endif
end subroutine
