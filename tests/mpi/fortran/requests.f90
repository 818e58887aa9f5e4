! Requests and statuses in mpi_f08: indices from 1 on, arrays of handles, probes, persistent and generalized requests.
module request_callbacks
    use mpi_f08
    implicit none
    integer :: queries = 0, frees = 0, cancels = 0

contains

    subroutine query(extra_state, status, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        type(MPI_Status) :: status
        integer :: ierror
        queries = queries + 1
        call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
        call MPI_Status_set_cancelled(status, .false.)
        status%MPI_SOURCE = 17
        ierror = MPI_SUCCESS
    end subroutine

    subroutine release(extra_state, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        integer :: ierror
        if (extra_state == 5) frees = frees + 1
        ierror = MPI_SUCCESS
    end subroutine

    subroutine cancel(extra_state, complete, ierror)
        integer(MPI_ADDRESS_KIND) :: extra_state
        logical :: complete
        integer :: ierror
        if (.not. complete .and. extra_state == 5) cancels = cancels + 1
        ierror = MPI_SUCCESS
    end subroutine
end module

program requests
    use request_callbacks
    use check
    implicit none
    integer :: rank, ranks, right, left

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    checked_rank = rank
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call many()
    call any_and_some()
    call persistent()
    call probes()
    call generalized()
    call MPI_Finalize()

contains

    ! More than there is room for without allocating.
    subroutine many()
        integer, parameter :: n = 40
        integer, asynchronous :: got(n), sent(n)
        type(MPI_Request) :: all_of_them(2 * n)
        type(MPI_Status) :: statuses(2 * n)
        logical :: done
        integer :: i
        sent = [(1000 * rank + i, i=1, n)]
        do i = 1, n
            call MPI_Irecv(got(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, all_of_them(i))
            call MPI_Isend(sent(i), 1, MPI_INTEGER, right, i, MPI_COMM_WORLD, all_of_them(n + i))
        end do
        call MPI_Waitall(2 * n, all_of_them, statuses)
        call expect(all(all_of_them == MPI_REQUEST_NULL), 'all have ended')
        call expect(all(got == sent + 1000 * (left - rank)), 'all messages')
        call expect(all(statuses(1:n)%MPI_TAG == [(i, i=1, n)]) .and. all(statuses(1:n)%MPI_SOURCE == left), 'statuses')
        call MPI_Testall(2 * n, all_of_them, done, MPI_STATUSES_IGNORE)
        call expect(done, 'nothing is left')
    end subroutine

    subroutine any_and_some()
        integer, asynchronous :: got(3), sent
        type(MPI_Request) :: receives(3)
        type(MPI_Status) :: status, statuses(3)
        integer :: place, places(3), n, total
        logical :: found
        sent = rank
        receives(1) = MPI_REQUEST_NULL
        call MPI_Irecv(got(2), 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, receives(2))
        call MPI_Irecv(got(3), 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, receives(3))
        call MPI_Testany(3, receives, place, found, status)
        call expect(.not. found .and. place == MPI_UNDEFINED, 'nothing has come')
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Send(sent, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD)
        call MPI_Waitany(3, receives, place, status)
        call expect(place == 3 .and. got(3) == left .and. status%MPI_TAG == 3, 'the third one')
        call expect(receives(3) == MPI_REQUEST_NULL .and. receives(2) /= MPI_REQUEST_NULL, 'only the third one')
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Send(sent, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD)
        total = 0
        do while (total == 0)
            call MPI_Testsome(3, receives, n, places, statuses)
            total = n
        end do
        call expect(n == 1 .and. places(1) == 2 .and. statuses(1)%MPI_TAG == 2, 'the second one')
        call MPI_Waitsome(3, receives, n, places, MPI_STATUSES_IGNORE)
        call expect(n == MPI_UNDEFINED, 'none is left')
        call MPI_Waitany(3, receives, place, MPI_STATUS_IGNORE)
        call expect(place == MPI_UNDEFINED, 'no index')
    end subroutine

    subroutine persistent()
        integer, asynchronous :: got(6), sent(6)
        type(MPI_Request) :: both(2)
        integer :: step
        call MPI_Recv_init(got(1:6:2), 3, MPI_INTEGER, left, 0, MPI_COMM_WORLD, both(1))
        call MPI_Send_init(sent(6:1:-2), 3, MPI_INTEGER, right, 0, MPI_COMM_WORLD, both(2))
        do step = 1, 3
            sent = rank + step
            got = -1
            call MPI_Startall(2, both)
            call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
            call expect(all(got(1:6:2) == left + step) .and. all(got(2:6:2) == -1), 'persistent messages')
            call expect(all(both /= MPI_REQUEST_NULL), 'they stay')
        end do
        call MPI_Request_free(both(1))
        call MPI_Request_free(both(2))
        call expect(both(2) == MPI_REQUEST_NULL, 'a freed request')
    end subroutine

    subroutine probes()
        integer :: got(4), n
        type(MPI_Message) :: message
        type(MPI_Status) :: status
        type(MPI_Request) :: sends(2), receive
        logical :: found
        call MPI_Isend([rank, rank], 2, MPI_INTEGER, right, 9, MPI_COMM_WORLD, sends(1))
        call MPI_Wait(sends(1), MPI_STATUS_IGNORE)
        call MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, status)
        call MPI_Get_count(status, MPI_INTEGER, n)
        call expect(status%MPI_SOURCE == left .and. n == 2, 'a probe')
        call MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, message, status)
        call expect(message /= MPI_MESSAGE_NULL .and. status%MPI_TAG == 9, 'a matched probe')
        got = -1
        call MPI_Imrecv(got(1:4:3), 2, MPI_INTEGER, message, receive)
        call MPI_Wait(receive, status)
        call expect(message == MPI_MESSAGE_NULL .and. all(got == [left, -1, -1, left]), 'a matched message')
        call MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE)
        call expect(.not. found, 'there is no other')
        call MPI_Irecv(got, 1, MPI_INTEGER, left, 77, MPI_COMM_WORLD, receive)
        call MPI_Cancel(receive)
        call MPI_Wait(receive, status)
        call MPI_Test_cancelled(status, found)
        call expect(found .and. receive == MPI_REQUEST_NULL, 'a cancelled receive')
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine

    subroutine generalized()
        type(MPI_Request) :: request
        type(MPI_Status) :: status
        integer :: n
        call MPI_Grequest_start(query, release, cancel, 5_MPI_ADDRESS_KIND, request)
        call MPI_Cancel(request)
        call MPI_Grequest_complete(request)
        call MPI_Wait(request, status)
        call MPI_Get_elements(status, MPI_INTEGER, n)
        call expect(queries == 1 .and. frees == 1 .and. cancels == 1, 'its functions are called')
        call expect(n == 5 .and. status%MPI_SOURCE == 17, 'its status')
    end subroutine

end program
