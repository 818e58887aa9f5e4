!     The number of every rank travels once around the ring, by mpif.h.
      program ring
      implicit none
      include 'mpif.h'
      integer rank, ranks, right, left, passing, next, total, step
      integer ierror
      integer status(MPI_STATUS_SIZE)

      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      right = mod(rank + 1, ranks)
      left = mod(rank + ranks - 1, ranks)

      passing = rank
      total = 0
      do step = 1, ranks
         call MPI_SENDRECV(passing, 1, MPI_INTEGER, right, 0,
     &                     next, 1, MPI_INTEGER, left, 0,
     &                     MPI_COMM_WORLD, status, ierror)
         passing = next
         total = total + passing
      end do
      print '(a, i0, a, i0, a, i0)', 'rank ', rank, ' of ', ranks,
     &      ': the sum of all ranks is ', total
      if (total .ne. ranks * (ranks - 1) / 2) then
         call MPI_ABORT(MPI_COMM_WORLD, 1, ierror)
      end if
      call MPI_FINALIZE(ierror)
      end program
