! Handles, attributes, functions of the program, strings and types in mpi_f08.
module callbacks
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use mpi_f08
    implicit none
    integer :: copies = 0, deletes = 0, handled = 0
    type(MPI_Comm) :: handled_comm

contains

    ! The larger absolute value, with its sign.
    subroutine farther(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:), b(:)
        if (datatype /= MPI_INTEGER) error stop 'the datatype of an operator'
        call c_f_pointer(invec, a, [len])
        call c_f_pointer(inoutvec, b, [len])
        where (abs(a) > abs(b)) b = a
    end subroutine

    subroutine copy_attribute(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
        type(MPI_Comm) :: oldcomm
        integer :: comm_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
        logical :: flag
        copies = copies + 1
        attribute_val_out = attribute_val_in + extra_state
        flag = oldcomm == MPI_COMM_WORLD
        ierror = MPI_SUCCESS
    end subroutine

    subroutine delete_attribute(comm, comm_keyval, attribute_val, extra_state, ierror)
        type(MPI_Comm) :: comm
        integer :: comm_keyval, ierror
        integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
        deletes = deletes + 1
        ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == 2_MPI_ADDRESS_KIND**40)
    end subroutine

    subroutine handle_error(comm, error_code)
        type(MPI_Comm) :: comm
        integer :: error_code
        handled = error_code
        handled_comm = comm
    end subroutine
end module

program objects
    use callbacks
    use check
    implicit none
    integer :: rank, ranks
    integer(MPI_ADDRESS_KIND), parameter :: large = 2_MPI_ADDRESS_KIND**40

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    checked_rank = rank
    call handles()
    call attributes()
    call predefined_attributes()
    call operators()
    call error_handlers()
    call strings()
    call infos()
    call types()
    call groups()
    call memory()
    call MPI_Finalize()

