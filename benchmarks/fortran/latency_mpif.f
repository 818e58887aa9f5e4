!     Round trips by mpif.h.
      subroutine latency_mpif(numbers, count, rounds)
      implicit none
      include 'mpif.h'
      double precision numbers(*)
      integer count, rounds, round, rank, ierror
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      do round = 1, rounds
         if (rank .eq. 0) then
            call MPI_SEND(numbers, count, MPI_DOUBLE_PRECISION, 1, 1,
     &                    MPI_COMM_WORLD, ierror)
         end if
         call MPI_RECV(numbers, count, MPI_DOUBLE_PRECISION, 1 - rank,
     &                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
         if (rank .eq. 1) then
            call MPI_SEND(numbers, count, MPI_DOUBLE_PRECISION, 0, 1,
     &                    MPI_COMM_WORLD, ierror)
         end if
      end do
      end subroutine
