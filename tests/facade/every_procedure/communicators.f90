! Communicators, groups and the attributes of communicators.
module communicators_functions
    implicit none
    integer, save :: copies = 0, deletions = 0
contains
    subroutine copy_value(comm, key, extra, from, to, flag, ierr)
        @use
        @include
        type(MPI_Comm) :: comm
        integer :: key, ierr
        integer(MPI_ADDRESS_KIND) :: extra, from, to
        logical :: flag
        copies = copies + 1
        to = from + extra
        flag = comm /= MPI_COMM_NULL
        ierr = MPI_SUCCESS
    end subroutine
    subroutine delete_value(comm, key, value, extra, ierr)
        @use
        @include
        type(MPI_Comm) :: comm
        integer :: key, ierr
        integer(MPI_ADDRESS_KIND) :: value, extra
        deletions = deletions + int(value) + int(extra)
        ierr = MPI_SUCCESS
    end subroutine
    subroutine copy_old(comm, key, extra, from, to, flag, ierr)
        integer :: comm, key, extra, from, to, ierr
        logical :: flag
        copies = copies + 1
        to = from + extra
        flag = .true.
        ierr = 0
    end subroutine
    subroutine delete_old(comm, key, value, extra, ierr)
        integer :: comm, key, value, extra, ierr
        deletions = deletions + value + extra
        ierr = 0
    end subroutine
end module

subroutine group_communicators()
    @use
    use report
    implicit none
    @include
    integer :: ierr, number, length, side, answer
    logical :: flag
    character(MPI_MAX_OBJECT_NAME) :: name
    character(20) :: value
    type(MPI_Comm) :: copy, part, inter, merged, parent
    type(MPI_Group) :: group, remote
    type(MPI_Info) :: info, got
    type(MPI_Request) :: request

    call MPI_Comm_rank(MPI_COMM_WORLD, number, ierr)
    call say('MPI_Comm_rank', ierr, number)
    call MPI_Comm_size(MPI_COMM_WORLD, number, ierr)
    call say('MPI_Comm_size', ierr, number)
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierr)
    call say('MPI_Comm_get_name', ierr, name)
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length, ierr)
    call say('MPI_Comm_get_name', ierr, name)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
    call say('MPI_Comm_dup', ierr, copy /= MPI_COMM_NULL)
    call MPI_Comm_compare(MPI_COMM_WORLD, copy, answer, ierr)
    call say('MPI_Comm_compare', ierr, answer == MPI_CONGRUENT)
    call MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, answer, ierr)
    call say('MPI_Comm_compare', ierr, answer == MPI_IDENT)
    call MPI_Comm_get_name(copy, name, length, ierr)
    call say('MPI_Comm_get_name of one without', ierr, length)
    call MPI_Comm_set_name(copy, ' the copy ', ierr)
    call say('MPI_Comm_set_name', ierr)
    call MPI_Comm_get_name(copy, name, length, ierr)
    call say('MPI_Comm_get_name', ierr, name)
    call say('MPI_Comm_get_name', ierr, length)
    call MPI_Comm_test_inter(copy, flag, ierr)
    call say('MPI_Comm_test_inter', ierr, flag)
    call MPI_Comm_free(copy, ierr)
    call say('MPI_Comm_free', ierr, copy == MPI_COMM_NULL)
    call MPI_Comm_idup(MPI_COMM_WORLD, copy, request, ierr)
    call say('MPI_Comm_idup', ierr, request /= MPI_REQUEST_NULL)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_size(copy, number, ierr)
    call say('MPI_Comm_idup', ierr, number)
    call MPI_Comm_disconnect(copy, ierr)
    call say('MPI_Comm_disconnect', ierr, copy == MPI_COMM_NULL)
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'mpi_assert_no_any_tag', 'false', ierr)
    call MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, copy, ierr)
    call say('MPI_Comm_dup_with_info', ierr, copy /= MPI_COMM_NULL)
    call MPI_Comm_set_info(copy, info, ierr)
    call say('MPI_Comm_set_info', ierr)
    call MPI_Comm_get_info(copy, got, ierr)
    call say('MPI_Comm_get_info', ierr, got /= MPI_INFO_NULL)
    call MPI_Info_free(got, ierr)
    call MPI_Comm_free(copy, ierr)
