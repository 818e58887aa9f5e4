! What other libraries of the day have not: calls of MPI 4, handles of the standard's ABI, statuses of both modules, and
! strings that are cut, errors that are the call's own. The other programs of this folder ask for MPI 3.
module newer_callbacks
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use mpi_f08
    implicit none
    integer :: errors = 0

contains

    ! The larger absolute value, with its sign.
    subroutine farther(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer(MPI_COUNT_KIND) :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:), b(:)
        if (datatype /= MPI_INTEGER) error stop 'the datatype of an operator'
        call c_f_pointer(invec, a, [len])
        call c_f_pointer(inoutvec, b, [len])
        where (abs(a) > abs(b)) b = a
    end subroutine

    subroutine count_error(comm, error_code)
        type(MPI_Comm) :: comm
        integer :: error_code
        if (comm == MPI_COMM_SELF .and. error_code /= MPI_SUCCESS) errors = errors + 1
    end subroutine
end module

program newer
    use newer_callbacks
    use check
    implicit none
    integer :: rank, ranks, i

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    checked_rank = rank
    call numbers()
    call large_counts()
    call large_operator()
    call persistent_collective()
    call strings()
    call infos()
    call converted_statuses()
    call status_of_old_module(rank)
    call wrong_communicators()
    call MPI_Finalize()

