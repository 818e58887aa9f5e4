! Waiting and testing, persistent messages, and requests that the program completes.
module requests_functions
    implicit none
    integer, save :: calls(3) = 0
contains
    subroutine query(extra, status, ierr)
        @use
        @include
        integer(MPI_ADDRESS_KIND) :: extra
        type(MPI_Status) :: status
        integer :: ierr
        calls(1) = calls(1) + 1
        status%MPI_SOURCE = int(extra)
        status%MPI_TAG = 8
        call MPI_Status_set_elements(status, MPI_INTEGER, 2, ierr)
        call MPI_Status_set_cancelled(status, .false., ierr)
        ierr = MPI_SUCCESS
    end subroutine
    subroutine release(extra, ierr)
        @use
        @include
        integer(MPI_ADDRESS_KIND) :: extra
        integer :: ierr
        calls(2) = calls(2) + int(extra)
        ierr = MPI_SUCCESS
    end subroutine
    subroutine cancel(extra, complete, ierr)
        @use
        @include
        integer(MPI_ADDRESS_KIND) :: extra
        logical :: complete
        integer :: ierr
        calls(3) = calls(3) + int(extra) + merge(100, 0, complete)
        ierr = MPI_SUCCESS
    end subroutine
end module

subroutine group_requests()
    @use
    use report
    implicit none
    @include
    integer, volatile, save :: in(4), out(4)
    integer :: ierr, i, which, done, indices(4)
    logical :: flag
    type(MPI_Request) :: requests(4)
    type(MPI_Status) :: status, statuses(4)
    character, save :: buffer(1000)

    call begin()
    do i = 1, 4
        call MPI_Wait(requests(i), status, ierr)
        if (i <= 2) call say_status('MPI_Wait', ierr, status)
        call say('MPI_Wait', ierr, requests(i) == MPI_REQUEST_NULL)
    end do
    call end_all('MPI_Wait')
    call begin()
    call MPI_Waitall(4, requests, statuses, ierr)
    call say_status('MPI_Waitall', ierr, statuses(1))
    call say_status('MPI_Waitall', ierr, statuses(2))
    call end_all('MPI_Waitall')
    call begin()
    done = 0
    do i = 1, 4
        call MPI_Waitany(4, requests, which, status, ierr)
        done = done + which
    end do
    call say('MPI_Waitany', ierr, done)
    call MPI_Waitany(4, requests, which, status, ierr)
    call say('MPI_Waitany of nothing', ierr, which == MPI_UNDEFINED)
    call end_all('MPI_Waitany')
    call begin()
    i = 0
    flag = .true.
    do while (i < 4)
        call MPI_Waitsome(4, requests, done, indices, statuses, ierr)
        i = i + done
        flag = flag .and. done >= 1 .and. all(indices(1:done) >= 1 .and. indices(1:done) <= 4)
    end do
    call say('MPI_Waitsome', ierr, flag)
    call MPI_Waitsome(4, requests, done, indices, statuses, ierr)
    call say('MPI_Waitsome of nothing', ierr, done == MPI_UNDEFINED)
    call end_all('MPI_Waitsome')

    call begin()
    do i = 1, 4
        flag = .false.
        do while (.not. flag)
            call MPI_Test(requests(i), flag, status, ierr)
        end do
        if (i <= 2) call say_status('MPI_Test', ierr, status)
    end do
    call end_all('MPI_Test')
    call begin()
    flag = .false.
    do while (.not. flag)
        call MPI_Testall(4, requests, flag, statuses, ierr)
    end do
    call say_status('MPI_Testall', ierr, statuses(1))
    call say_status('MPI_Testall', ierr, statuses(2))
    call end_all('MPI_Testall')
    call begin()
    done = 0
    do i = 1, 4
        flag = .false.
        do while (.not. flag)
            call MPI_Testany(4, requests, which, flag, status, ierr)
        end do
        done = done + which
    end do
    call say('MPI_Testany', ierr, done)
    call MPI_Testany(4, requests, which, flag, status, ierr)
    call say('MPI_Testany of nothing', ierr, which == MPI_UNDEFINED .and. flag)
    call end_all('MPI_Testany')
    call begin()
    i = 0
    do while (i < 4)
        call MPI_Testsome(4, requests, done, indices, statuses, ierr)
        i = i + done
    end do
    call say('MPI_Testsome', ierr, i)
    call MPI_Testsome(4, requests, done, indices, statuses, ierr)
    call say('MPI_Testsome of nothing', ierr, done == MPI_UNDEFINED)
    call end_all('MPI_Testsome')
    call begin()
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    call end_all('MPI_Waitall')

    call begin()
    flag = .false.
    do while (.not. flag)
        call MPI_Request_get_status(requests(1), flag, status, ierr)
    end do
    call say_status('MPI_Request_get_status', ierr, status)
    call say('MPI_Request_get_status', ierr, requests(1) /= MPI_REQUEST_NULL)
    call MPI_Waitall(4, requests, statuses, ierr)
    call MPI_Request_get_status(MPI_REQUEST_NULL, flag, status, ierr)
    call say('MPI_Request_get_status of nothing', ierr, flag)
    call MPI_Isend(out(1), 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Request_free(requests(1), ierr)
    call say('MPI_Request_free', ierr, requests(1) == MPI_REQUEST_NULL)
    call MPI_Recv(in(1), 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, status, ierr)

    call persistent()
    call generalized()

contains

    subroutine begin()
        integer :: j
        in = -1
        do j = 1, 4
            out(j) = 10 * rank + j
        end do
        call MPI_Irecv(in(1), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Irecv(in(2), 2, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(2), ierr)
        call MPI_Isend(out(1), 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3), ierr)
        call MPI_Isend(out(2), 2, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(4), ierr)
    end subroutine

    subroutine end_all(name)
        character(*), intent(in) :: name
        integer :: got(4)
        got = in
        call say(name, ierr, got)
        call say(name, ierr, (/ requests(1) == MPI_REQUEST_NULL, requests(2) == MPI_REQUEST_NULL, &
                 requests(3) == MPI_REQUEST_NULL, requests(4) == MPI_REQUEST_NULL /))
    end subroutine

    subroutine persistent()
        integer :: way, got(4)
        type(MPI_Request) :: made(5)
        call MPI_Recv_init(in(1), 1_ck, MPI_INTEGER, left, 11, MPI_COMM_WORLD, made(1), ierr)
        call say('MPI_Recv_init', ierr, made(1) /= MPI_REQUEST_NULL)
        call MPI_Send_init(out(1), 1_ck, MPI_INTEGER, right, 11, MPI_COMM_WORLD, made(2), ierr)
        call say('MPI_Send_init', ierr, made(2) /= MPI_REQUEST_NULL)
        call MPI_Ssend_init(out(1), 1_ck, MPI_INTEGER, right, 11, MPI_COMM_WORLD, made(3), ierr)
        call say('MPI_Ssend_init', ierr, made(3) /= MPI_REQUEST_NULL)
        call MPI_Bsend_init(out(1), 1_ck, MPI_INTEGER, right, 11, MPI_COMM_WORLD, made(4), ierr)
        call say('MPI_Bsend_init', ierr, made(4) /= MPI_REQUEST_NULL)
        call MPI_Rsend_init(out(1), 1_ck, MPI_INTEGER, right, 11, MPI_COMM_WORLD, made(5), ierr)
        call say('MPI_Rsend_init', ierr, made(5) /= MPI_REQUEST_NULL)
        call MPI_Buffer_attach(buffer, 1000_ck, ierr)
        do way = 2, 5
            in = -1
            out(1) = 100 * way + rank
            call MPI_Start(made(1), ierr)
            call say('MPI_Start', ierr)
            call MPI_Barrier(MPI_COMM_WORLD, ierr)
            call MPI_Start(made(way), ierr)
            call MPI_Wait(made(way), MPI_STATUS_IGNORE, ierr)
            call MPI_Wait(made(1), status, ierr)
            call say_status('MPI_Wait', ierr, status)
            got = in
            call say('MPI_Wait', ierr, got)
        end do
        out(1) = 7
        in(1) = -1
        call MPI_Startall(2, made, ierr)
        call say('MPI_Startall', ierr)
        call MPI_Waitall(2, made, statuses, ierr)
        got = in
        call say('MPI_Startall', ierr, got)
        call MPI_Wait(made(1), status, ierr)
        call say('MPI_Wait of one that sleeps', ierr, (/ status%MPI_SOURCE == MPI_ANY_SOURCE, &
            status%MPI_TAG == MPI_ANY_TAG /))
        do way = 1, 5
            call MPI_Request_free(made(way), ierr)
            call say('MPI_Request_free', ierr, made(way) == MPI_REQUEST_NULL)
        end do
        call detach()
    end subroutine

    subroutine detach()
        use, intrinsic :: iso_c_binding
        integer(ck) :: size
#ifdef F08
        type(c_ptr) :: back
        call MPI_Buffer_detach(back, size, ierr)
#else
        call MPI_Buffer_detach(buffer, size, ierr)
#endif
    end subroutine

    subroutine generalized()
        use requests_functions
        type(MPI_Request) :: request
        call MPI_Grequest_start(query, release, cancel, 5_ak, request, ierr)
        call say('MPI_Grequest_start', ierr, request /= MPI_REQUEST_NULL)
        call MPI_Test(request, flag, status, ierr)
        call say('MPI_Test', ierr, flag)
        call MPI_Cancel(request, ierr)
        call say('MPI_Cancel', ierr, calls)
        call MPI_Grequest_complete(request, ierr)
        call say('MPI_Grequest_complete', ierr)
        call MPI_Wait(request, status, ierr)
        call say_status('MPI_Wait', ierr, status)
        call say('MPI_Wait', ierr, calls)
        call say('MPI_Wait', ierr, request == MPI_REQUEST_NULL)
        call MPI_Grequest_start(query, release, cancel, 6_ak, request, ierr)
        call MPI_Grequest_complete(request, ierr)
        requests(1) = request
        call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE, ierr)
        call say('MPI_Waitall', ierr, calls)
        call MPI_Grequest_start(query, release, cancel, 7_ak, request, ierr)
        call MPI_Grequest_complete(request, ierr)
        call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierr)
        call say('MPI_Test', ierr, calls)
    end subroutine
end subroutine
