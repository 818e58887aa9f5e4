! Datatypes: their making, sizes and contents, and their attributes.
module datatypes_functions
    implicit none
    integer, save :: copies = 0, deletions = 0
contains
    subroutine copy_value(datatype, key, extra, from, to, flag, ierr)
        @use
        @include
        type(MPI_Datatype) :: datatype
        integer :: key, ierr
        integer(MPI_ADDRESS_KIND) :: extra, from, to
        logical :: flag
        copies = copies + 1
        to = from + extra
        flag = datatype /= MPI_DATATYPE_NULL
        ierr = MPI_SUCCESS
    end subroutine
    subroutine delete_value(datatype, key, value, extra, ierr)
        @use
        @include
        type(MPI_Datatype) :: datatype
        integer :: key, ierr
        integer(MPI_ADDRESS_KIND) :: value, extra
        deletions = deletions + int(value) + int(extra)
        ierr = MPI_SUCCESS
    end subroutine
end module

subroutine group_datatypes()
    @use
    use report
    implicit none
    @include
    integer :: ierr, length
    integer(ck) :: lengths(2), size, sizes(2), parts(2), starts(2)
    integer(dk) :: small_places(2)
    ! Displacements in bytes.
    integer(@bytes_kind) :: places(2), stride
    character(MPI_MAX_OBJECT_NAME) :: name
    type(MPI_Datatype) :: made, types(2), copy

    call MPI_Type_size(MPI_DOUBLE_PRECISION, size, ierr)
    call say('MPI_Type_size', ierr, size)
    call MPI_Type_get_name(MPI_INTEGER, name, length, ierr)
    call say('MPI_Type_get_name', ierr, name)
    call MPI_Type_get_name(MPI_2DOUBLE_PRECISION, name, length, ierr)
    call say('MPI_Type_get_name', ierr, name)

    lengths = (/ 2, 1 /)
    small_places = (/ 0, 3 /)
    places = (/ 0, 16 /)
    stride = 12
    types(1) = MPI_INTEGER
    types(2) = MPI_DOUBLE_PRECISION
    call MPI_Type_contiguous(3_ck, MPI_INTEGER, made, ierr)
    call tell('MPI_Type_contiguous')
    call MPI_Type_vector(2_ck, 1_ck, 3_ck, MPI_INTEGER, made, ierr)
    call tell('MPI_Type_vector')
    call MPI_Type_indexed(2_ck, lengths, int(small_places, ck), MPI_INTEGER, made, ierr)
    call tell('MPI_Type_indexed')
    call MPI_Type_create_indexed_block(2_ck, 2_ck, int(small_places, ck), MPI_INTEGER, made, ierr)
    call tell('MPI_Type_create_indexed_block')
    call MPI_Type_create_hvector(2_ck, 1_ck, stride, MPI_INTEGER, made, ierr)
    call tell('MPI_Type_create_hvector')
    call MPI_Type_create_hindexed(2_ck, lengths, places, MPI_INTEGER, made, ierr)
    call tell('MPI_Type_create_hindexed')
    call MPI_Type_create_hindexed_block(2_ck, 2_ck, places, MPI_INTEGER, made, ierr)
    call tell('MPI_Type_create_hindexed_block')
    call MPI_Type_create_struct(2_ck, lengths, places, types, made, ierr)
    call tell('MPI_Type_create_struct')
    sizes = (/ 4, 5 /)
    parts = (/ 2, 3 /)
    starts = 1
    call MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INTEGER, made, ierr)
    call tell('MPI_Type_create_subarray')
    sizes = (/ 4, 6 /)
    call MPI_Type_create_darray(2, 1, 2, sizes, (/ MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC /), &
                                (/ MPI_DISTRIBUTE_DFLT_DARG, 2 /), (/ 2, 1 /), MPI_ORDER_C, MPI_INTEGER, made, ierr)
    call tell('MPI_Type_create_darray')
    call MPI_Type_create_resized(MPI_INTEGER, -4_ak, 16_ak, made, ierr)
    call tell('MPI_Type_create_resized')
    call MPI_Type_create_f90_integer(9, made, ierr)
    call tell_predefined('MPI_Type_create_f90_integer')
    call MPI_Type_create_f90_integer(15, made, ierr)
    call tell_predefined('MPI_Type_create_f90_integer')
    call MPI_Type_create_f90_real(6, MPI_UNDEFINED, made, ierr)
    call tell_predefined('MPI_Type_create_f90_real')
    call MPI_Type_create_f90_real(15, 300, made, ierr)
    call tell_predefined('MPI_Type_create_f90_real')
    call MPI_Type_create_f90_complex(15, MPI_UNDEFINED, made, ierr)
    call tell_predefined('MPI_Type_create_f90_complex')
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, made, ierr)
    call tell_predefined('MPI_Type_match_size')
    call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, made, ierr)
    call tell_predefined('MPI_Type_match_size')
    call MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, made, ierr)
    call tell_predefined('MPI_Type_match_size')
    call MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 3, made, ierr)
    call say('MPI_Type_match_size of none', ierr)
