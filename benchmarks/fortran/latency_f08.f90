! Round trips by mpi_f08: of an array, and of every second element of one.
subroutine latency_f08(numbers, count, rounds) bind(C)
    use, intrinsic :: iso_c_binding, only: c_double, c_int
    use mpi_f08
    implicit none
    integer(c_int), value :: count, rounds
    real(c_double) :: numbers(count)
    integer :: round, rank
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    do round = 1, rounds
        if (rank == 0) call MPI_Send(numbers, count, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD)
        call MPI_Recv(numbers, count, MPI_DOUBLE_PRECISION, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        if (rank == 1) call MPI_Send(numbers, count, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD)
    end do
end subroutine

subroutine latency_section(numbers, count, rounds) bind(C)
    use, intrinsic :: iso_c_binding, only: c_double, c_int
    use mpi_f08
    implicit none
    integer(c_int), value :: count, rounds
    real(c_double) :: numbers(2 * count)
    integer :: round, rank
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    do round = 1, rounds
        if (rank == 0) call MPI_Send(numbers(::2), count, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD)
        call MPI_Recv(numbers(::2), count, MPI_DOUBLE_PRECISION, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        if (rank == 1) call MPI_Send(numbers(::2), count, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD)
    end do
end subroutine