contains

    subroutine handles()
        type(MPI_Comm) :: one, other
        type(MPI_Comm) :: same
        integer :: i, result
        call MPI_Comm_dup(MPI_COMM_WORLD, one)
        call MPI_Comm_dup(MPI_COMM_WORLD, other)
        same = one
        call expect(one == same .and. one /= other .and. .not. one == MPI_COMM_NULL, 'handles compare')
        call MPI_Comm_compare(one, other, result)
        call expect(result == MPI_CONGRUENT, 'congruent')
        call MPI_Comm_free(one)
        call MPI_Comm_free(other)
        call expect(one == MPI_COMM_NULL .and. other == MPI_COMM_NULL, 'freed handles')
        do i = 1, 300
            call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 0, mod(rank + i, 2) == 1), 0, one)
            call expect((one == MPI_COMM_NULL) .eqv. mod(rank + i, 2) == 1, 'a split')
            if (one /= MPI_COMM_NULL) call MPI_Comm_free(one)
        end do
    end subroutine

    subroutine attributes()
        type(MPI_Comm) :: dup, dup_of_dup
        integer :: keyval, plain
        integer(MPI_ADDRESS_KIND) :: value
        logical :: found
        call MPI_Comm_create_keyval(copy_attribute, delete_attribute, keyval, large)
        call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, plain, 0_MPI_ADDRESS_KIND)
        call MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, found)
        call expect(.not. found, 'an attribute that is not there')
        call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 3 * large + rank)
        call MPI_Comm_set_attr(MPI_COMM_WORLD, plain, -5_MPI_ADDRESS_KIND)
        call MPI_Comm_dup(MPI_COMM_WORLD, dup)
        call MPI_Comm_get_attr(dup, keyval, value, found)
        call expect(found .and. value == 4 * large + rank .and. copies == 1, 'a copied attribute')
        call MPI_Comm_get_attr(dup, plain, value, found)
        call expect(found .and. value == -5, 'MPI_COMM_DUP_FN')
        call MPI_Comm_dup(dup, dup_of_dup)
        call MPI_Comm_get_attr(dup_of_dup, keyval, value, found)
        call expect(.not. found .and. copies == 2, 'an attribute that is not copied')
        call MPI_Comm_free(dup_of_dup)
        call MPI_Comm_free(dup)
        call expect(deletes == 1, 'a deleted attribute')
        call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 1_MPI_ADDRESS_KIND)
        call expect(deletes == 2, 'an attribute that was set anew')
        call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
        call MPI_Comm_delete_attr(MPI_COMM_WORLD, plain)
        call expect(deletes == 3, 'an attribute that was removed')
        call MPI_Comm_free_keyval(keyval)
        call MPI_Comm_free_keyval(plain)
        call expect(keyval == MPI_KEYVAL_INVALID, 'a freed key')
    end subroutine

    subroutine predefined_attributes()
        integer(MPI_ADDRESS_KIND) :: value, address
        integer, asynchronous :: memory(10)
        type(MPI_Win) :: window
        logical :: found
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, found)
        call expect(found .and. value >= 32767, 'MPI_TAG_UB')
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, found)
        call expect(found .and. (value == 0 .or. value == 1), 'MPI_WTIME_IS_GLOBAL')
        call MPI_Win_create(memory, 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
        call MPI_Win_get_attr(window, MPI_WIN_SIZE, value, found)
        call expect(found .and. value == 40, 'MPI_WIN_SIZE')
        call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, value, found)
        call expect(found .and. value == 4, 'MPI_WIN_DISP_UNIT')
        call MPI_Get_address(memory, address)
        call MPI_Win_get_attr(window, MPI_WIN_BASE, value, found)
        call expect(found .and. value == address, 'MPI_WIN_BASE')
        call MPI_Win_free(window)
    end subroutine

    subroutine operators()
        type(MPI_Op) :: op
        integer :: value(3), result(3)
        logical :: commutes
        call MPI_Op_create(farther, .true., op)
        call MPI_Op_commutative(op, commutes)
        call expect(commutes, 'commutes')
        value = [rank, -rank, 7 - rank]
        call MPI_Allreduce(value, result, 3, MPI_INTEGER, op, MPI_COMM_WORLD)
        call expect(all(result == [ranks - 1, 1 - ranks, 7]), 'an operator')
        call MPI_Op_free(op)
        call expect(op == MPI_OP_NULL, 'a freed operator')
    end subroutine

    subroutine error_handlers()
        type(MPI_Errhandler) :: handler, set
        type(MPI_Comm) :: dup
        integer :: code, error_class, length
        character(MPI_MAX_ERROR_STRING) :: text
        call MPI_Comm_dup(MPI_COMM_WORLD, dup)
        call MPI_Comm_create_errhandler(handle_error, handler)
        call MPI_Comm_set_errhandler(dup, handler)
        call MPI_Comm_get_errhandler(dup, set)
        call expect(set == handler, 'the error handler')
        call MPI_Send(length, 1, MPI_INTEGER, ranks + 3, 0, dup, code)
        call MPI_Error_class(code, error_class)
        call expect(error_class == MPI_ERR_RANK .and. handled == code .and. handled_comm == dup, 'an error is handled')
        call MPI_Error_string(code, text, length)
        call expect(length > 0 .and. length == len_trim(text), 'the words of an error')
        call MPI_Errhandler_free(handler)
        call MPI_Errhandler_free(set)
        call MPI_Comm_free(dup)
    end subroutine

    subroutine strings()
        type(MPI_Comm) :: dup
        character(MPI_MAX_OBJECT_NAME) :: name
        character(MPI_MAX_PROCESSOR_NAME) :: host
        integer :: length
        call MPI_Comm_dup(MPI_COMM_WORLD, dup)
        call MPI_Comm_set_name(dup, 'a name of 22 letters..   ')
        call MPI_Comm_get_name(dup, name, length)
        call expect(length == 22 .and. name == 'a name of 22 letters..', 'a name')
        call MPI_Comm_set_name(dup, '   ')
        call MPI_Comm_get_name(dup, name, length)
        call expect(length == 0 .and. name == '', 'no name')
        call MPI_Comm_free(dup)
        call MPI_Get_processor_name(host, length)
        call expect(length > 0 .and. length == len_trim(host), 'the name of the processor')
    end subroutine

    subroutine infos()
        type(MPI_Info) :: info
        character(20) :: value
        integer :: length, keys
        logical :: found
        call MPI_Info_create(info)
        call MPI_Info_set(info, ' key ', '  a value ')
        call MPI_Info_get_nkeys(info, keys)
        call expect(keys == 1, 'the number of keys')
        call MPI_Info_get_nthkey(info, 0, value)
        call expect(value == 'key', 'a key')
        value = 'unchanged'
        call MPI_Info_get(info, 'other', 20, value, found)
        call expect(.not. found .and. value == 'unchanged', 'a key that is not there')
        call MPI_Info_get(info, 'key', 20, value, found)
        call expect(found .and. value == 'a value', 'a value')
        call MPI_Info_get_valuelen(info, 'key', length, found)
        call expect(found .and. length == 7, 'MPI_Info_get_valuelen')
        call MPI_Info_free(info)
    end subroutine

    subroutine types()
        type(MPI_Datatype) :: made, inner(2), of(2)
        integer :: integers(5), numbers(4), size, kind
        integer(MPI_ADDRESS_KIND) :: addresses(2), lb, extent
        real(8) :: x(3)
        complex :: c
        of = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
        call MPI_Type_create_struct(2, [3, 1], [0_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND], of, made)
        call MPI_Type_commit(made)
        call MPI_Type_size(made, size)
        call MPI_Type_get_extent(made, lb, extent)
        call expect(size == 20 .and. lb == 0 .and. extent == 24, 'a structure')
        call MPI_Type_get_envelope(made, numbers(1), numbers(2), numbers(3), numbers(4))
        call expect(all(numbers == [3, 2, 2, MPI_COMBINER_STRUCT]), 'how it was made')
        call MPI_Type_get_contents(made, 5, 2, 2, integers, addresses, inner)
        call expect(all(integers(1:3) == [2, 3, 1]) .and. all(addresses == [0, 16]) .and. all(inner == of), 'what of')
        call MPI_Type_free(made)
        call expect(made == MPI_DATATYPE_NULL, 'a freed type')
        call MPI_Type_create_f90_real(15, 300, made)
        call MPI_Type_size(made, size)
        call expect(size == 8, 'a real of 15 digits')
        call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, made)
        call expect(made == MPI_INTEGER8, 'an integer of 8 bytes')
        call MPI_Sizeof(x, size)
        call MPI_Sizeof(c, kind)
        call expect(size == 8 .and. kind == 8, 'MPI_Sizeof')
    end subroutine

    subroutine groups()
        type(MPI_Group) :: world, some
        integer :: ranges(3, 1), translated(2), size
        call MPI_Comm_group(MPI_COMM_WORLD, world)
        ranges(:, 1) = [ranks - 1, 0, -1]
        call MPI_Group_range_incl(world, 1, ranges, some)
        call MPI_Group_size(some, size)
        call MPI_Group_translate_ranks(some, 2, [0, MPI_PROC_NULL], world, translated)
        call expect(size == ranks .and. all(translated == [ranks - 1, MPI_PROC_NULL]), 'a group')
        call MPI_Group_free(some)
        call MPI_Group_free(world)
        call expect(world == MPI_GROUP_NULL, 'a freed group')
    end subroutine

    subroutine memory()
        type(c_ptr) :: place, detached
        integer, pointer :: numbers(:)
        type(MPI_Win) :: window
        integer(MPI_ADDRESS_KIND) :: size
        character, target, asynchronous :: attached(10000)
        integer :: unit, bytes, i
        call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, place)
        call c_f_pointer(place, numbers, [100])
        numbers = 3
        call expect(sum(numbers) == 300, 'allocated memory')
        call MPI_Free_mem(numbers)
        call MPI_Win_allocate_shared(8_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_SELF, place, window)
        call MPI_Win_shared_query(window, 0, size, unit, place)
        call expect(size == 8 .and. unit == 4, 'a shared window')
        call MPI_Win_free(window)
        call MPI_Buffer_attach(attached, 10000)
        i = 5
        call MPI_Bsend(i, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF)
        call MPI_Recv(i, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
        call MPI_Buffer_detach(detached, bytes)
        call expect(bytes == 10000 .and. transfer(detached, size) == loc(attached), 'a detached buffer')
    end subroutine
end program
