! Versions, clocks, addresses, memory, errors' codes and infos.
subroutine group_environment()
    @use
    use report
    use, intrinsic :: iso_c_binding
    implicit none
    @include
    integer :: ierr, version, subversion, length, level, code, class, numbers(4), got
    logical :: flag
#if defined(MPICH) && defined(MPIF)
    integer(ak), external :: MPI_Aint_add, MPI_Aint_diff
#endif
    integer(ak) :: place, other, size
    integer(MPI_COUNT_KIND) :: many
    double precision :: seconds
    character(MPI_MAX_LIBRARY_VERSION_STRING) :: library
    character(MPI_MAX_PROCESSOR_NAME) :: processor
    character(MPI_MAX_ERROR_STRING) :: words
    type(c_ptr) :: memory
    integer, pointer :: in_memory(:)
    type(MPI_Status) :: status

    call MPI_Initialized(flag, ierr)
    call say('MPI_Initialized', ierr, flag)
    call MPI_Finalized(flag, ierr)
    call say('MPI_Finalized', ierr, flag)
    call MPI_Query_thread(level, ierr)
    call say('MPI_Query_thread', ierr, level)
    call MPI_Is_thread_main(flag, ierr)
    call say('MPI_Is_thread_main', ierr, flag)
    call MPI_Get_version(version, subversion, ierr)
    call say('MPI_Get_version', ierr, (/ version, subversion /))
    call MPI_Get_library_version(library, length, ierr)
    call say('MPI_Get_library_version', ierr, length > 5)
    call MPI_Get_processor_name(processor, length, ierr)
    call say('MPI_Get_processor_name', ierr, processor)
    call say('its length', ierr, length)
    seconds = MPI_Wtime()
    call say('MPI_Wtime', 0, seconds >= 0 .and. MPI_Wtime() >= seconds)
    seconds = MPI_Wtick()
    call say('MPI_Wtick', 0, seconds > 0 .and. seconds < 1)
    call MPI_Pcontrol(1)
    call MPI_Get_address(numbers(1), place, ierr)
    call MPI_Get_address(numbers(3), other, ierr)
    call say('MPI_Get_address', ierr, other - place)
    call say('MPI_Aint_add', 0, MPI_Aint_add(place, 8_ak) == other)
    call say('MPI_Aint_diff', 0, MPI_Aint_diff(place, other))
#ifndef F08
    call MPI_Address(numbers(1), got, ierr)
    call MPI_Address(numbers(2), level, ierr)
    call say('MPI_Address', ierr, level - got)
#endif
#if defined(F08) || defined(OPENMPI)
    call MPI_F_sync_reg(numbers)
#elif defined(MPIF)
    call MPI_F_sync_reg(numbers, ierr)
#endif
    size = 4096
    call MPI_Alloc_mem(size, MPI_INFO_NULL, memory, ierr)
    call say('MPI_Alloc_mem', ierr, c_associated(memory))
    call c_f_pointer(memory, in_memory, (/ 1024 /))
    in_memory = 5
    call MPI_Free_mem(in_memory, ierr)
    call say('MPI_Free_mem', ierr)
#ifndef F08
    call allocate_address()
#endif

    call MPI_Add_error_class(class, ierr)
    call say('MPI_Add_error_class', ierr, class > MPI_ERR_LASTCODE)
    call MPI_Add_error_code(class, code, ierr)
    call say('MPI_Add_error_code', ierr, code > MPI_ERR_LASTCODE .and. code /= class)
    call MPI_Add_error_string(code, 'too sour', ierr)
    call say('MPI_Add_error_string', ierr)
    call MPI_Error_string(code, words, length, ierr)
    call say('MPI_Error_string', ierr, words)
    call say('its length', ierr, length)
    call MPI_Error_class(code, got, ierr)
    call say('MPI_Error_class', ierr, got == class)
    call MPI_Error_class(MPI_ERR_TAG, got, ierr)
    call say('MPI_Error_class', ierr, got)

    call MPI_Status_set_elements(status, MPI_INTEGER, 3, ierr)
    call say('MPI_Status_set_elements', ierr)
    call MPI_Get_elements(status, MPI_INTEGER, got, ierr)
    call say('MPI_Get_elements', ierr, got)
    many = 5
    call MPI_Status_set_elements_x(status, MPI_INTEGER, many, ierr)
    call say('MPI_Status_set_elements_x', ierr)
    call MPI_Get_elements_x(status, MPI_INTEGER, many, ierr)
    call say('MPI_Get_elements_x', ierr, many)
    call MPI_Get_count(status, MPI_INTEGER, got, ierr)
    call say('MPI_Get_count', ierr, got)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, got, ierr)
    call say('MPI_Get_count of another size', ierr, got == MPI_UNDEFINED)
    call MPI_Status_set_cancelled(status, .true., ierr)
    call say('MPI_Status_set_cancelled', ierr)
    call MPI_Test_cancelled(status, flag, ierr)
    call say('MPI_Test_cancelled', ierr, flag)
    call MPI_Status_set_cancelled(status, .false., ierr)
    call MPI_Test_cancelled(status, flag, ierr)
    call say('MPI_Test_cancelled', ierr, flag)
    call infos()
