! mpi_f08 takes sections of arrays as they are, in blocking and non-blocking calls, of all ranks of arrays.
program sections
    use mpi_f08
    use check
    implicit none
    integer :: rank, ranks, right, left

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    checked_rank = rank
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call expect(MPI_SUBARRAYS_SUPPORTED, 'MPI_SUBARRAYS_SUPPORTED')
    call vectors()
    call shapes_by_turns()
    call planes()
    call parts_of_rows()
    call structures()
    call derived_types()
    call collectives()
    call reductions()
    call windows()
    call packing()
    call files()
    call wrong_ones()
    call MPI_Finalize()

contains

    subroutine vectors()
        integer :: sent(20), got(20), i, n
        type(MPI_Status) :: status
        sent = [(100 * rank + i, i=1, 20)]
        got = -1
        call MPI_Sendrecv(sent(1:20:3), 7, MPI_INTEGER, right, 1, got(20:2:-3), 7, MPI_INTEGER, left, 1, &
                          MPI_COMM_WORLD, status)
        call expect(all(got(20:2:-3) == [(100 * left + i, i=1, 20, 3)]), 'a vector backwards')
        call expect(count(got == -1) == 13, 'what is beside a vector')
        call MPI_Get_count(status, MPI_INTEGER, n)
        call expect(n == 7, 'the count of a vector')
        got = -1
        ! Fewer than the section has.
        call MPI_Sendrecv(sent(2:20:2), 3, MPI_INTEGER, right, 2, got(1:20:5), 3, MPI_INTEGER, left, 2, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE)
        call expect(all(got(1:11:5) == 100 * left + [2, 4, 6]) .and. count(got == -1) == 17, 'a part of a vector')
        call MPI_Sendrecv(sent(4:3), 0, MPI_INTEGER, right, 3, got(1:0:2), 0, MPI_INTEGER, left, 3, MPI_COMM_WORLD, status)
        call expect(status%MPI_SOURCE == left .and. status%MPI_TAG == 3, 'nothing')
    end subroutine

    ! More shapes than are kept, each of several counts and types, again and again.
    subroutine shapes_by_turns()
        integer :: sent(60), got(60), i, turn, step, number
        sent = [(i, i=1, 60)]
        do turn = 1, 3
            do step = 2, 7
                do number = 1, 4, 3
                    got = -1
                    call MPI_Sendrecv(sent(1:60:step), number, MPI_INTEGER, rank, 0, got(2:60:step), number, MPI_INTEGER, &
                                      rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
                    call expect(all(got(2:2 + step * (number - 1):step) == sent(1:1 + step * (number - 1):step)), 'a turn')
                    call expect(count(got == -1) == 60 - number, 'what is beside it')
                    got = -1
                    call MPI_Sendrecv(sent(1:60:step), 4 * number, MPI_BYTE, rank, 0, got(1:60:step), 4 * number, &
                                      MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
                    call expect(all(got(1:1 + step * (number - 1):step) == sent(1:1 + step * (number - 1):step)), 'bytes')
                    call expect(count(got == -1) == 60 - number, 'what is beside bytes')
                end do
            end do
        end do
    end subroutine

    subroutine planes()
        real(8), asynchronous :: sent(3, 4, 5), got(3, 4, 5)
        type(MPI_Request) :: requests(2)
        integer :: i
        sent = reshape([(1000d0 * rank + i, i=1, 60)], [3, 4, 5])
        got = -1
        call MPI_Irecv(got(3:1:-1, 2:4, 1:5:2), 27, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, requests(1))
        call MPI_Isend(sent(:, 1:3, 5:1:-2), 27, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, requests(2))
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
        call expect(all(requests == MPI_REQUEST_NULL), 'requests have ended')
        call expect(all(got(3:1:-1, 2:4, 1:5:2) == sent(:, 1:3, 5:1:-2) + 1000d0 * (left - rank)), 'planes')
        call expect(count(got == -1) == 33, 'what is beside planes')
    end subroutine

    ! A count that ends within a row, and types whose elements are several of the array's.
    subroutine parts_of_rows()
        integer :: sent(4, 6), got(4, 6), i
        complex :: pairs(5)
        real :: numbers(3, 10)
        type(MPI_Datatype) :: two
        sent = reshape([(i, i=1, 24)], [4, 6])
        got = 0
        call MPI_Sendrecv(sent(1:3, 1:6:2), 7, MPI_INTEGER, rank, 0, got(2:4, 2:6:2), 7, MPI_INTEGER, rank, 0, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call expect(all(got(2:4, 2) == [1, 2, 3]) .and. all(got(2:4, 4) == [9, 10, 11]) .and. got(2, 6) == 17, 'rows')
        call expect(sum(got) == 1 + 2 + 3 + 9 + 10 + 11 + 17, 'no more than rows')
        call MPI_Type_contiguous(2, MPI_INTEGER, two)
        call MPI_Type_commit(two)
        got = 0
        call MPI_Sendrecv(sent(1:3, 1:6:2), 4, two, rank, 0, got(1:4:2, :), 8, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE)
        call expect(all(reshape(got(1:4:2, 1:4), [8]) == [1, 2, 3, 9, 10, 11, 17, 18]), 'pairs of a section')
        call MPI_Type_free(two)
        pairs = [(cmplx(i, -i), i=1, 5)]
        numbers = 0
        call MPI_Sendrecv(pairs(1:5:2), 6, MPI_REAL, rank, 0, numbers(2, 1:6), 6, MPI_REAL, rank, 0, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE)
        call expect(all(numbers(2, 1:6) == [1, -1, 3, -3, 5, -5]), 'parts of elements')
    end subroutine

    subroutine structures()
        type :: particle
            integer :: number
            real(8) :: place(3)
        end type
        type(particle) :: them(6), got(3)
        integer :: i
        do i = 1, 6
            them(i) = particle(i, [i, 2 * i, 3 * i])
        end do
        got%number = 0
        call MPI_Sendrecv(them(2:6:2)%number, 3, MPI_INTEGER, rank, 0, got(3:1:-1)%number, 3, MPI_INTEGER, rank, 0, &
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call expect(got(1)%number == 6 .and. got(2)%number == 4 .and. got(3)%number == 2, 'components')
    end subroutine

    ! A type with gaps of a section with gaps.
    subroutine derived_types()
        integer :: sent(24), got(12), i
        type(MPI_Datatype) :: every_second
        sent = [(i, i=1, 24)]
        call MPI_Type_vector(3, 1, 2, MPI_INTEGER, every_second)
        call MPI_Type_commit(every_second)
        got = 0
        ! Elements 1 3 5 and 6 8 10 of 1 3 5 7 9 11 13 15 17 19 21 23.
        call MPI_Sendrecv(sent(1:24:2), 2, every_second, rank, 0, got(1:12:2), 6, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE)
        call expect(all(got(1:12:2) == [1, 5, 9, 11, 15, 19]) .and. all(got(2:12:2) == 0), 'a type with gaps, sent')
        got = 0
        call MPI_Sendrecv(sent, 3, MPI_INTEGER, rank, 0, got(2:12:2), 1, every_second, rank, 0, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE)
        call expect(all(got == [0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0]), 'a type with gaps, received')
        call MPI_Type_free(every_second)
    end subroutine

    subroutine collectives()
        integer :: grid(6, 4), every(2, 3, 0:ranks - 1), mine(6), root, i, counts(0:ranks - 1), places(0:ranks - 1)
        type(MPI_Request) :: request
        do root = 0, ranks - 1
            grid = -1
            if (rank == root) grid = reshape([(root + i, i=1, 24)], [6, 4])
            call MPI_Bcast(grid(2:6:2, 1:4:3), 6, MPI_INTEGER, root, MPI_COMM_WORLD)
            call expect(all(reshape(grid(2:6:2, 1:4:3), [6]) == root + [2, 4, 6, 20, 22, 24]), 'broadcast')
            if (rank /= root) call expect(count(grid == -1) == 18, 'beside a broadcast')
            ! Both buffers are sections: the root's is of blocks for ranks, so it is copied.
            grid = rank
            every = -1
            call MPI_Gather(grid(1:6:3, 2), 2, MPI_INTEGER, every(:, 2, :), 2, MPI_INTEGER, root, MPI_COMM_WORLD)
            if (rank == root) then
                do i = 0, ranks - 1
                    call expect(every(1, 2, i) == i .and. every(2, 2, i) == i, 'gather')
                end do
                call expect(count(every == -1) == 4 * ranks, 'beside a gather')
            end if
            every = 0
            if (rank == root) every(2, 3, :) = [(10 * i, i=0, ranks - 1)]
            mine = -1
            call MPI_Scatter(every(2, 3, :), 1, MPI_INTEGER, mine(2:6:2), 1, MPI_INTEGER, root, MPI_COMM_WORLD)
            call expect(mine(2) == 10 * rank .and. count(mine == -1) == 5, 'scatter')
        end do
        counts = 1
        places = [(i, i=0, ranks - 1)]
        mine = rank
        every = -1
        call MPI_Allgatherv(mine(3:3), 1, MPI_INTEGER, every(1, 1, :), counts, places, MPI_INTEGER, MPI_COMM_WORLD)
        call expect(every(1, 1, left) == left .and. count(every == -1) == 5 * ranks, 'allgatherv')
        grid = -1
        if (rank == 0) grid = 7
        call MPI_Ibcast(grid(::2, ::2), 6, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call expect(sum(grid(::2, ::2)) == 42, 'ibcast')
    end subroutine

    subroutine reductions()
        integer :: values(9), sums(9), i
        values = [(rank + i, i=1, 9)]
        sums = -1
        call MPI_Allreduce(values(1:9:4), sums(9:1:-4), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect(all(sums(9:1:-4) == ranks * (ranks - 1) / 2 + ranks * [1, 5, 9]) .and. count(sums == -1) == 6, 'allreduce')
        call MPI_Allreduce(MPI_IN_PLACE, values(2:9:3), 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
        call expect(all(values(2:9:3) == ranks - 1 + [2, 5, 8]) .and. values(3) == rank + 3, 'in place')
        call MPI_Reduce_local(sums(9:1:-4), values(1:9:4), 3, MPI_INTEGER, MPI_MIN)
        call expect(all(values(1:9:4) == [rank + 1, ranks - 1 + 5, rank + 9]), 'reduce_local')
    end subroutine

    subroutine windows()
        integer, asynchronous :: memory(4, 3)
        integer :: sent(8), got(8), i
        type(MPI_Win) :: window
        memory = -1
        call MPI_Win_create(memory, 48_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
        sent = [(100 * rank + i, i=1, 8)]
        got = -1
        call MPI_Win_fence(0, window)
        call MPI_Put(sent(2:8:2), 4, MPI_INTEGER, right, 4_MPI_ADDRESS_KIND, 4, MPI_INTEGER, window)
        call MPI_Win_fence(0, window)
        call expect(all(memory(:, 2) == 100 * left + [2, 4, 6, 8]) .and. count(memory == -1) == 8, 'put')
        call MPI_Get(got(8:1:-3), 3, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 3, MPI_INTEGER, window)
        call MPI_Win_fence(0, window)
        call expect(all(got(8:1:-3) == 100 * rank + [4, 6, 8]) .and. count(got == -1) == 5, 'get')
        call MPI_Accumulate(sent(1:8:5), 2, MPI_INTEGER, right, 4_MPI_ADDRESS_KIND, 2, MPI_INTEGER, MPI_SUM, window)
        call MPI_Win_fence(0, window)
        call expect(all(memory(:, 2) == 100 * left + [2 + 1 + 100 * left, 4 + 6 + 100 * left, 6, 8]), 'accumulate')
        call MPI_Win_free(window)
    end subroutine

    subroutine packing()
        integer :: values(10), got(10), i, place
        character :: packed(100)
        integer(MPI_ADDRESS_KIND) :: place_external
        values = [(i, i=1, 10)]
        got = 0
        place = 0
        call MPI_Pack(values(1:10:3), 4, MPI_INTEGER, packed, 100, place, MPI_COMM_WORLD)
        call expect(place == 16, 'the size of what is packed')
        place = 0
        call MPI_Unpack(packed, 100, place, got(10:1:-3), 4, MPI_INTEGER, MPI_COMM_WORLD)
        call expect(all(got(10:1:-3) == [1, 4, 7, 10]) .and. sum(got) == 22, 'unpack')
        place_external = 0
        call MPI_Pack_external('external32', values(2:10:4), 3, MPI_INTEGER, packed, 100_MPI_ADDRESS_KIND, place_external)
        call expect(place_external == 12 .and. ichar(packed(4)) == 2 .and. ichar(packed(8)) == 6, 'external32')
        place_external = 0
        call MPI_Unpack_external('external32 ', packed, 100_MPI_ADDRESS_KIND, place_external, got(1:5:2), 3, MPI_INTEGER)
        call expect(all(got(1:5:2) == [2, 6, 10]), 'from external32')
    end subroutine

    subroutine files()
        integer, asynchronous :: values(10), got(10)
        integer :: i
        integer(MPI_OFFSET_KIND) :: place
        type(MPI_File) :: file
        type(MPI_Status) :: status
        type(MPI_Request) :: request
        values = [(100 * rank + i, i=1, 10)]
        got = -1
        call MPI_File_open(MPI_COMM_WORLD, 'fortran_sections.bin', &
                           MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
        place = 20 * rank
        call MPI_File_write_at_all(file, place, values(1:10:2), 5, MPI_INTEGER, status)
        call MPI_Get_count(status, MPI_INTEGER, i)
        call expect(i == 5, 'the count of a write')
        call MPI_File_sync(file)
        call MPI_Barrier(MPI_COMM_WORLD)
        place = 20 * right
        call MPI_File_iread_at(file, place, got(9:1:-2), 5, MPI_INTEGER, request)
        call MPI_Wait(request, status)
        call expect(all(got(9:1:-2) == 100 * right + [1, 3, 5, 7, 9]) .and. count(got == -1) == 5, 'file')
        call MPI_File_close(file)
        call expect(file == MPI_FILE_NULL, 'a closed file')
    end subroutine

    subroutine wrong_ones()
        integer :: values(10), sums(10), code, error_class
        type(MPI_Request) :: request
        values = 0
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
        ! A copy would be gone when the reduction runs.
        call MPI_Iallreduce(values(1:10:2), sums(1:10:2), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, request, code)
        call MPI_Error_class(code, error_class)
        call expect(error_class == MPI_ERR_BUFFER, 'a section in a non-blocking reduction')
        call MPI_Send(values(1:10:2), 6, MPI_INTEGER, 0, 0, MPI_COMM_SELF, code)
        call MPI_Error_class(code, error_class)
        call expect(error_class == MPI_ERR_BUFFER, 'more than the section has')
        call MPI_Send(values(1:10:2), -1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, code)
        call MPI_Error_class(code, error_class)
        call expect(error_class == MPI_ERR_COUNT, 'a negative count')
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
    end subroutine
end program
