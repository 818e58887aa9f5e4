! Windows: memory, epochs, operations and attributes.
module windows_functions
    implicit none
    integer, save :: deletions = 0
contains
    subroutine copy_value(win, key, extra, from, to, flag, ierr)
        @use
        @include
        type(MPI_Win) :: win
        integer :: key, ierr
        integer(MPI_ADDRESS_KIND) :: extra, from, to
        logical :: flag
        flag = .false.
        ierr = MPI_SUCCESS
    end subroutine
    subroutine delete_value(win, key, value, extra, ierr)
        @use
        @include
        type(MPI_Win) :: win
        integer :: key, ierr
        integer(MPI_ADDRESS_KIND) :: value, extra
        deletions = deletions + int(value) + int(extra)
        ierr = MPI_SUCCESS
    end subroutine
end module

subroutine group_windows()
    @use
    use report
    use, intrinsic :: iso_c_binding
    implicit none
    @include
    integer, volatile, save :: memory(8)
    integer, save :: mine(4), got(4), before(4)
    integer :: ierr, number, length
    integer(@unit_kind) :: unit
    integer(ak) :: bytes
    logical :: flag
    character(MPI_MAX_OBJECT_NAME) :: name
    type(MPI_Win) :: win
    type(MPI_Group) :: group, near, to
    type(MPI_Info) :: info
    type(MPI_Request) :: request
    type(c_ptr) :: place
    integer, pointer :: shared(:)

    if (ranks == 1) return  ! Open MPI has no windows of one rank here
    mine = (/ rank + 1, 10 * (rank + 1), 3, 4 /)
    memory = 1000 * (rank + 1)
    unit = 4
    bytes = 32
    call MPI_Win_create(memory, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call say('MPI_Win_create', ierr, win /= MPI_WIN_NULL)
    call names()
    call attributes()
    call MPI_Win_fence(0, win, ierr)
    call say('MPI_Win_fence', ierr)
    call MPI_Put(mine, 2_ck, MPI_INTEGER, right, 1_ak, 2_ck, MPI_INTEGER, win, ierr)
    call say('MPI_Put', ierr)
    call ended('MPI_Put')
    got = -1
    call MPI_Get(got, 2_ck, MPI_INTEGER, right, 1_ak, 2_ck, MPI_INTEGER, win, ierr)
    call say('MPI_Get', ierr)
    call MPI_Win_fence(0, win, ierr)
    call say('MPI_Get', ierr, got)
    call MPI_Accumulate(mine, 2_ck, MPI_INTEGER, right, 1_ak, 2_ck, MPI_INTEGER, MPI_SUM, win, ierr)
    call say('MPI_Accumulate', ierr)
    call ended('MPI_Accumulate')
    before = -1
    call MPI_Get_accumulate(mine, 2_ck, MPI_INTEGER, before, 2_ck, MPI_INTEGER, right, 1_ak, 2_ck, MPI_INTEGER, &
        MPI_MAX, win, &
                            ierr)
    call say('MPI_Get_accumulate', ierr)
    call ended('MPI_Get_accumulate')
    call say('MPI_Get_accumulate', ierr, before)
    before = -1
    call MPI_Fetch_and_op(mine, before, MPI_INTEGER, right, 0_ak, MPI_REPLACE, win, ierr)
    call say('MPI_Fetch_and_op', ierr)
    call ended('MPI_Fetch_and_op')
    call say('MPI_Fetch_and_op', ierr, before)
    before = -1
    call MPI_Compare_and_swap(77, rank + 1, before, MPI_INTEGER, right, 0_ak, win, ierr)
    call say('MPI_Compare_and_swap', ierr)
    call ended('MPI_Compare_and_swap')
    call say('MPI_Compare_and_swap', ierr, before)

    ! Epochs of one's own.
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win, ierr)
    call say('MPI_Win_lock', ierr)
    call MPI_Rput(mine, 2_ck, MPI_INTEGER, right, 4_ak, 2_ck, MPI_INTEGER, win, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('MPI_Rput', ierr, request == MPI_REQUEST_NULL)
    call MPI_Win_flush(right, win, ierr)
    call say('MPI_Win_flush', ierr)
    call MPI_Raccumulate(mine, 2_ck, MPI_INTEGER, right, 4_ak, 2_ck, MPI_INTEGER, MPI_SUM, win, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('MPI_Raccumulate', ierr)
    call MPI_Win_flush_local(right, win, ierr)
    call say('MPI_Win_flush_local', ierr)
    call MPI_Win_flush(right, win, ierr)
    got = -1
    call MPI_Rget(got, 2_ck, MPI_INTEGER, right, 4_ak, 2_ck, MPI_INTEGER, win, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('MPI_Rget', ierr, got)
    before = -1
    call MPI_Rget_accumulate(mine, 2_ck, MPI_INTEGER, before, 2_ck, MPI_INTEGER, right, 4_ak, 2_ck, MPI_INTEGER, &
        MPI_SUM, win, &
                             request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('MPI_Rget_accumulate', ierr, before)
    call MPI_Win_unlock(right, win, ierr)
    call say('MPI_Win_unlock', ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_lock_all(0, win, ierr)
    call say('MPI_Win_lock_all', ierr)
    call MPI_Put(mine, 1_ck, MPI_INTEGER, right, 7_ak, 1_ck, MPI_INTEGER, win, ierr)
    call MPI_Win_flush_local_all(win, ierr)
    call say('MPI_Win_flush_local_all', ierr)
    call MPI_Win_flush_all(win, ierr)
    call say('MPI_Win_flush_all', ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_sync(win, ierr)
    call say('MPI_Win_sync', ierr)
    got = memory(5:8)
    call say('MPI_Win_sync', ierr, got)
    call MPI_Win_unlock_all(win, ierr)
    call say('MPI_Win_unlock_all', ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)

    ! From the left, to the right.
    call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
    call MPI_Group_incl(group, 1, (/ left /), near, ierr)
    call MPI_Group_incl(group, 1, (/ right /), to, ierr)
    call MPI_Win_post(near, 0, win, ierr)
    call say('MPI_Win_post', ierr)
    call MPI_Win_start(to, 0, win, ierr)
    call say('MPI_Win_start', ierr)
    call MPI_Put(mine, 3_ck, MPI_INTEGER, right, 0_ak, 3_ck, MPI_INTEGER, win, ierr)
    call MPI_Win_complete(win, ierr)
    call say('MPI_Win_complete', ierr)
    call MPI_Win_wait(win, ierr)
    call say('MPI_Win_wait', ierr)
    got = memory(1:4)
    call say('MPI_Win_wait', ierr, got)
    call MPI_Win_post(near, 0, win, ierr)
    call MPI_Win_start(to, 0, win, ierr)
    call MPI_Put(mine, 1_ck, MPI_INTEGER, right, 3_ak, 1_ck, MPI_INTEGER, win, ierr)
    call MPI_Win_complete(win, ierr)
    flag = .false.
    do while (.not. flag)
        call MPI_Win_test(win, flag, ierr)
    end do
    call say('MPI_Win_test', ierr)
    got = memory(1:4)
    call say('MPI_Win_test', ierr, got)
    call MPI_Group_free(near, ierr)
    call MPI_Group_free(to, ierr)
    call MPI_Group_free(group, ierr)
    call MPI_Win_get_group(win, group, ierr)
    call MPI_Group_size(group, number, ierr)
    call say('MPI_Win_get_group', ierr, number)
    call MPI_Group_free(group, ierr)
    call MPI_Win_free(win, ierr)
    call say('MPI_Win_free', ierr, win == MPI_WIN_NULL)

    call MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, place, win, ierr)
    call say('MPI_Win_allocate', ierr, c_associated(place))
    call flavour(MPI_WIN_FLAVOR_ALLOCATE)
    call c_f_pointer(place, shared, (/ 8 /))
    shared = rank
    call MPI_Win_free(win, ierr)
    call MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, place, win, ierr)
    call say('MPI_Win_allocate_shared', ierr, c_associated(place))
    call flavour(MPI_WIN_FLAVOR_SHARED)
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, win, ierr)
    call c_f_pointer(place, shared, (/ 8 /))
    shared = rank + 50
    call MPI_Win_sync(win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_sync(win, ierr)
    unit = 0
    bytes = 0
    call MPI_Win_shared_query(win, right, bytes, unit, place, ierr)
    call say('MPI_Win_shared_query', ierr, (/ int(bytes), int(unit) /))
    call c_f_pointer(place, shared, (/ 8 /))
    call say('MPI_Win_shared_query', ierr, shared)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_unlock_all(win, ierr)
    call MPI_Win_free(win, ierr)

    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call say('MPI_Win_create_dynamic', ierr, win /= MPI_WIN_NULL)
    call flavour(MPI_WIN_FLAVOR_DYNAMIC)
    call MPI_Win_attach(win, memory, 32_ak, ierr)
    call say('MPI_Win_attach', ierr)
    call MPI_Win_detach(win, memory, ierr)
    call say('MPI_Win_detach', ierr)
    call MPI_Win_free(win, ierr)
#ifndef F08
    call by_address()
#endif

contains

    subroutine ended(what)
        character(*), intent(in) :: what
        integer :: now(8)
        call MPI_Win_fence(0, win, ierr)
        now = memory
        call say(what, ierr, now)
        call MPI_Win_fence(0, win, ierr)
    end subroutine

    subroutine flavour(expected)
        integer, intent(in) :: expected
        integer(ak) :: value
        call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierr)
        call say('MPI_Win_get_attr', ierr, (/ flag, value == expected /))
    end subroutine

    subroutine names()
        call MPI_Win_get_name(win, name, length, ierr)
        call MPI_Win_set_name(win, 'a window', ierr)
        call say('MPI_Win_set_name', ierr)
        call MPI_Win_get_name(win, name, length, ierr)
#if !defined(F08) || !defined(OPENMPI)
        ! In mpi_f08 Open MPI writes the first letter only.
        call say('MPI_Win_get_name', ierr, name)
#endif
        call say('MPI_Win_get_name', ierr, length)
        call MPI_Win_get_info(win, info, ierr)
        call say('MPI_Win_get_info', ierr, info /= MPI_INFO_NULL)
        call MPI_Win_set_info(win, info, ierr)
        call say('MPI_Win_set_info', ierr)
        call MPI_Info_free(info, ierr)
    end subroutine

    subroutine attributes()
        use windows_functions
        integer :: key
        integer(ak) :: value, own
        call MPI_Get_address(memory, own, ierr)
        call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierr)
        call say('MPI_Win_get_attr', ierr, (/ flag, value == own /))
        call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierr)
        call say('MPI_Win_get_attr', ierr, value)
        call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierr)
        call say('MPI_Win_get_attr', ierr, value)
        call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierr)
        call say('MPI_Win_get_attr', ierr, value == MPI_WIN_FLAVOR_CREATE)
        call MPI_Win_get_attr(win, MPI_WIN_MODEL, value, flag, ierr)
        call say('MPI_Win_get_attr', ierr, value == MPI_WIN_UNIFIED)
        deletions = 0
        call MPI_Win_create_keyval(copy_value, delete_value, key, 4_ak, ierr)
        call say('MPI_Win_create_keyval', ierr, key /= MPI_KEYVAL_INVALID)
        call MPI_Win_set_attr(win, key, -9_ak, ierr)
        call say('MPI_Win_set_attr', ierr)
        value = 0
        call MPI_Win_get_attr(win, key, value, flag, ierr)
        call say('MPI_Win_get_attr', ierr, value)
        call MPI_Win_delete_attr(win, key, ierr)
        call say('MPI_Win_delete_attr', ierr, deletions)
        call MPI_Win_get_attr(win, key, value, flag, ierr)
        call say('MPI_Win_get_attr', ierr, flag)
        call MPI_Win_free_keyval(key, ierr)
        call say('MPI_Win_free_keyval', ierr, key == MPI_KEYVAL_INVALID)
        call MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, key, 4_ak, ierr)
        call say('MPI_WIN_DUP_FN', ierr)
        call MPI_Win_free_keyval(key, ierr)
        call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, 4_ak, ierr)
        call say('MPI_WIN_NULL_COPY_FN', ierr)
        call MPI_Win_free_keyval(key, ierr)
    end subroutine

#ifndef F08
    ! The older forms, whose memory is an address.
    subroutine by_address()
        integer(ak) :: base
        integer :: small_unit
        call MPI_Win_allocate(32_ak, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
        call say('MPI_Win_allocate by address', ierr, base /= 0)
        call MPI_Win_free(win, ierr)
        call MPI_Win_allocate_shared(32_ak, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
        call say('MPI_Win_allocate_shared by address', ierr, base /= 0)
        call MPI_Win_shared_query(win, 0, bytes, small_unit, base, ierr)
        call say('MPI_Win_shared_query by address', ierr, base /= 0)
        call MPI_Win_free(win, ierr)
    end subroutine
#endif
end subroutine
