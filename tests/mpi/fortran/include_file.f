!     mpif.h in fixed form: implicit interfaces, sentinels in common blocks, MPI 1's calls.
      program include_file
      implicit none
      include 'mpif.h'
      integer rank, ranks, ierror, i, right, left
      integer status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE,2)
      integer requests(2), sent(4), got(4), sum, place, types(2)
      integer counts(2), made, size, comm, coords(2), dims(2)
      integer kinds(2), blocks(2)
      integer (kind=MPI_ADDRESS_KIND) value, address, places(2)
      logical flag, periods(2)
      double precision x
      character*16 text
      external maximum
      integer op

      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      right = mod(rank + 1, ranks)
      left = mod(rank + ranks - 1, ranks)
      do i = 1, 4
         sent(i) = 10 * rank + i
         got(i) = -1
      end do
      call MPI_IRECV(got, 4, MPI_INTEGER, left, 5, MPI_COMM_WORLD,
     &               requests(1), ierror)
      call MPI_ISEND(sent, 4, MPI_INTEGER, right, 5, MPI_COMM_WORLD,
     &               requests(2), ierror)
      call MPI_WAITALL(2, requests, statuses, ierror)
      call check(got(4) .eq. 10 * left + 4, 'a message')
      call check(statuses(MPI_SOURCE, 1) .eq. left, 'its source')
      call check(statuses(MPI_TAG, 1) .eq. 5, 'its tag')
      call MPI_SENDRECV(sent, 2, MPI_INTEGER, right, 1, got, 4,
     &     MPI_INTEGER, left, 1, MPI_COMM_WORLD, status, ierror)
      call MPI_GET_COUNT(status, MPI_INTEGER, i, ierror)
      call check(i .eq. 2, 'a count')
      call MPI_SENDRECV(sent, 1, MPI_INTEGER, right, 1, got, 1,
     &     MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE,
     &     ierror)
      call MPI_WAITALL(2, requests, MPI_STATUSES_IGNORE, ierror)
      sum = rank
      call MPI_ALLREDUCE(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierror)
      call check(sum .eq. ranks * (ranks - 1) / 2, 'in place')
      x = rank
      call MPI_REDUCE(x, value, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0,
     &                MPI_COMM_WORLD, ierror)
      call MPI_OP_CREATE(maximum, .true., op, ierror)
      call MPI_ALLREDUCE(rank, i, 1, MPI_INTEGER, op,
     &                   MPI_COMM_WORLD, ierror)
      call check(i .eq. ranks - 1, 'an operator')
      call MPI_OP_FREE(op, ierror)

!     By addresses, from MPI_BOTTOM on.
      call MPI_GET_ADDRESS(sent, places(1), ierror)
      call MPI_GET_ADDRESS(x, places(2), ierror)
      blocks(1) = 4
      blocks(2) = 1
      types(1) = MPI_INTEGER
      types(2) = MPI_DOUBLE_PRECISION
      call MPI_TYPE_CREATE_STRUCT(2, blocks, places, types, made,
     &                            ierror)
      call MPI_TYPE_COMMIT(made, ierror)
      call MPI_TYPE_SIZE(made, size, ierror)
      call check(size .eq. 24, 'the size of a structure')
      if (rank .eq. 0) then
         sent(3) = 333
         x = 1.5d0
      end if
      call MPI_BCAST(MPI_BOTTOM, 1, made, 0, MPI_COMM_WORLD, ierror)
      call check(sent(3) .eq. 333 .and. x .eq. 1.5d0, 'MPI_BOTTOM')
      call MPI_TYPE_FREE(made, ierror)

      dims(1) = ranks
      dims(2) = 1
      periods(1) = .true.
      periods(2) = .false.
      call MPI_CART_CREATE(MPI_COMM_WORLD, 2, dims, periods, .false.,
     &                     comm, ierror)
      call MPI_CART_GET(comm, 2, dims, periods, coords, ierror)
      call check(periods(1) .and. .not. periods(2), 'logicals')
      call check(coords(1) .eq. rank, 'coordinates')
      call MPI_COMM_SET_NAME(comm, 'grid', ierror)
      call MPI_COMM_GET_NAME(comm, text, i, ierror)
      call check(text .eq. 'grid' .and. i .eq. 4, 'a name')
      call MPI_COMM_FREE(comm, ierror)
      call check(comm .eq. MPI_COMM_NULL, 'a freed communicator')
      call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, value, flag,
     &                       ierror)
      call check(flag .and. value .ge. 32767, 'MPI_TAG_UB')

!     Calls that MPI 3 removed, which old programs still have.
      call MPI_ADDRESS(x, i, ierror)
      call MPI_TYPE_EXTENT(MPI_DOUBLE_PRECISION, i, ierror)
      call check(i .eq. 8, 'MPI_TYPE_EXTENT')
      blocks(1) = 1
      counts(1) = 0
      counts(2) = 8
      call MPI_TYPE_STRUCT(2, blocks, counts, types, made, ierror)
      call MPI_TYPE_EXTENT(made, i, ierror)
      call check(i .eq. 16, 'MPI_TYPE_STRUCT')
      call MPI_TYPE_FREE(made, ierror)
      call MPI_TYPE_HVECTOR(3, 1, 12, MPI_INTEGER, made, ierror)
      call MPI_TYPE_EXTENT(made, i, ierror)
      call check(i .eq. 28, 'MPI_TYPE_HVECTOR')
      call MPI_TYPE_FREE(made, ierror)
      call MPI_ERRHANDLER_SET(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
      call MPI_ERRHANDLER_GET(MPI_COMM_SELF, i, ierror)
      call check(i .eq. MPI_ERRORS_RETURN, 'MPI_ERRHANDLER_GET')
      call check(MPI_WTIME() .ge. 0d0, 'MPI_WTIME')
      call MPI_FINALIZE(ierror)
      end

      subroutine check(holds, what)
      include 'mpif.h'
      logical holds
      character*(*) what
      integer ierror
      if (holds) return
      print *, 'wrong: ', what
      call MPI_ABORT(MPI_COMM_WORLD, 1, ierror)
      end

      subroutine maximum(in, inout, length, datatype)
      integer length, datatype, in(length), inout(length), i
      do i = 1, length
         inout(i) = max(in(i), inout(i))
      end do
      end
