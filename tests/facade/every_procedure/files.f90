! One file of all ranks, and calls that are refused.
subroutine group_files()
    @use
    use report
    implicit none
    @include
    integer, parameter :: fk = MPI_OFFSET_KIND
    integer :: ierr, number, words(4), got(4), all
    integer(fk) :: offset, place
    integer(ak) :: extent
    logical :: flag
    character(1000) :: folder
    character(MPI_MAX_DATAREP_STRING) :: representation
    type(MPI_File) :: file
    type(MPI_Info) :: info
    type(MPI_Group) :: group
    type(MPI_Datatype) :: etype, filetype
    type(MPI_Errhandler) :: handler
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    external :: never_called, on_error_of_file

    call get_command_argument(1, folder)
    words = (/ rank, rank + 10, rank + 20, rank + 30 /)
    all = 4 * ranks
    call MPI_File_open(MPI_COMM_WORLD, trim(folder) // '/none', MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierr)
    call say('MPI_File_open', ierr)
    call MPI_File_open(MPI_COMM_WORLD, trim(folder) // '/data ', MPI_MODE_RDWR + MPI_MODE_CREATE, MPI_INFO_NULL, file, ierr)
    call say('MPI_File_open', ierr)
    call MPI_File_get_amode(file, number, ierr)
    call say('MPI_File_get_amode', ierr, number == MPI_MODE_RDWR + MPI_MODE_CREATE)
    call MPI_File_get_group(file, group, ierr)
    call MPI_Group_size(group, number, ierr)
    call say('MPI_File_get_group', ierr, number)
    call MPI_Group_free(group, ierr)
    offset = 4 * 4 * all
    call MPI_File_preallocate(file, offset, ierr)
    call say('MPI_File_preallocate', ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    offset = 4 * all
    call MPI_File_set_size(file, offset, ierr)
    call say('MPI_File_set_size', ierr)
    call MPI_File_get_size(file, place, ierr)
    call say('MPI_File_get_size', ierr, place == offset)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_get_info(file, info, ierr)
    call say('MPI_File_get_info', ierr)
    call MPI_File_set_info(file, info, ierr)
    call say('MPI_File_set_info', ierr)
    call MPI_Info_free(info, ierr)
    offset = 4
    call MPI_File_set_view(file, offset, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
    call say('MPI_File_set_view', ierr)
    call MPI_File_get_view(file, place, etype, filetype, representation, ierr)
    call say('MPI_File_get_view', ierr, trim(representation))
    call say('MPI_File_get_view', ierr, (/ place == 4, etype == MPI_INTEGER, filetype == MPI_INTEGER /))
    call MPI_File_get_byte_offset(file, 3_fk, place, ierr)
    call say('MPI_File_get_byte_offset', ierr, int(place))
    call MPI_File_get_type_extent(file, MPI_INTEGER, extent, ierr)
    call say('MPI_File_get_type_extent', ierr, int(extent))
    call MPI_File_set_atomicity(file, .true., ierr)
    call MPI_File_get_atomicity(file, flag, ierr)
    call say('MPI_File_get_atomicity', ierr, flag)
    call MPI_File_set_atomicity(file, .false., ierr)
    call MPI_File_get_atomicity(file, flag, ierr)
    call say('MPI_File_get_atomicity', ierr, flag)

    offset = 4 * rank
    call MPI_File_write_at(file, offset, words, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_write_at', words)
    call synced()
    call MPI_File_read_at(file, int(4 * right, fk), got, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_read_at', got)
    call next()
    call MPI_File_write_at_all(file, offset, words, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_write_at_all', words)
    call synced()
    call MPI_File_read_at_all(file, int(4 * right, fk), got, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_read_at_all', got)
    call next()
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_write(file, words, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_write', words)
    call MPI_File_get_position(file, place, ierr)
    call say('MPI_File_get_position', ierr, int(place))
    call MPI_File_seek(file, -4_fk, MPI_SEEK_CUR, ierr)
    call say('MPI_File_seek', ierr)
    call synced()
    call MPI_File_read(file, got, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_read', got)
    call next()
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_write_all(file, words, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_write_all', words)
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_read_all(file, got, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_read_all', got)
    call next()

    call MPI_File_iwrite_at(file, offset, words, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iwrite_at', words)
    call MPI_File_iread_at(file, offset, got, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iread_at', got)
    call next()
    call MPI_File_iwrite_at_all(file, offset, words, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iwrite_at_all', words)
    call MPI_File_iread_at_all(file, offset, got, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iread_at_all', got)
    call next()
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_iwrite(file, words, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iwrite', words)
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_iread(file, got, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iread', got)
    call next()
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_iwrite_all(file, words, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iwrite_all', words)
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_iread_all(file, got, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iread_all', got)
    call next()

    call MPI_File_write_at_all_begin(file, offset, words, 4, MPI_INTEGER, ierr)
    call MPI_File_write_at_all_end(file, words, status, ierr)
    call done('MPI_File_write_at_all_end', words)
    call synced()
    call MPI_File_read_at_all_begin(file, offset, got, 4, MPI_INTEGER, ierr)
    call MPI_File_read_at_all_end(file, got, status, ierr)
    call done('MPI_File_read_at_all_end', got)
    call next()
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_write_all_begin(file, words, 4, MPI_INTEGER, ierr)
    call MPI_File_write_all_end(file, words, status, ierr)
    call done('MPI_File_write_all_end', words)
    call MPI_File_seek(file, offset, MPI_SEEK_SET, ierr)
    call MPI_File_read_all_begin(file, got, 4, MPI_INTEGER, ierr)
    call MPI_File_read_all_end(file, got, status, ierr)
    call done('MPI_File_read_all_end', got)
    call next()

    call MPI_File_seek_shared(file, 0_fk, MPI_SEEK_SET, ierr)
    call say('MPI_File_seek_shared', ierr)
    call MPI_File_write_ordered(file, words, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_write_ordered', words)
    call synced()
    call MPI_File_get_position_shared(file, place, ierr)
    call say('MPI_File_get_position_shared', ierr, int(place))
    call synced()
    call MPI_File_seek_shared(file, 0_fk, MPI_SEEK_SET, ierr)
    call MPI_File_read_ordered(file, got, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_read_ordered', got)
    call next()
    call MPI_File_seek_shared(file, 0_fk, MPI_SEEK_SET, ierr)
    call MPI_File_write_ordered_begin(file, words, 4, MPI_INTEGER, ierr)
    call MPI_File_write_ordered_end(file, words, status, ierr)
    call done('MPI_File_write_ordered_end', words)
    call synced()
    call MPI_File_seek_shared(file, 0_fk, MPI_SEEK_SET, ierr)
    call MPI_File_read_ordered_begin(file, got, 4, MPI_INTEGER, ierr)
    call MPI_File_read_ordered_end(file, got, status, ierr)
    call done('MPI_File_read_ordered_end', got)
    call next()
    ! All ranks write the same, since any may be first.
    words = 5
    call MPI_File_seek_shared(file, 0_fk, MPI_SEEK_SET, ierr)
    call MPI_File_write_shared(file, words, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_write_shared', words)
    call synced()
    call MPI_File_seek_shared(file, 0_fk, MPI_SEEK_SET, ierr)
    call MPI_File_read_shared(file, got, 4, MPI_INTEGER, status, ierr)
    call done('MPI_File_read_shared', got)
    call synced()
    call MPI_File_seek_shared(file, 0_fk, MPI_SEEK_SET, ierr)
    call MPI_File_iwrite_shared(file, words, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iwrite_shared', words)
    call synced()
    call MPI_File_seek_shared(file, 0_fk, MPI_SEEK_SET, ierr)
    call MPI_File_iread_shared(file, got, 4, MPI_INTEGER, request, ierr)
    call waited('MPI_File_iread_shared', got)
    call synced()

    call MPI_File_get_errhandler(file, handler, ierr)
    call say('MPI_File_get_errhandler', ierr, handler == MPI_ERRORS_RETURN)
    call MPI_File_create_errhandler(on_error_of_file, handler, ierr)
    call say('MPI_File_create_errhandler', ierr, handler /= MPI_ERRHANDLER_NULL)
    call MPI_File_set_errhandler(file, handler, ierr)
    call say('MPI_File_set_errhandler', ierr)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_File_call_errhandler(file, MPI_ERR_OTHER, ierr)
    call say('MPI_File_call_errhandler', ierr)
    call MPI_File_close(file, ierr)
    call say('MPI_File_close', ierr, file == MPI_FILE_NULL)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) then
        call MPI_File_delete(trim(folder) // '/data', MPI_INFO_NULL, ierr)
        call say('MPI_File_delete', ierr)
        call MPI_File_delete(trim(folder) // '/data', MPI_INFO_NULL, ierr)
        call say('MPI_File_delete', ierr)
    end if
    if (is_on_tutti()) then
        call MPI_Register_datarep('tutti', never_called, never_called, never_called, 0_ak, ierr)
        if (ierr /= 0) call say('MPI_Register_datarep', ierr)
    end if

contains

    ! Elements that were moved, and what they are.
    subroutine done(name, values)
        character(*), intent(in) :: name
        integer, intent(in) :: values(:)
        integer :: count, code
        code = ierr
        call MPI_Get_count(status, MPI_INTEGER, count, ierr)
        call say(name, code, (/ count, values /))
    end subroutine

    subroutine waited(name, values)
        character(*), intent(in) :: name
        integer, intent(in) :: values(:)
        call MPI_Wait(request, status, ierr)
        call done(name, values)
    end subroutine

    subroutine synced()
        call MPI_File_sync(file, ierr)
        if (ierr /= 0) call say('MPI_File_sync', ierr)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)  ! MPICH's seek_shared does not wait for others
    end subroutine

    ! Other values than before.
    subroutine next()
        call synced()
        words = words + 100
        got = -1
    end subroutine
end subroutine
