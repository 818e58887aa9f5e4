! What the other library's part for Fortran reads within objects: integers of groups and of persistent requests, and the
! sizes of communicators.
program objects
    use mpi
    implicit none
    integer :: ierr, rank, ranks, failures = 0, all_failures

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    call groups()
    call persistent()
    call all_to_all(MPI_COMM_WORLD)
    call all_to_all(MPI_COMM_SELF)
    call all_to_all_of_created()
    if (ranks > 1) call between_two()
    call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Finalize(ierr)
    if (all_failures /= 0) stop 1

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        if (holds) return
        failures = failures + 1
        print *, 'failed: ', what, ' on rank', rank
    end subroutine

    subroutine check_group(group, size, what)
        integer, intent(in) :: group, size
        character(*), intent(in) :: what
        integer :: got
        call check(ierr == MPI_SUCCESS, what)
        call check(group /= MPI_GROUP_NULL, what)
        call MPI_Group_size(group, got, ierr)
        call check(ierr == MPI_SUCCESS .and. got == size, what)
    end subroutine

    subroutine groups()
        integer :: world, first, rest, both, none, range(3, 1), comm, got
        call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
        call check_group(world, ranks, 'Comm_group')
        call MPI_Group_incl(world, 1, (/ 0 /), first, ierr)
        call check_group(first, 1, 'Group_incl')
        call MPI_Group_excl(world, 1, (/ 0 /), rest, ierr)
        call check_group(rest, ranks - 1, 'Group_excl')
        call MPI_Group_union(first, rest, both, ierr)
        call check_group(both, ranks, 'Group_union')
        call MPI_Group_intersection(both, first, none, ierr)
        call check_group(none, 1, 'Group_intersection')
        call MPI_Group_free(none, ierr)
        call MPI_Group_difference(both, first, none, ierr)
        call check_group(none, ranks - 1, 'Group_difference')
        call MPI_Group_difference(first, both, none, ierr)
        call check_group(none, 0, 'an empty Group_difference')
        call check(none == MPI_GROUP_EMPTY, 'MPI_GROUP_EMPTY')
        range(:, 1) = (/ 0, ranks - 1, 1 /)
        call MPI_Group_range_incl(world, 1, range, none, ierr)
        call check_group(none, ranks, 'Group_range_incl')
        call MPI_Group_range_excl(world, 1, range, none, ierr)
        call check_group(none, 0, 'Group_range_excl')
        call MPI_Comm_create(MPI_COMM_WORLD, first, comm, ierr)
        call check(ierr == MPI_SUCCESS .and. ((comm == MPI_COMM_NULL) .eqv. (rank /= 0)), 'Comm_create')
        if (comm /= MPI_COMM_NULL) then
            call MPI_Comm_size(comm, got, ierr)
            call check(got == 1, 'the size of the created')
            call MPI_Comm_free(comm, ierr)
        end if
        call MPI_Group_free(first, ierr)
        call check(first == MPI_GROUP_NULL, 'Group_free')
    end subroutine

    subroutine persistent()
        integer, parameter :: ways = 8
        integer, volatile, save :: out, in  ! change outside of calls that name them
        integer :: requests(2), made(2), way, right, left, which, done, indices(2)
        logical :: flag
        right = mod(rank + 1, ranks)
        left = mod(rank + ranks - 1, ranks)
        call MPI_Recv_init(in, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Send_init(out, 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2), ierr)
        made = requests
        do way = 1, ways
            out = 10 * way + rank
            in = -1
            call MPI_Startall(2, requests, ierr)
            call check(ierr == MPI_SUCCESS, 'Startall')
            select case (way)
            case (1)
                call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
                call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
            case (2)
                call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
            case (3)
                call MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE, ierr)
                call MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE, ierr)
            case (4)
                done = 0
                do while (done < 2)
                    call MPI_Waitsome(2, requests, which, indices, MPI_STATUSES_IGNORE, ierr)
                    done = done + which
                end do
            case (5)
                flag = .false.
                do while (.not. flag)
                    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
                end do
                call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
            case (6)
                flag = .false.
                do while (.not. flag)
                    call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, ierr)
                end do
            case (7)
                do done = 1, 2
                    flag = .false.
                    do while (.not. flag)
                        call MPI_Testany(2, requests, which, flag, MPI_STATUS_IGNORE, ierr)
                    end do
                end do
            case (8)
                done = 0
                do while (done < 2)
                    call MPI_Testsome(2, requests, which, indices, MPI_STATUSES_IGNORE, ierr)
                    done = done + which
                end do
            end select
            call check(in == 10 * way + left, 'what a persistent request received')
            call check(all(requests == made), 'a persistent request behind its end')
        end do
        call MPI_Request_free(requests(1), ierr)
        call MPI_Request_free(requests(2), ierr)
        call check(all(requests == MPI_REQUEST_NULL), 'Request_free')
    end subroutine

    subroutine all_to_all(comm)
        integer, intent(in) :: comm
        integer :: size, own, i, request
        integer, allocatable :: counts(:), places(:), types(:), out(:), in(:)
        call MPI_Comm_rank(comm, own, ierr)
        call MPI_Comm_size(comm, size, ierr)
        allocate (counts(size), places(size), types(size), out(size), in(size))
        counts = 1
        types = MPI_INTEGER
        places = (/ (4 * i, i = 0, size - 1) /)
        out = (/ (100 * own + i, i = 0, size - 1) /)
        in = -1
        call MPI_Alltoallw(out, counts, places, types, in, counts, places, types, comm, ierr)
        call check(ierr == MPI_SUCCESS .and. all(in == (/ (100 * i + own, i = 0, size - 1) /)), 'Alltoallw')
        in = -1
        call MPI_Ialltoallw(out, counts, places, types, in, counts, places, types, comm, request, ierr)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
        call check(ierr == MPI_SUCCESS .and. all(in == (/ (100 * i + own, i = 0, size - 1) /)), 'Ialltoallw')
        call check(request == MPI_REQUEST_NULL, 'a request behind its end')
    end subroutine

    subroutine all_to_all_of_created()
        integer :: comm, half
        call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
        call all_to_all(comm)
        call MPI_Comm_split(comm, mod(rank, 2), -rank, half, ierr)
        call all_to_all(half)
        call MPI_Comm_free(half, ierr)
        call MPI_Comm_free(comm, ierr)
    end subroutine

    ! Ranks 0 and the others, who exchange with all of the other side.
    subroutine between_two()
        integer :: half, inter, size, remote, i, side
        integer, allocatable :: counts(:), places(:), types(:), out(:), in(:)
        side = merge(0, 1, rank == 0)
        call MPI_Comm_split(MPI_COMM_WORLD, side, rank, half, ierr)
        call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 7, inter, ierr)
        call MPI_Comm_size(inter, size, ierr)
        call MPI_Comm_remote_size(inter, remote, ierr)
        call check(size == merge(1, ranks - 1, rank == 0) .and. remote == ranks - size, 'sizes of an intercommunicator')
        allocate (counts(remote), places(remote), types(remote), out(remote), in(remote))
        counts = 1
        types = MPI_INTEGER
        places = (/ (4 * i, i = 0, remote - 1) /)
        out = 1000 + rank
        in = -1
        call MPI_Alltoallw(out, counts, places, types, in, counts, places, types, inter, ierr)
        call check(ierr == MPI_SUCCESS, 'Alltoallw between two groups')
        if (rank == 0) call check(all(in == (/ (1000 + i, i = 1, ranks - 1) /)), 'what rank 0 got')
        if (rank /= 0) call check(in(1) == 1000, 'what the others got')
        call MPI_Comm_free(inter, ierr)
        call MPI_Comm_free(half, ierr)
    end subroutine
end program