#ifdef MPICH
    call MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, copy, request, ierr)
    call say('MPI_Comm_idup_with_info', ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_size(copy, number, ierr)
    call say('MPI_Comm_idup_with_info', ierr, number)
    call MPI_Comm_free(copy, ierr)
#endif
    call MPI_Info_free(info, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, part, ierr)
    call MPI_Comm_size(part, number, ierr)
    call say('MPI_Comm_split', ierr, number)
    call MPI_Comm_rank(part, number, ierr)
    call say('MPI_Comm_split', ierr, number)
    call MPI_Comm_free(part, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 1, rank == 0), 0, part, ierr)
    call say('MPI_Comm_split', ierr, part == MPI_COMM_NULL)
    if (part /= MPI_COMM_NULL) call MPI_Comm_free(part, ierr)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, part, ierr)
    call MPI_Comm_size(part, number, ierr)
    call say('MPI_Comm_split_type', ierr, number)
    call MPI_Comm_free(part, ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
    call say('MPI_Comm_group', ierr, group /= MPI_GROUP_NULL)
    call MPI_Group_incl(group, 1, (/ ranks - 1 /), remote, ierr)
    call MPI_Comm_create(MPI_COMM_WORLD, remote, part, ierr)
    call say('MPI_Comm_create', ierr, part == MPI_COMM_NULL)
    if (part /= MPI_COMM_NULL) call MPI_Comm_free(part, ierr)
    if (rank == ranks - 1) then
        call MPI_Comm_create_group(MPI_COMM_WORLD, remote, 5, part, ierr)
        call MPI_Comm_size(part, number, ierr)
        call say('MPI_Comm_create_group', ierr, number)
        call MPI_Comm_free(part, ierr)
    end if
    call MPI_Group_free(remote, ierr)
#ifdef MPICH
    call MPI_Comm_create_from_group(group, 'all', MPI_INFO_NULL, MPI_ERRORS_RETURN, copy, ierr)
    call say('MPI_Comm_create_from_group', ierr, copy /= MPI_COMM_NULL)
    call MPI_Comm_size(copy, number, ierr)
    call say('MPI_Comm_create_from_group', ierr, number)
    call MPI_Comm_free(copy, ierr)
    if (ranks > 1) call from_groups()
#endif
    call MPI_Group_free(group, ierr)
    call MPI_Comm_get_parent(parent, ierr)
    call say('MPI_Comm_get_parent', ierr, parent == MPI_COMM_NULL)

    if (ranks > 1) then
        side = merge(0, 1, rank == 0)
        call MPI_Comm_split(MPI_COMM_WORLD, side, rank, part, ierr)
        call MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - side, 7, inter, ierr)
        call say('MPI_Intercomm_create', ierr, inter /= MPI_COMM_NULL)
        call MPI_Comm_test_inter(inter, flag, ierr)
        call say('MPI_Comm_test_inter', ierr, flag)
        call MPI_Comm_remote_size(inter, number, ierr)
        call say('MPI_Comm_remote_size', ierr, number)
        call MPI_Comm_remote_group(inter, remote, ierr)
        call MPI_Group_size(remote, number, ierr)
        call say('MPI_Comm_remote_group', ierr, number)
        call MPI_Group_free(remote, ierr)
        call MPI_Intercomm_merge(inter, side == 1, merged, ierr)
        call MPI_Comm_rank(merged, number, ierr)
        call say('MPI_Intercomm_merge', ierr, number)
        call MPI_Comm_free(merged, ierr)
        call MPI_Comm_free(inter, ierr)
        call MPI_Comm_free(part, ierr)
    end if

contains

#ifdef MPICH
    ! Rank 0, and the others.
    subroutine from_groups()
        type(MPI_Group) :: first, others
        call MPI_Group_incl(group, 1, (/ 0 /), first, ierr)
        call MPI_Group_excl(group, 1, (/ 0 /), others, ierr)
        if (rank == 0) call MPI_Intercomm_create_from_groups(first, 0, others, 0, 'two', MPI_INFO_NULL, &
            MPI_ERRORS_RETURN, &
                                                             inter, ierr)
        if (rank /= 0) call MPI_Intercomm_create_from_groups(others, 0, first, 0, 'two', MPI_INFO_NULL, &
            MPI_ERRORS_RETURN, &
                                                             inter, ierr)
        call say('MPI_Intercomm_create_from_groups', ierr, inter /= MPI_COMM_NULL)
        call MPI_Comm_remote_size(inter, number, ierr)
        call say('MPI_Intercomm_create_from_groups', ierr, number)
        call MPI_Comm_free(inter, ierr)
        call MPI_Group_free(first, ierr)
        call MPI_Group_free(others, ierr)
    end subroutine
