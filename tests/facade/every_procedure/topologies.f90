! Grids and graphs.
subroutine group_topologies()
    @use
    use report
    implicit none
    @include
    integer :: ierr, number, dims(2), at(2), from, to, edges(3), ends(3), lengths(3), i, kind
    logical :: periods(2), flag
    integer :: sources(3), targets(3), weights(3), more_weights(3)
    type(MPI_Comm) :: grid, row, graph

    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call say('MPI_Dims_create', ierr, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, (/ ranks, 1 /), (/ .true., .false. /), .false., grid, ierr)
    call say('MPI_Cart_create', ierr, grid /= MPI_COMM_NULL)
    call MPI_Topo_test(grid, kind, ierr)
    call say('MPI_Topo_test', ierr, (/ kind == MPI_CART, kind == MPI_GRAPH, kind == MPI_UNDEFINED /))
    call MPI_Topo_test(MPI_COMM_WORLD, kind, ierr)
    call say('MPI_Topo_test', ierr, (/ kind == MPI_CART, kind == MPI_GRAPH, kind == MPI_UNDEFINED /))
    call MPI_Cartdim_get(grid, number, ierr)
    call say('MPI_Cartdim_get', ierr, number)
    call MPI_Cart_get(grid, 2, dims, periods, at, ierr)
    call say('MPI_Cart_get', ierr, (/ dims, at /))
    call say('MPI_Cart_get', ierr, periods)
    call MPI_Cart_rank(grid, (/ -1, 0 /), number, ierr)
    call say('MPI_Cart_rank', ierr, number)
    call MPI_Cart_coords(grid, ranks - 1, 2, at, ierr)
    call say('MPI_Cart_coords', ierr, at)
    call MPI_Cart_shift(grid, 0, 1, from, to, ierr)
    call say('MPI_Cart_shift', ierr, (/ from, to /))
    call MPI_Cart_shift(grid, 1, 1, from, to, ierr)
    call say('MPI_Cart_shift', ierr, (/ from == MPI_PROC_NULL, to == MPI_PROC_NULL /))
    call MPI_Cart_sub(grid, (/ .false., .true. /), row, ierr)
    call MPI_Comm_size(row, number, ierr)
    call say('MPI_Cart_sub', ierr, number)
    call MPI_Comm_free(row, ierr)
    call MPI_Cart_map(MPI_COMM_WORLD, 1, (/ ranks /), (/ .true. /), number, ierr)
    call say('MPI_Cart_map', ierr, number)
    call MPI_Comm_free(grid, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ 1 /), (/ .false. /), .false., grid, ierr)
    call say('MPI_Cart_create of a part', ierr, grid == MPI_COMM_NULL)
    if (grid /= MPI_COMM_NULL) call MPI_Comm_free(grid, ierr)

    ! A ring in one direction.
    ends = (/ 1, 2, 3 /)
    edges = (/ (mod(i, ranks), i = 1, 3) /)
    call MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, .false., graph, ierr)
    call say('MPI_Graph_create', ierr, graph /= MPI_COMM_NULL)
    call MPI_Topo_test(graph, kind, ierr)
    call say('MPI_Topo_test', ierr, (/ kind == MPI_CART, kind == MPI_GRAPH, kind == MPI_UNDEFINED /))
    call MPI_Graphdims_get(graph, from, to, ierr)
    call say('MPI_Graphdims_get', ierr, (/ from, to /))
    lengths = -1
    targets = -1
    call MPI_Graph_get(graph, from, to, lengths, targets, ierr)
    call say('MPI_Graph_get', ierr, (/ lengths, targets /))
    call MPI_Graph_neighbors_count(graph, rank, number, ierr)
    call say('MPI_Graph_neighbors_count', ierr, number)
    call MPI_Graph_neighbors(graph, rank, 1, targets, ierr)
    call say('MPI_Graph_neighbors', ierr, targets(1))
    call MPI_Graph_map(MPI_COMM_WORLD, ranks, ends, edges, number, ierr)
    call say('MPI_Graph_map', ierr, number)
    call MPI_Comm_free(graph, ierr)

    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (/ left /), (/ 3 /), 1, (/ right /), (/ 4 /), &
        MPI_INFO_NULL, &
                                        .false., graph, ierr)
    call say('MPI_Dist_graph_create_adjacent', ierr, graph /= MPI_COMM_NULL)
    call neighbours()
    call MPI_Comm_free(graph, ierr)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (/ left /), MPI_UNWEIGHTED, 1, (/ right /), MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierr)
    call say('MPI_Dist_graph_create_adjacent', ierr, graph /= MPI_COMM_NULL)
    call unweighted()
    call MPI_Comm_free(graph, ierr)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, (/ rank /), (/ 1 /), (/ right /), (/ 6 /), MPI_INFO_NULL, .false., &
        graph, ierr)
    call say('MPI_Dist_graph_create', ierr, graph /= MPI_COMM_NULL)
    call neighbours()
    call MPI_Comm_free(graph, ierr)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, (/ rank /), (/ 1 /), (/ right /), MPI_UNWEIGHTED, MPI_INFO_NULL, &
        .false., &
                               graph, ierr)
    call say('MPI_Dist_graph_create', ierr, graph /= MPI_COMM_NULL)
    call unweighted()
    call MPI_Comm_free(graph, ierr)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 0, sources, targets, targets, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, &
        .false., &
                               graph, ierr)
    call MPI_Dist_graph_neighbors_count(graph, from, to, flag, ierr)
    call say('MPI_Dist_graph_create of no edges', ierr, (/ from, to, merge(1, 0, flag) /))
    call MPI_Comm_free(graph, ierr)

contains

    subroutine neighbours()
        call MPI_Dist_graph_neighbors_count(graph, from, to, flag, ierr)
        call say('MPI_Dist_graph_neighbors_count', ierr, (/ from, to, merge(1, 0, flag) /))
        call MPI_Dist_graph_neighbors(graph, 1, sources, weights, 1, targets, more_weights, ierr)
        call say('MPI_Dist_graph_neighbors', ierr, (/ sources(1), weights(1), targets(1), more_weights(1) /))
    end subroutine

    subroutine unweighted()
        call MPI_Dist_graph_neighbors_count(graph, from, to, flag, ierr)
        call say('MPI_Dist_graph_neighbors_count', ierr, (/ from, to, merge(1, 0, flag) /))
        call MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED, ierr)
        call say('MPI_Dist_graph_neighbors', ierr, (/ sources(1), targets(1) /))
    end subroutine
end subroutine