#ifndef F08
    call removed()
#endif
    call MPI_Type_contiguous(2_ck, MPI_INTEGER, made, ierr)
    call MPI_Type_dup(made, copy, ierr)
    call say('MPI_Type_dup', ierr, copy /= made)
    call MPI_Type_set_name(copy, 'two of them', ierr)
    call say('MPI_Type_set_name', ierr)
    call MPI_Type_get_name(copy, name, length, ierr)
    call say('MPI_Type_get_name', ierr, name)
    call say('MPI_Type_get_name', ierr, length)
    call MPI_Type_free(copy, ierr)
    call MPI_Type_free(made, ierr)
    call say('MPI_Type_free', ierr, made == MPI_DATATYPE_NULL)
    call contents()
    call attributes()

contains

    subroutine tell(name)
        character(*), intent(in) :: name
        integer(ck) :: bytes
        integer(ak) :: lower, extent, true_lower, true_extent
        integer(MPI_COUNT_KIND) :: many, lower_x, extent_x
        call say(name, ierr, made /= MPI_DATATYPE_NULL)
        call MPI_Type_commit(made, ierr)
        call say('MPI_Type_commit', ierr)
        call MPI_Type_size(made, bytes, ierr)
        call say('MPI_Type_size', ierr, bytes)
        call MPI_Type_size_x(made, many, ierr)
        call say('MPI_Type_size_x', ierr, many)
        call MPI_Type_get_extent(made, lower, extent, ierr)
        call say('MPI_Type_get_extent', ierr, (/ lower, extent /))
        call MPI_Type_get_extent_x(made, lower_x, extent_x, ierr)
        call say('MPI_Type_get_extent_x', ierr, (/ lower_x, extent_x /))
        call MPI_Type_get_true_extent(made, true_lower, true_extent, ierr)
        call say('MPI_Type_get_true_extent', ierr, (/ true_lower, true_extent /))
        call MPI_Type_get_true_extent_x(made, lower_x, extent_x, ierr)
        call say('MPI_Type_get_true_extent_x', ierr, (/ lower_x, extent_x /))
        call moved()
        call MPI_Type_free(made, ierr)
    end subroutine

    ! What a message of this type carries.
    subroutine moved()
        integer :: out(-8:30), in(-8:30), i
        type(MPI_Status) :: status
        out = (/ (i, i = -8, 30) /)
        in = -99
        call MPI_Sendrecv(out(0), 1_ck, made, right, 1, in(0), 1_ck, made, left, 1, MPI_COMM_WORLD, status, ierr)
        call say('MPI_Sendrecv', ierr, in)
    end subroutine

    subroutine tell_predefined(name)
        character(*), intent(in) :: name
        integer(ck) :: bytes
        call MPI_Type_size(made, bytes, ierr)
        call say(name, ierr, bytes)
    end subroutine

#ifndef F08
    subroutine removed()
        integer :: value, old_places(2)
        old_places = (/ 0, 16 /)
        call MPI_Type_hvector(2, 1, 12, MPI_INTEGER, made, ierr)
        call say('MPI_Type_hvector', ierr, made /= MPI_DATATYPE_NULL)
        call MPI_Type_extent(made, value, ierr)
        call say('MPI_Type_extent', ierr, value)
        call MPI_Type_lb(made, value, ierr)
        call say('MPI_Type_lb', ierr, value)
        call MPI_Type_ub(made, value, ierr)
        call say('MPI_Type_ub', ierr, value)
        call MPI_Type_commit(made, ierr)
        call moved()
        call MPI_Type_free(made, ierr)
        call MPI_Type_hindexed(2, (/ 2, 1 /), old_places, MPI_INTEGER, made, ierr)
        call tell('MPI_Type_hindexed')
        call MPI_Type_struct(2, (/ 1, 1 /), old_places, types, made, ierr)
        call tell('MPI_Type_struct')
        call MPI_Type_struct(3, (/ 1, 1, 1 /), (/ -4, 0, 32 /), (/ MPI_LB, MPI_INTEGER, MPI_UB /), made, ierr)
        call tell('MPI_Type_struct')
    end subroutine