#endif
end subroutine

subroutine group_groups()
    @use
    use report
    implicit none
    @include
    integer :: ierr, number, answer, range(3, 1), others(3)
    type(MPI_Group) :: world, first, rest, both, none, back

    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    call MPI_Group_size(world, number, ierr)
    call say('MPI_Group_size', ierr, number)
    call MPI_Group_rank(world, number, ierr)
    call say('MPI_Group_rank', ierr, number)
    call MPI_Group_incl(world, 1, (/ 0 /), first, ierr)
    call say_group('MPI_Group_incl', first)
    call MPI_Group_rank(first, number, ierr)
    call say('MPI_Group_rank', ierr, merge(number, -9, number /= MPI_UNDEFINED))
    call MPI_Group_excl(world, 1, (/ 0 /), rest, ierr)
    call say_group('MPI_Group_excl', rest)
    call MPI_Group_union(rest, first, both, ierr)
    call say_group('MPI_Group_union', both)
    others = -1
    call MPI_Group_translate_ranks(world, ranks, (/ 0, 1, 2 /), both, others, ierr)
    call say('MPI_Group_translate_ranks', ierr, others)
    call MPI_Group_translate_ranks(world, ranks, (/ 0, 1, 2 /), first, others, ierr)
    call say('MPI_Group_translate_ranks', ierr, others(1:ranks) == MPI_UNDEFINED)
    call MPI_Group_translate_ranks(world, 1, (/ MPI_PROC_NULL /), first, others, ierr)
    call say('MPI_Group_translate_ranks', ierr, others(1) == MPI_PROC_NULL)
    call MPI_Group_compare(world, both, answer, ierr)
    call say('MPI_Group_compare', ierr, (/ answer == MPI_IDENT, answer == MPI_SIMILAR, answer == MPI_UNEQUAL /))
    call MPI_Group_compare(world, first, answer, ierr)
    call say('MPI_Group_compare', ierr, (/ answer == MPI_IDENT, answer == MPI_SIMILAR, answer == MPI_UNEQUAL /))
    call MPI_Group_intersection(both, first, back, ierr)
    call say_group('MPI_Group_intersection', back)
    call MPI_Group_free(back, ierr)
    call MPI_Group_difference(both, first, back, ierr)
    call say_group('MPI_Group_difference', back)
    if (back /= MPI_GROUP_EMPTY) call MPI_Group_free(back, ierr)
    call MPI_Group_difference(both, both, none, ierr)
    call say('MPI_Group_difference', ierr, none == MPI_GROUP_EMPTY)
    call MPI_Group_intersection(first, rest, none, ierr)
    call say('MPI_Group_intersection', ierr, none == MPI_GROUP_EMPTY)
    range(:, 1) = (/ ranks - 1, 0, -1 /)
    call MPI_Group_range_incl(world, 1, range, back, ierr)
    call say_group('MPI_Group_range_incl', back)
    call MPI_Group_rank(back, number, ierr)
    call say('MPI_Group_rank', ierr, number)
    call MPI_Group_free(back, ierr)
    range(:, 1) = (/ 0, 0, 1 /)
    call MPI_Group_range_excl(world, 1, range, back, ierr)
    call say_group('MPI_Group_range_excl', back)
    if (back /= MPI_GROUP_EMPTY) call MPI_Group_free(back, ierr)
    call MPI_Group_free(both, ierr)
    call say('MPI_Group_free', ierr, both == MPI_GROUP_NULL)
    if (rest /= MPI_GROUP_EMPTY) call MPI_Group_free(rest, ierr)
    call MPI_Group_free(first, ierr)
    call MPI_Group_free(world, ierr)
    call MPI_Group_size(MPI_GROUP_EMPTY, number, ierr)
    call say('MPI_Group_size', ierr, number)

