! Collectives in mpi_f08 with arrays of counts and types, topologies, and optional arguments.
program collectives
    use mpi_f08
    use check
    implicit none
    integer :: rank, ranks, i

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    checked_rank = rank
    call types_for_each_rank()
    call in_place()
    call grids()
    call graphs()
    call split()
    call MPI_Finalize()

contains

    subroutine types_for_each_rank()
        integer :: sent(ranks), counts(ranks), places(ranks), root
        real(8) :: got(2 * ranks)
        type(MPI_Datatype) :: types(ranks), of_doubles(ranks)
        type(MPI_Request) :: request
        integer :: numbers(ranks)
        sent = [(100 * rank + i, i=1, ranks)]
        counts = 1
        places = [(4 * (i - 1), i=1, ranks)]
        types = MPI_INTEGER
        numbers = -1
        call MPI_Alltoallw(sent, counts, places, types, numbers, counts, places, types, MPI_COMM_WORLD)
        call expect(all(numbers == [(100 * (i - 1) + rank + 1, i=1, ranks)]), 'alltoallw')
        numbers = -1
        call MPI_Ialltoallw(sent, counts, places, types, numbers, counts, places, types, MPI_COMM_WORLD, request)
        types = MPI_DATATYPE_NULL
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect(all(numbers == [(100 * (i - 1) + rank + 1, i=1, ranks)]), 'ialltoallw')
        got = rank
        of_doubles = MPI_DOUBLE_PRECISION
        counts = 2
        places = [(16 * (i - 1), i=1, ranks)]
        call MPI_Alltoallw(MPI_IN_PLACE, counts, places, of_doubles, got, counts, places, of_doubles, MPI_COMM_WORLD)
        call expect(all(got == [(real((i - 1) / 2, 8), i=1, 2 * ranks)]), 'alltoallw in place')
        counts = [(i - 1, i=1, ranks)]
        places = [((i - 1) * (i - 2) / 2, i=1, ranks)]
        do root = 0, ranks - 1
            block
                integer :: mine(ranks), all_of_them(ranks * (ranks - 1) / 2)
                mine = rank
                all_of_them = -1
                call MPI_Gatherv(mine, rank, MPI_INTEGER, all_of_them, counts, places, MPI_INTEGER, root, MPI_COMM_WORLD)
                if (rank == root) call expect(sum(all_of_them) == sum([((i - 1)**2, i=1, ranks)]), 'gatherv')
                mine = -1
                call MPI_Scatterv(all_of_them, counts, places, MPI_INTEGER, mine, rank, MPI_INTEGER, root, MPI_COMM_WORLD)
                call expect(all(mine(1:rank) == rank) .and. all(mine(rank + 1:) == -1), 'scatterv')
            end block
        end do
    end subroutine

    subroutine in_place()
        integer :: values(ranks), value, root, code
        values = -1
        values(rank + 1) = rank
        call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
        call expect(code == MPI_SUCCESS .and. all(values == [(i - 1, i=1, ranks)]), 'allgather in place')
        do root = 0, ranks - 1
            value = rank + 1
            if (rank == root) then
                call MPI_Reduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD)
                call expect(value == ranks * (ranks + 1) / 2, 'reduce in place')
            else
                call MPI_Reduce(value, MPI_BOTTOM, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD)
            end if
        end do
        value = rank + 1
        call MPI_Scan(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect(value == (rank + 1) * (rank + 2) / 2, 'scan in place')
    end subroutine

    subroutine grids()
        type(MPI_Comm) :: grid, row
        integer :: dims(2), coords(2), got(2), before, after, other, around(4)
        logical :: periods(2)
        dims = [0, 1]
        call MPI_Dims_create(ranks, 2, dims)
        call expect(all(dims == [ranks, 1]), 'dimensions')
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid)
        call MPI_Cart_get(grid, 2, got, periods, coords)
        call expect(all(got == dims) .and. periods(1) .and. .not. periods(2) .and. all(coords == [rank, 0]), 'a grid')
        call MPI_Cart_rank(grid, [rank + ranks, 0], other)
        call expect(other == rank, 'around a grid')
        call MPI_Cart_shift(grid, 1, 1, before, after)
        call expect(before == MPI_PROC_NULL .and. after == MPI_PROC_NULL, 'the edge of a grid')
        around = -1
        call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, around, 1, MPI_INTEGER, grid)
        call expect(all(around == [mod(rank + ranks - 1, ranks), mod(rank + 1, ranks), -1, -1]), 'neighbours')
        call MPI_Cart_sub(grid, [.false., .true.], row)
        call MPI_Comm_size(row, other)
        call expect(other == 1, 'a part of a grid')
        call MPI_Comm_free(row)
        call MPI_Comm_free(grid)
    end subroutine

    subroutine graphs()
        type(MPI_Comm) :: graph
        integer :: from(1), to(1), weights_in(1), weights_out(1), incoming, outgoing, got(1)
        integer(MPI_ADDRESS_KIND) :: place(1)
        logical :: weighted
        from = mod(rank + ranks - 1, ranks)
        to = mod(rank + 1, ranks)
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                            .false., graph)
        call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, weighted)
        call expect(incoming == 1 .and. outgoing == 1 .and. .not. weighted, 'a graph')
        call MPI_Dist_graph_neighbors(graph, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED)
        call expect(to(1) == mod(rank + 1, ranks), 'its neighbours')
        place = 0
        call MPI_Neighbor_alltoallw([rank], [1], place, [MPI_INTEGER], got, [1], place, [MPI_INTEGER], graph)
        call expect(got(1) == from(1), 'neighbours with types')
        call MPI_Comm_free(graph)
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, [3], 1, to, [4], MPI_INFO_NULL, .false., graph)
        call MPI_Dist_graph_neighbors(graph, 1, from, weights_in, 1, to, weights_out)
        call expect(weights_in(1) == 3 .and. weights_out(1) == 4, 'weights')
        call MPI_Comm_free(graph)
    end subroutine

    subroutine split()
        type(MPI_Comm) :: part, merged, between
        integer :: n
        call MPI_Comm_split(MPI_COMM_WORLD, merge(1, 0, rank == 0), rank, part)
        if (ranks > 1) then
            call MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, merge(1, 0, rank == 0), 3, between)
            call MPI_Intercomm_merge(between, rank == 0, merged)
            call MPI_Comm_rank(merged, n)
            call expect(n == merge(ranks - 1, rank - 1, rank == 0), 'the high group comes last')
            call MPI_Comm_free(merged)
            call MPI_Comm_free(between)
        end if
        call MPI_Comm_free(part)
    end subroutine
end program
