! Solves Laplace's equation in a square by Jacobi's method, on a grid of ranks, by mpi_f08: rows and columns of an array are
! sections of it, which calls take as they are. The edge has the values x + y, and so has the solution: the program checks
! that. The argument is the number of cells on a side.
program jacobi
    use mpi_f08
    implicit none
    type(MPI_Comm) :: grid
    type(MPI_Request) :: requests(8)
    integer :: rank, ranks, side, dimension, step, i, j
    integer :: dims(2), coords(2), first(2), cells(2), before(2), after(2)
    logical :: periods(2)
    double precision :: change, wrong
    double precision, allocatable, asynchronous :: now(:, :)
    double precision, allocatable :: next(:, :)
    character(len=20) :: argument

    if (.not. MPI_SUBARRAYS_SUPPORTED) error stop 'this MPI takes no sections of arrays in non-blocking calls'
    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    dims = 0
    periods = .false.
    call MPI_Dims_create(ranks, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., grid)
    call MPI_Comm_rank(grid, rank)
    call MPI_Cart_coords(grid, rank, 2, coords)
    side = 16
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) side
    end if
    do dimension = 1, 2
        call MPI_Cart_shift(grid, dimension - 1, 1, before(dimension), after(dimension))
        first(dimension) = side * coords(dimension) / dims(dimension)
        cells(dimension) = side * (coords(dimension) + 1) / dims(dimension) - first(dimension)
    end do

    ! This rank's cells, with an edge all around: the neighbours' cells, or the edge of the square.
    allocate (now(0:cells(1) + 1, 0:cells(2) + 1), next(0:cells(1) + 1, 0:cells(2) + 1))
    do j = 0, cells(2) + 1
        do i = 0, cells(1) + 1
            now(i, j) = solution(i, j)
        end do
    end do
    now(1:cells(1), 1:cells(2)) = 0
    next = now

    do step = 1, 100000
        call exchange()
        do j = 1, cells(2)
            do i = 1, cells(1)
                next(i, j) = (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1)) / 4
            end do
        end do
        change = maxval(abs(next(1:cells(1), 1:cells(2)) - now(1:cells(1), 1:cells(2))))
        now(1:cells(1), 1:cells(2)) = next(1:cells(1), 1:cells(2))
        call MPI_Allreduce(MPI_IN_PLACE, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
        if (change < 1d-9) exit
    end do

    wrong = 0
    do j = 1, cells(2)
        do i = 1, cells(1)
            wrong = max(wrong, abs(now(i, j) - solution(i, j)))
        end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
    if (rank == 0) print '(i0, a, i0, a, es8.1)', ranks, ' ranks, ', step, ' steps, error ', wrong
    if (wrong > 1d-5) call MPI_Abort(MPI_COMM_WORLD, 1)
    call MPI_Comm_free(grid)
    call MPI_Finalize()

contains

    double precision function solution(i, j)
        integer, intent(in) :: i, j
        solution = first(1) + i + first(2) + j
    end function

    ! Edges of this rank's cells become those around its neighbours'.
    subroutine exchange()
        integer :: rows, columns
        rows = cells(1)
        columns = cells(2)
        call MPI_Irecv(now(0, 1:columns), columns, MPI_DOUBLE_PRECISION, before(1), 0, grid, requests(1))
        call MPI_Irecv(now(rows + 1, 1:columns), columns, MPI_DOUBLE_PRECISION, after(1), 0, grid, requests(2))
        call MPI_Irecv(now(1:rows, 0), rows, MPI_DOUBLE_PRECISION, before(2), 0, grid, requests(3))
        call MPI_Irecv(now(1:rows, columns + 1), rows, MPI_DOUBLE_PRECISION, after(2), 0, grid, requests(4))
        call MPI_Isend(now(1, 1:columns), columns, MPI_DOUBLE_PRECISION, before(1), 0, grid, requests(5))
        call MPI_Isend(now(rows, 1:columns), columns, MPI_DOUBLE_PRECISION, after(1), 0, grid, requests(6))
        call MPI_Isend(now(1:rows, 1), rows, MPI_DOUBLE_PRECISION, before(2), 0, grid, requests(7))
        call MPI_Isend(now(1:rows, columns), rows, MPI_DOUBLE_PRECISION, after(2), 0, grid, requests(8))
        call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
    end subroutine
end program