contains

    subroutine numbers()
        character(MPI_MAX_LIBRARY_VERSION_STRING) :: version
        integer :: length
        call expect(MPI_COMM_WORLD%MPI_VAL == 257 .and. MPI_COMM_NULL%MPI_VAL == 256, 'predefined handles')
        call MPI_Get_library_version(version, length)
        call expect(index(version, 'Tutti') > 0, 'the version')
        call expect(MPI_MAX_OBJECT_NAME == 127, 'lengths are without an end')
    end subroutine

    subroutine large_counts()
        integer :: values(3), got(3), size
        integer(MPI_COUNT_KIND) :: n, large_size
        integer(MPI_COUNT_KIND) :: counts(ranks)
        integer(MPI_ADDRESS_KIND) :: places(ranks)
        integer :: every(ranks)
        type(MPI_Datatype) :: made
        type(MPI_Status) :: status
        values = rank + [1, 2, 3]
        call MPI_Sendrecv(values, 3_MPI_COUNT_KIND, MPI_INTEGER, rank, 0, got, 3_MPI_COUNT_KIND, MPI_INTEGER, rank, 0, &
                          MPI_COMM_WORLD, status)
        call MPI_Get_count(status, MPI_INTEGER, n)
        call expect(all(got == values) .and. n == 3, 'a large count')
        counts = 1
        places = [(int(ranks - i, MPI_ADDRESS_KIND), i=1, ranks)]
        call MPI_Allgatherv(rank, 1_MPI_COUNT_KIND, MPI_INTEGER, every, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
        call expect(all(every == [(ranks - i, i=1, ranks)]), 'large counts')
        call MPI_Type_contiguous(3_MPI_COUNT_KIND, MPI_REAL, made)
        call MPI_Type_size(made, size)
        call MPI_Type_size(made, large_size)
        call expect(size == 12 .and. large_size == 12, 'a type of large counts')
        call MPI_Type_free(made)
    end subroutine

    subroutine large_operator()
        type(MPI_Op) :: op
        integer :: value(3), result(3)
        logical :: commutes
        value = [rank, -rank, 7 - rank]
        call MPI_Op_create_c(farther, .false., op)
        call MPI_Op_commutative(op, commutes)
        call expect(.not. commutes, 'does not commute')
        call MPI_Allreduce(value, result, 3_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
        call expect(all(result == [ranks - 1, 1 - ranks, 7]), 'an operator of large counts')
        call MPI_Op_free(op)
    end subroutine

    subroutine persistent_collective()
        integer, asynchronous :: got(6)
        type(MPI_Request) :: bcast
        call MPI_Bcast_init(got, 6, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, bcast)
        got = rank
        call MPI_Start(bcast)
        call MPI_Wait(bcast, MPI_STATUS_IGNORE)
        call expect(all(got == ranks - 1), 'a persistent collective')
        call MPI_Request_free(bcast)
        call expect(bcast == MPI_REQUEST_NULL, 'a freed request')
    end subroutine

    subroutine strings()
        type(MPI_Comm) :: dup
        character(10) :: short
        integer :: length
        call MPI_Comm_dup(MPI_COMM_WORLD, dup)
        call MPI_Comm_set_name(dup, 'a name of 22 letters..   ')
        call MPI_Comm_get_name(dup, short, length)
        call expect(length == 22 .and. short == 'a name of ', 'a name that is cut')
        call MPI_Comm_free(dup)
    end subroutine

    subroutine infos()
        type(MPI_Info) :: info
        character(20) :: value
        character(4) :: short
        integer :: length
        logical :: found
        call MPI_Info_create(info)
        call MPI_Info_set(info, ' key ', '  a value ')
        call MPI_Info_get(info, 'key', 4, short, found)
        call expect(found .and. short == 'a va', 'a value that is cut')
        length = 0
        value = 'unchanged'
        call MPI_Info_get_string(info, 'key', length, value, found)
        call expect(found .and. length == 7 .and. value == 'unchanged', 'the length of a value')
        call MPI_Info_get_string(info, 'key', length, value, found)
        call expect(found .and. length == 7 .and. value == 'a value', 'a value by its length')
        length = 3
        call MPI_Info_get_string(info, 'key', length, value, found)
        call expect(found .and. length == 7 .and. value == 'a v', 'a value that is cut by its length')
        call MPI_Info_free(info)
    end subroutine

    subroutine converted_statuses()
        integer :: old(MPI_STATUS_SIZE)
        type(MPI_Status) :: status, again
        status%MPI_SOURCE = 1
        status%MPI_TAG = 2
        status%MPI_ERROR = 3
        call MPI_Status_set_elements(status, MPI_BYTE, 7)
        call MPI_Status_f082f(status, old)
        call expect(old(1) == 1 .and. old(2) == 2 .and. old(3) == 3, 'an old status')
        call MPI_Status_f2f08(old, again)
        call MPI_Get_elements(again, MPI_BYTE, old(1))
        call expect(again%MPI_TAG == 2 .and. old(1) == 7, 'a status again')
    end subroutine

    ! Handlers are called once, for the program's call and no other.
    subroutine wrong_communicators()
        type(MPI_Comm) :: freed, wrong(2)
        type(MPI_Errhandler) :: handler
        integer :: code, sent(1), got(1), counts(1), places(1)
        integer(MPI_ADDRESS_KIND) :: far_places(1)
        type(MPI_Datatype) :: types(1)
        call MPI_Comm_create_errhandler(count_error, handler)
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler)
        call MPI_Comm_dup(MPI_COMM_SELF, freed)
        wrong = [freed, MPI_Comm(0)]
        call MPI_Comm_free(freed)
        sent = 0
        counts = 0
        places = 0
        far_places = 0
        types = MPI_INTEGER
        do i = 1, 2
            call MPI_Alltoallw(sent, counts, places, types, got, counts, places, types, wrong(i), code)
            call expect_error(code, 'MPI_Alltoallw')
            call MPI_Neighbor_alltoallw(sent, counts, far_places, types, got, counts, far_places, types, wrong(i), code)
            call expect_error(code, 'MPI_Neighbor_alltoallw')
            call MPI_Cart_sub(wrong(i), [.true.], freed, code)
            call expect_error(code, 'MPI_Cart_sub')
        end do
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
        call MPI_Errhandler_free(handler)
    end subroutine

    subroutine expect_error(code, call_name)
        integer, intent(in) :: code
        character(*), intent(in) :: call_name
        character(MPI_MAX_ERROR_STRING) :: text
        integer :: error_class, length
        call MPI_Error_class(code, error_class)
        call MPI_Error_string(code, text, length)
        call expect(error_class == MPI_ERR_COMM .and. index(text, call_name) > 0, call_name // ': ' // text(1:length))
        call expect(errors == 1, call_name // ' calls the handler once')
        errors = 0
    end subroutine
end program

subroutine status_of_old_module(rank)
    use mpi
    use check
    integer, intent(in) :: rank
    integer :: status(MPI_STATUS_SIZE), got, ierror
    type(MPI_Status) :: new_status
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, rank, 0, got, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, status, ierror)
    call MPI_Status_f2f08(status, new_status, ierror)
    call expect(new_status%MPI_SOURCE == rank .and. new_status%MPI_TAG == 0, 'a status of the module mpi')
end subroutine
