! What Tutti does not have: files, ports, spawned programs, sessions and partitioned messages. Each call is refused by
! an error, on Tutti alone.
subroutine group_absent()
    @use
    use report
    implicit none
    @include
    integer :: ierr, number, codes(2), buffer(4)
    integer(MPI_OFFSET_KIND) :: offset
    integer(ak) :: extent
    logical :: flag
    character(MPI_MAX_PORT_NAME) :: port
    character(20) :: arguments(2), many_arguments(2, 2), representation
    type(MPI_Comm) :: comm
    type(MPI_File) :: file
    type(MPI_Info) :: info
    type(MPI_Group) :: group
    type(MPI_Datatype) :: datatype, filetype
    type(MPI_Errhandler) :: handler
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    external :: never_called, on_error_of_file

    buffer = 0
    offset = 0
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
    call MPI_Register_datarep('tutti', never_called, never_called, never_called, 0_ak, ierr)
    call say_refused('MPI_Register_datarep', ierr)

    call MPI_File_open(MPI_COMM_SELF, 'none', MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierr)
    call say_refused('MPI_File_open', ierr)
    file = MPI_FILE_NULL
    call MPI_File_delete('none', MPI_INFO_NULL, ierr)
    call say_refused('MPI_File_delete', ierr)
    @file close(file)
    file = MPI_FILE_NULL
    @file set_size(file, offset)
    @file preallocate(file, offset)
    @file get_size(file, offset)
    @file get_group(file, group)
    @file get_amode(file, number)
    @file set_info(file, MPI_INFO_NULL)
    @file get_info(file, info)
    @file set_view(file, offset, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
    @file get_view(file, offset, datatype, filetype, representation)
    @file read(file, buffer, 1, MPI_INTEGER, status)
    @file write(file, buffer, 1, MPI_INTEGER, status)
    @file read_all(file, buffer, 1, MPI_INTEGER, status)
    @file write_all(file, buffer, 1, MPI_INTEGER, status)
    @file read_shared(file, buffer, 1, MPI_INTEGER, status)
    @file write_shared(file, buffer, 1, MPI_INTEGER, status)
    @file read_ordered(file, buffer, 1, MPI_INTEGER, status)
    @file write_ordered(file, buffer, 1, MPI_INTEGER, status)
    @file read_at(file, offset, buffer, 1, MPI_INTEGER, status)
    @file write_at(file, offset, buffer, 1, MPI_INTEGER, status)
    @file read_at_all(file, offset, buffer, 1, MPI_INTEGER, status)
    @file write_at_all(file, offset, buffer, 1, MPI_INTEGER, status)
    @file iread(file, buffer, 1, MPI_INTEGER, request)
    @file iwrite(file, buffer, 1, MPI_INTEGER, request)
    @file iread_all(file, buffer, 1, MPI_INTEGER, request)
    @file iwrite_all(file, buffer, 1, MPI_INTEGER, request)
    @file iread_shared(file, buffer, 1, MPI_INTEGER, request)
    @file iwrite_shared(file, buffer, 1, MPI_INTEGER, request)
    @file iread_at(file, offset, buffer, 1, MPI_INTEGER, request)
    @file iwrite_at(file, offset, buffer, 1, MPI_INTEGER, request)
    @file iread_at_all(file, offset, buffer, 1, MPI_INTEGER, request)
    @file iwrite_at_all(file, offset, buffer, 1, MPI_INTEGER, request)
    @file read_all_begin(file, buffer, 1, MPI_INTEGER)
    @file read_all_end(file, buffer, status)
    @file write_all_begin(file, buffer, 1, MPI_INTEGER)
    @file write_all_end(file, buffer, status)
    @file read_ordered_begin(file, buffer, 1, MPI_INTEGER)
    @file read_ordered_end(file, buffer, status)
    @file write_ordered_begin(file, buffer, 1, MPI_INTEGER)
    @file write_ordered_end(file, buffer, status)
    @file read_at_all_begin(file, offset, buffer, 1, MPI_INTEGER)
    @file read_at_all_end(file, buffer, status)
    @file write_at_all_begin(file, offset, buffer, 1, MPI_INTEGER)
    @file write_at_all_end(file, buffer, status)
    @file seek(file, offset, MPI_SEEK_SET)
    @file seek_shared(file, offset, MPI_SEEK_SET)
    @file get_position(file, offset)
    @file get_position_shared(file, offset)
    @file get_byte_offset(file, offset, offset)
    @file get_type_extent(file, MPI_INTEGER, extent)
    @file set_atomicity(file, .true.)
    @file get_atomicity(file, flag)
    @file sync(file)
    call MPI_File_create_errhandler(on_error_of_file, handler, ierr)
    call say('MPI_File_create_errhandler', ierr, handler /= MPI_ERRHANDLER_NULL)
    @file set_errhandler(file, MPI_ERRORS_RETURN)
    call MPI_File_get_errhandler(file, handler, ierr)
    call say('MPI_File_get_errhandler', ierr, handler == MPI_ERRORS_RETURN)
    call MPI_File_call_errhandler(file, MPI_ERR_OTHER, ierr)
    call say('MPI_File_call_errhandler', ierr)
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