#if defined(F08) && defined(MPICH)
    call converted_statuses()
#endif

contains

#ifndef F08
    ! The older form, whose memory is an address.
    subroutine allocate_address()
        integer(ak) :: base
        integer :: in_it
        pointer (base, in_it)
        call MPI_Alloc_mem(64_ak, MPI_INFO_NULL, base, ierr)
        call say('MPI_Alloc_mem by address', ierr, base /= 0)
        in_it = 7
        call MPI_Free_mem(in_it, ierr)
        call say('MPI_Free_mem', ierr)
    end subroutine
#endif

    subroutine infos()
        type(MPI_Info) :: info, copy
        integer :: keys
        character(MPI_MAX_INFO_KEY) :: key
        character(20) :: value
        character(4) :: short
        call MPI_Info_create(info, ierr)
        call say('MPI_Info_create', ierr, info /= MPI_INFO_NULL)
        call MPI_Info_set(info, 'colour', 'blue and green', ierr)
        call say('MPI_Info_set', ierr)
        call MPI_Info_set(info, '  shape ', '  round  ', ierr)
        call MPI_Info_get_nkeys(info, keys, ierr)
        call say('MPI_Info_get_nkeys', ierr, keys)
        call MPI_Info_get_nthkey(info, 0, key, ierr)
        call say('MPI_Info_get_nthkey', ierr, key)
        call MPI_Info_get_nthkey(info, 1, key, ierr)
        call say('MPI_Info_get_nthkey', ierr, key)
        value = 'unset'
        call MPI_Info_get(info, 'colour', 20, value, flag, ierr)
        call say('MPI_Info_get', ierr, value)
        call say('MPI_Info_get', ierr, flag)
        value = 'unset'
        call MPI_Info_get(info, 'shape', 20, value, flag, ierr)
        call say('MPI_Info_get', ierr, value)
#ifndef MPICH
        ! MPICH answers with an error, where the standard has none.
        short = '----'
        call MPI_Info_get(info, 'colour', 4, short, flag, ierr)
        call say('MPI_Info_get of a part', ierr, short)
#endif
        value = 'unset'
        call MPI_Info_get(info, 'weight', 20, value, flag, ierr)
        call say('MPI_Info_get', ierr, flag)
        call say('MPI_Info_get', ierr, value)
        call MPI_Info_get_valuelen(info, 'colour', keys, flag, ierr)
        call say('MPI_Info_get_valuelen', ierr, (/ keys, merge(1, 0, flag) /))
        call MPI_Info_get_valuelen(info, 'weight', keys, flag, ierr)
        call say('MPI_Info_get_valuelen', ierr, flag)
        call MPI_Info_dup(info, copy, ierr)
        call say('MPI_Info_dup', ierr, copy /= MPI_INFO_NULL .and. copy /= info)
        call MPI_Info_delete(info, 'colour', ierr)
        call say('MPI_Info_delete', ierr)
        call MPI_Info_delete(info, 'colour', ierr)
        call say('MPI_Info_delete of nothing', ierr)
        call MPI_Info_get_nkeys(copy, keys, ierr)
        call say('MPI_Info_get_nkeys of the copy', ierr, keys)
#ifdef MPICH
        keys = 20
        value = 'unset'
        call MPI_Info_get_string(copy, 'colour', keys, value, flag, ierr)
        call say('MPI_Info_get_string', ierr, value)
        call say('MPI_Info_get_string', ierr, (/ keys, merge(1, 0, flag) /))
        keys = 0
        call MPI_Info_get_string(copy, 'colour', keys, value, flag, ierr)
        call say('MPI_Info_get_string', ierr, keys)
#endif
        call MPI_Info_free(copy, ierr)
        call say('MPI_Info_free', ierr, copy == MPI_INFO_NULL)
        call MPI_Info_free(info, ierr)
#if defined(MPICH) && !defined(F08)
        ! In mpi_f08 MPICH itself hands on other arguments than its own function takes.
        call MPI_Info_create_env(info, ierr)
        call say('MPI_Info_create_env', ierr, info /= MPI_INFO_NULL)
        call MPI_Info_free(info, ierr)
#endif
    end subroutine

#if defined(F08) && defined(MPICH)
    ! Open MPI 4 declares these, and has them not.
    subroutine converted_statuses()
        integer :: old(MPI_STATUS_SIZE)
        type(MPI_Status) :: back
        status%MPI_SOURCE = 3
        status%MPI_TAG = 4
        status%MPI_ERROR = MPI_ERR_TAG
        call MPI_Status_f082f(status, old, ierr)
        call say('MPI_Status_f082f', ierr, (/ old(MPI_SOURCE), old(MPI_TAG), old(MPI_ERROR) /))
        call MPI_Status_f2f08(old, back, ierr)
        call say('MPI_Status_f2f08', ierr, (/ back%MPI_SOURCE, back%MPI_TAG, back%MPI_ERROR /))
    end subroutine
#endif
end subroutine