#endif

    subroutine contents()
        integer :: combiner, i
        type(MPI_Datatype) :: inner(2)
#ifdef LARGE
        integer(ck) :: integers, addresses, larges, datatypes, large(10)
        integer(ak) :: address(10)
        integer :: numbers(10)
        numbers = -1
        large = -1
        call MPI_Type_create_struct(2_ck, lengths, places, types, made, ierr)
        call MPI_Type_get_envelope(made, integers, addresses, larges, datatypes, combiner, ierr)
        call say('MPI_Type_get_envelope', ierr, (/ integers, addresses, larges, datatypes /))
        call say('MPI_Type_get_envelope', ierr, combiner == MPI_COMBINER_STRUCT)
        call MPI_Type_get_contents(made, integers, addresses, larges, datatypes, numbers, address, large, inner, ierr)
        call say('MPI_Type_get_contents', ierr, numbers)
        call say('MPI_Type_get_contents', ierr, large)
#else
        integer :: integers, addresses, datatypes, numbers(10)
        integer(ak) :: address(10)
        numbers = -1
        address = -1
        call MPI_Type_create_struct(2_ck, lengths, places, types, made, ierr)
        call MPI_Type_get_envelope(made, integers, addresses, datatypes, combiner, ierr)
        call say('MPI_Type_get_envelope', ierr, (/ integers, addresses, datatypes /))
        call say('MPI_Type_get_envelope', ierr, combiner == MPI_COMBINER_STRUCT)
        call MPI_Type_get_contents(made, integers, addresses, datatypes, numbers, address, inner, ierr)
        call say('MPI_Type_get_contents', ierr, numbers)
        call say('MPI_Type_get_contents', ierr, address(1:2))
#endif
        do i = 1, 2
            call say('MPI_Type_get_contents', ierr, inner(i) == types(i))
        end do
        call MPI_Type_free(made, ierr)
#ifdef LARGE
        call MPI_Type_get_envelope(MPI_INTEGER, integers, addresses, larges, datatypes, combiner, ierr)
#else
        call MPI_Type_get_envelope(MPI_INTEGER, integers, addresses, datatypes, combiner, ierr)
#endif
        call say('MPI_Type_get_envelope', ierr, combiner == MPI_COMBINER_NAMED)
    end subroutine

    subroutine attributes()
        use datatypes_functions
        integer :: key
        integer(ak) :: value
        logical :: flag
        copies = 0
        deletions = 0
        call MPI_Type_contiguous(2_ck, MPI_INTEGER, made, ierr)
        call MPI_Type_create_keyval(copy_value, delete_value, key, 3_ak, ierr)
        call say('MPI_Type_create_keyval', ierr, key /= MPI_KEYVAL_INVALID)
        call MPI_Type_get_attr(made, key, value, flag, ierr)
        call say('MPI_Type_get_attr', ierr, flag)
        call MPI_Type_set_attr(made, key, -7_ak, ierr)
        call say('MPI_Type_set_attr', ierr)
        value = 0
        call MPI_Type_get_attr(made, key, value, flag, ierr)
        call say('MPI_Type_get_attr', ierr, value)
        call MPI_Type_dup(made, copy, ierr)
        value = 0
        call MPI_Type_get_attr(copy, key, value, flag, ierr)
        call say('MPI_Type_get_attr of a copy', ierr, (/ int(value), copies /))
        call MPI_Type_delete_attr(made, key, ierr)
        call say('MPI_Type_delete_attr', ierr, deletions)
        call MPI_Type_free(copy, ierr)
        call say('MPI_Type_free', ierr, deletions)
        call MPI_Type_free_keyval(key, ierr)
        call say('MPI_Type_free_keyval', ierr, key == MPI_KEYVAL_INVALID)
        call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_ak, ierr)
        call carried('MPI_TYPE_DUP_FN', key)
        call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_ak, ierr)
        call carried('MPI_TYPE_NULL_COPY_FN', key)
        call MPI_Type_free(made, ierr)
    end subroutine

    ! What a function of the library makes of an attribute in a copy.
    subroutine carried(name, key)
        character(*), intent(in) :: name
        integer :: key
        integer(ak) :: value
        logical :: flag
        call MPI_Type_set_attr(made, key, 12_ak, ierr)
        call MPI_Type_dup(made, copy, ierr)
        value = -1
        call MPI_Type_get_attr(copy, key, value, flag, ierr)
        call say(name, ierr, flag)
        if (flag) call say(name, ierr, value)
        call MPI_Type_free(copy, ierr)
        call MPI_Type_delete_attr(made, key, ierr)
        call MPI_Type_free_keyval(key, ierr)
    end subroutine
end subroutine
