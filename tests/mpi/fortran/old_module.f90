! The module mpi: handles are integers, buffers of any type pass, sections are copied by the compiler.
program old_module
    use mpi
    use check
    implicit none
    integer :: rank, ranks, ierror, i, code, handler, op, keyval, info, length, place, n
    integer :: numbers(12), sums(3), requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), window
    integer(MPI_ADDRESS_KIND) :: value, address
    real(8) :: x, y(2)
    character(20) :: text
    logical :: flag
    integer, external :: handled
    external :: add_up, note_error, copy_key, delete_key

    call MPI_Init_thread(MPI_THREAD_FUNNELED, i, ierror)
    call expect(i >= MPI_THREAD_FUNNELED .and. ierror == MPI_SUCCESS, 'the thread level')
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    checked_rank = rank
    call expect(.not. MPI_SUBARRAYS_SUPPORTED, 'MPI_SUBARRAYS_SUPPORTED')

    numbers = -1
    if (rank == ranks - 1) numbers(1:12:3) = [1, 2, 3, 4]
    call MPI_Bcast(numbers(1:12:3), 4, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierror)
    call expect(all(numbers(1:12:3) == [1, 2, 3, 4]) .and. count(numbers == -1) == 8, 'a section')
    x = rank
    call MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    call expect(x == ranks * (ranks - 1) / 2, 'a scalar')
    text = 'rank'
    call MPI_Sendrecv_replace(text, 20, MPI_CHARACTER, rank, 0, rank, 0, MPI_COMM_WORLD, status, ierror)
    call expect(text == 'rank' .and. status(MPI_SOURCE) == rank .and. status(MPI_TAG) == 0, 'text and a status')
    y = [rank, rank + 1]
    call MPI_Irecv(x, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, requests(1), ierror)
    call MPI_Isend(y(2), 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_SELF, requests(2), ierror)
    call MPI_Waitall(2, requests, statuses, ierror)
    call expect(x == rank + 1 .and. statuses(MPI_TAG, 1) == 1 .and. all(requests == MPI_REQUEST_NULL), 'waitall')
    call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE, ierror)
    call expect(place == MPI_UNDEFINED, 'no index')

    call MPI_Op_create(add_up, .true., op, ierror)
    call MPI_Allreduce([rank, 1, 2], sums, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
    call expect(all(sums == [ranks * (ranks - 1) / 2, ranks, 2 * ranks]), 'an operator')
    call MPI_Op_free(op, ierror)
    call MPI_Comm_create_errhandler(note_error, handler, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierror)
    call MPI_Send(x, 1, MPI_DOUBLE_PRECISION, 5, 0, MPI_COMM_SELF, code)
    call expect(code /= MPI_SUCCESS .and. handled() == code, 'an error handler')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierror)
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Comm_create_keyval(copy_key, delete_key, keyval, 3_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, 4_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_dup(MPI_COMM_SELF, i, ierror)
    call MPI_Comm_get_attr(i, keyval, value, flag, ierror)
    call expect(flag .and. value == 7, 'an attribute')
    call MPI_Comm_free(i, ierror)
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, n, 0, ierror)
    call MPI_Attr_put(MPI_COMM_SELF, n, -9, ierror)
    call MPI_Comm_dup(MPI_COMM_SELF, i, ierror)
    call MPI_Attr_get(i, n, code, flag, ierror)
    call expect(flag .and. code == -9, 'an attribute of MPI 1')
    call MPI_Comm_free(i, ierror)

    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, 'key', 'value', ierror)
    call MPI_Info_get(info, 'key', 20, text, flag, ierror)
    call expect(flag .and. text == 'value', 'an info')
    call MPI_Info_free(info, ierror)
    call expect(info == MPI_INFO_NULL, 'a freed info')
    call MPI_Win_create(numbers, 48_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
    call MPI_Win_get_attr(window, MPI_WIN_BASE, value, flag, ierror)
    call MPI_Get_address(numbers, address, ierror)
    call expect(flag .and. value == address, 'a window')
    call MPI_Win_free(window, ierror)
    call MPI_Alloc_mem(100_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierror)
    call expect(address /= 0, 'memory')
    call MPI_Sizeof(y, i, ierror)
    call expect(i == 8, 'MPI_Sizeof')
    call MPI_Error_string(MPI_ERR_TAG, text, length, ierror)
    call expect(length > 0 .and. text /= '', 'an error in words')
    call expect(MPI_Wtime() >= 0 .and. MPI_Aint_diff(MPI_Aint_add(8_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND), &
                                                    2_MPI_ADDRESS_KIND) == 10, 'functions')
    call MPI_Finalize(ierror)
end program

subroutine add_up(invec, inoutvec, length, datatype)
    use mpi
    integer :: length, datatype, invec(length), inoutvec(length)
    if (datatype /= MPI_INTEGER) error stop 'the datatype of an operator'
    inoutvec = inoutvec + invec
end subroutine

module last_error
    integer :: code = 0
end module

subroutine note_error(comm, error_code)
    use mpi
    use last_error
    integer :: comm, error_code
    if (comm == MPI_COMM_SELF) code = error_code
end subroutine

integer function handled()
    use last_error
    handled = code
end function

subroutine copy_key(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    use mpi
    integer :: oldcomm, comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
end subroutine

subroutine delete_key(comm, comm_keyval, attribute_val, extra_state, ierror)
    use mpi
    integer :: comm, comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    ierror = MPI_SUCCESS
end subroutine
