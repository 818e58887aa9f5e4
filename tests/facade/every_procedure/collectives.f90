! Collectives. A line @collective NAME(ARGUMENTS) RESULT is the blocking call, the non-blocking one and the persistent
! one, each with its result.
subroutine group_collectives()
    @use
    use report
    implicit none
    @include
    integer :: ierr, i, mine(6), all_of(6), one(2)
    integer(ck) :: counts(3), twos(3)
    integer(dk) :: places(3), bytes(3)
    type(MPI_Datatype) :: types(3)
    type(MPI_Request) :: request
    type(MPI_Op) :: op
    type(MPI_Comm) :: world
    logical :: flag
    external :: largest_plus_one

    world = MPI_COMM_WORLD
    mine = (/ (100 * rank + i, i = 1, 6) /)
    ! Rank i has i + 1 elements, two apart.
    counts = (/ 1, 2, 3 /)
    places = (/ 0, 1, 3 /)
    twos = 2
    bytes = (/ 0, 8, 16 /)
    types = MPI_INTEGER

    @collective Barrier(world) one
    one = (/ rank, rank + 1 /)
    @collective Bcast(one, 2_ck, MPI_INTEGER, 0, world) one
    @collective Gather(mine, 2_ck, MPI_INTEGER, all_of, 2_ck, MPI_INTEGER, 0, world) all_of
    @collective Gatherv(mine, counts(rank + 1), MPI_INTEGER, all_of, counts, places, MPI_INTEGER, 0, world) all_of
    @collective Scatter(mine, 2_ck, MPI_INTEGER, all_of, 2_ck, MPI_INTEGER, 0, world) all_of
    @collective Scatterv(mine, counts, places, MPI_INTEGER, all_of, counts(rank + 1), MPI_INTEGER, 0, world) all_of
    @collective Allgather(mine, 2_ck, MPI_INTEGER, all_of, 2_ck, MPI_INTEGER, world) all_of
    @collective Allgatherv(mine, counts(rank + 1), MPI_INTEGER, all_of, counts, places, MPI_INTEGER, world) all_of
    @collective Alltoall(mine, 2_ck, MPI_INTEGER, all_of, 2_ck, MPI_INTEGER, world) all_of
    places = (/ 0, 2, 4 /)
    @collective Alltoallv(mine, twos, places, MPI_INTEGER, all_of, twos, places, MPI_INTEGER, world) all_of
    @collective Alltoallw(mine, twos, bytes, types, all_of, twos, bytes, types, world) all_of
    @collective Reduce(mine, all_of, 3_ck, MPI_INTEGER, MPI_SUM, 0, world) all_of
    @collective Allreduce(mine, all_of, 3_ck, MPI_INTEGER, MPI_MAX, world) all_of
    @collective Reduce_scatter_block(mine, all_of, 2_ck, MPI_INTEGER, MPI_SUM, world) all_of
    @collective Reduce_scatter(mine, all_of, counts, MPI_INTEGER, MPI_PROD, world) all_of
    @collective Scan(mine, all_of, 3_ck, MPI_INTEGER, MPI_SUM, world) all_of
    @collective Exscan(mine, all_of, 3_ck, MPI_INTEGER, MPI_SUM, world) all_of

    all_of = (/ (10 * i + rank, i = 1, 6) /)
    @collective Allreduce(MPI_IN_PLACE, all_of, 6_ck, MPI_INTEGER, MPI_MIN, world) all_of
    all_of = mine
    @collective Allgather(MPI_IN_PLACE, 0_ck, MPI_DATATYPE_NULL, all_of, 2_ck, MPI_INTEGER, world) all_of
    all_of = mine
    @collective Alltoallv(MPI_IN_PLACE, twos, places, MPI_INTEGER, all_of, twos, places, MPI_INTEGER, world) all_of
    all_of = mine
    @collective Alltoallw(MPI_IN_PLACE, twos, bytes, types, all_of, twos, bytes, types, world) all_of

    all_of(1:3) = 1000
    call MPI_Reduce_local(mine, all_of, 3_ck, MPI_INTEGER, MPI_MIN, ierr)
    call say('MPI_Reduce_local', ierr, all_of(1:3))
    call MPI_Op_create(largest_plus_one, .true., op, ierr)
    call say('MPI_Op_create', ierr, op /= MPI_OP_NULL)
    call MPI_Op_commutative(op, flag, ierr)
    call say('MPI_Op_commutative', ierr, flag)
    call MPI_Op_commutative(MPI_SUM, flag, ierr)
    call say('MPI_Op_commutative', ierr, flag)
    @collective Allreduce(mine, all_of, 3_ck, MPI_INTEGER, op, world) all_of
    all_of = 3
    call MPI_Reduce_local(mine, all_of, 2_ck, MPI_INTEGER, op, ierr)
    call say('MPI_Reduce_local', ierr, all_of)
    call MPI_Op_free(op, ierr)
    call say('MPI_Op_free', ierr, op == MPI_OP_NULL)
    call MPI_Op_create(largest_plus_one, .false., op, ierr)
    call MPI_Op_commutative(op, flag, ierr)
    call say('MPI_Op_commutative', ierr, flag)
    call MPI_Op_free(op, ierr)