contains

    subroutine say_group(name, group)
        character(*), intent(in) :: name
        type(MPI_Group) :: group
        integer :: size, code
        code = ierr
        call MPI_Group_size(group, size, ierr)
        call say(name, code, size)
    end subroutine
end subroutine

subroutine group_attributes()
    @use
    use report
    use communicators_functions
    implicit none
    @include
    integer :: ierr, key, old
    integer(ak) :: value
    logical :: flag
    type(MPI_Comm) :: copy

    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call say('MPI_Comm_get_attr', ierr, flag .and. value >= 32767)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, value, flag, ierr)
    call say('MPI_Comm_get_attr', ierr, (/ flag, value == MPI_PROC_NULL /))
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, ierr)
    call say('MPI_Comm_get_attr', ierr, flag .and. (value == 0 .or. value == 1))
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, value, flag, ierr)
    call say('MPI_Comm_get_attr', ierr, flag .and. value >= MPI_ERR_LASTCODE)
    call MPI_Comm_create_keyval(copy_value, delete_value, key, 5_ak, ierr)
    call say('MPI_Comm_create_keyval', ierr, key /= MPI_KEYVAL_INVALID)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierr)
    call say('MPI_Comm_get_attr', ierr, flag)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 5000000000_ak, ierr)
    call say('MPI_Comm_set_attr', ierr)
    value = 0
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierr)
    call say('MPI_Comm_get_attr', ierr, value)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, -40_ak, ierr)
    call say('MPI_Comm_set_attr', ierr, deletions)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
    value = 0
    call MPI_Comm_get_attr(copy, key, value, flag, ierr)
    call say('MPI_Comm_get_attr of a copy', ierr, value)
    call say('MPI_Comm_get_attr of a copy', ierr, copies)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call say('MPI_Comm_delete_attr', ierr, deletions)
    call MPI_Comm_free(copy, ierr)
    call say('MPI_Comm_free', ierr, deletions)
    call MPI_Comm_free_keyval(key, ierr)
    call say('MPI_Comm_free_keyval', ierr, key == MPI_KEYVAL_INVALID)

    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_ak, ierr)
    call carried('MPI_COMM_DUP_FN')
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_ak, ierr)
    call carried('MPI_COMM_NULL_COPY_FN')
#ifndef F08
    copies = 0
    deletions = 0
    call MPI_Keyval_create(copy_old, delete_old, key, 3, ierr)
    call say('MPI_Keyval_create', ierr, key /= MPI_KEYVAL_INVALID)
    call MPI_Attr_put(MPI_COMM_WORLD, key, -60, ierr)
    call say('MPI_Attr_put', ierr)
    old = 0
    call MPI_Attr_get(MPI_COMM_WORLD, key, old, flag, ierr)
    call say('MPI_Attr_get', ierr, (/ old, merge(1, 0, flag) /))
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierr)
    call say('MPI_Comm_get_attr', ierr, value)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
    call MPI_Attr_get(copy, key, old, flag, ierr)
    call say('MPI_Attr_get of a copy', ierr, (/ old, merge(1, 0, flag), copies /))
    call MPI_Comm_free(copy, ierr)
    call MPI_Attr_delete(MPI_COMM_WORLD, key, ierr)
    call say('MPI_Attr_delete', ierr, deletions)
    call MPI_Keyval_free(key, ierr)
    call say('MPI_Keyval_free', ierr, key == MPI_KEYVAL_INVALID)
    call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, old, flag, ierr)
    call say('MPI_Attr_get', ierr, flag .and. old >= 32767)
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 3, ierr)
    call carried('MPI_DUP_FN')
    call MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, key, 3, ierr)
    call carried('MPI_NULL_COPY_FN')
#endif

contains

    ! What a function of the library makes of an attribute in a copy.
    subroutine carried(name)
        character(*), intent(in) :: name
        call MPI_Comm_set_attr(MPI_COMM_SELF, key, 12_ak, ierr)
        call MPI_Comm_dup(MPI_COMM_SELF, copy, ierr)
        value = -1
        call MPI_Comm_get_attr(copy, key, value, flag, ierr)
        call say(name, ierr, flag)
        if (flag) call say(name, ierr, value)
        call MPI_Comm_free(copy, ierr)
        call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierr)
        call MPI_Comm_free_keyval(key, ierr)
    end subroutine
end subroutine
