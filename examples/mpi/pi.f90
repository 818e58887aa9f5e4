! Pi as the area below 4 / (1 + x * x), by the module mpi: each rank sums up a part. The argument is the number of parts.
program pi
    use mpi
    implicit none
    integer :: rank, ranks, i, parts, ierror
    double precision :: x, mine, area
    character(len=20) :: argument

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)

    parts = 1000000
    if (rank == 0 .and. command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) parts
    end if
    call MPI_Bcast(parts, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)

    mine = 0
    do i = rank, parts - 1, ranks
        x = (i + 0.5d0) / parts
        mine = mine + 4 / (1 + x * x)
    end do
    call MPI_Reduce(mine, area, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierror)

    if (rank == 0) then
        area = area / parts
        print '(a, f12.10)', 'pi is ', area
        if (abs(area - 4 * atan(1.0d0)) > 1.0d0 / parts) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
    call MPI_Finalize(ierror)
end program