end subroutine

subroutine largest_plus_one(in, inout, length, datatype)
    @use
    @include
    integer :: length, i
    type(MPI_Datatype) :: datatype
    integer :: in(*), inout(*)
    do i = 1, length
        inout(i) = max(in(i), inout(i))
    end do
    if (datatype == MPI_INTEGER) inout(1:length) = inout(1:length) + 1
end subroutine

! To both neighbours on a ring, and between two groups.
subroutine group_neighbours()
    @use
    use report
    implicit none
    @include
    integer :: ierr, mine(4), all_of(4), half, inter_size
    integer(ck) :: twos(2)
    integer(dk) :: places(2)
    integer(ak) :: bytes(2)
    type(MPI_Datatype) :: types(2)
    type(MPI_Comm) :: ring, side, inter
    type(MPI_Request) :: request

    mine = (/ 10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3 /)
    twos = 2
    places = (/ 0, 2 /)
    bytes = (/ 0, 8 /)
    types = MPI_INTEGER
    call MPI_Cart_create(MPI_COMM_WORLD, 1, (/ ranks /), (/ .true. /), .false., ring, ierr)
    @collective Neighbor_allgather(mine, 2_ck, MPI_INTEGER, all_of, 2_ck, MPI_INTEGER, ring) all_of
    @collective Neighbor_allgatherv(mine, 2_ck, MPI_INTEGER, all_of, twos, places, MPI_INTEGER, ring) all_of
    if (ranks > 2) then
        ! With fewer, both neighbours are one rank, and libraries disagree about the order.
        @collective Neighbor_alltoall(mine, 2_ck, MPI_INTEGER, all_of, 2_ck, MPI_INTEGER, ring) all_of
        @collective Neighbor_alltoallv(mine, twos, places, MPI_INTEGER, all_of, twos, places, MPI_INTEGER, ring) all_of
    end if
    call MPI_Comm_free(ring, ierr)
    ! MPICH's module mpi_f08 has this one for such graphs alone.
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, (/ left, right /), MPI_UNWEIGHTED, 2, (/ left, right /), &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring, ierr)
    if (ranks > 2) then
        @collective Neighbor_alltoallw(mine, twos, bytes, types, all_of, twos, bytes, types, ring) all_of
    end if
    call MPI_Comm_free(ring, ierr)

    if (ranks == 1) return
    half = merge(0, 1, rank == 0)
    call MPI_Comm_split(MPI_COMM_WORLD, half, rank, side, ierr)
    call MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - half, 7, inter, ierr)
    call MPI_Comm_remote_size(inter, inter_size, ierr)
    all_of = -1
    call MPI_Allgather(mine, 1_ck, MPI_INTEGER, all_of, 1_ck, MPI_INTEGER, inter, ierr)
    call say('MPI_Allgather between groups', ierr, all_of)
    all_of = -1
    call MPI_Alltoall(mine, 1_ck, MPI_INTEGER, all_of, 1_ck, MPI_INTEGER, inter, ierr)
    call say('MPI_Alltoall between groups', ierr, all_of)
    all_of = -1
    call MPI_Allreduce(mine, all_of, 2_ck, MPI_INTEGER, MPI_SUM, inter, ierr)
    call say('MPI_Allreduce between groups', ierr, all_of)
    all_of = -1
    if (half == 0) call MPI_Bcast(mine, 4_ck, MPI_INTEGER, MPI_ROOT, inter, ierr)
    if (half == 1) call MPI_Bcast(all_of, 4_ck, MPI_INTEGER, 0, inter, ierr)
    call say('MPI_Bcast between groups', ierr, all_of)
    call MPI_Comm_free(inter, ierr)
    call MPI_Comm_free(side, ierr)
end subroutine
