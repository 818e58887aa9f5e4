! What each rank reports: a line a call, with the class of its error and what it answered. The lines go to a file a
! rank, each as soon as it is known, so that the last one tells where a rank has crashed.
module report
    @use
    implicit none
    @include
    private  ! what mpif.h declares stays inside
    public :: ck, dk, ak, rank, ranks, right, left, open_report, close_report, line, class_of, say, say_status, &
        say_refused, is_on_tutti
    ! Kinds of counts and of displacements.
    integer, parameter :: ck = @count_kind, dk = @displacement_kind
    integer, parameter :: ak = MPI_ADDRESS_KIND
    integer :: rank = -1, ranks = 0, right = 0, left = 0
    integer :: lines = 0

    interface say
        module procedure say_code, say_number, say_numbers, say_large, say_larges, say_flag, say_flags, say_text
    end interface

contains

    subroutine open_report(folder)
        character(*), intent(in) :: folder
        integer :: ierr
        character(12) :: number
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
        right = mod(rank + 1, ranks)
        left = mod(rank + ranks - 1, ranks)
        write (number, '(i0)') rank
        open (newunit=lines, file=trim(folder) // '/' // trim(number), action='write', status='replace')
    end subroutine

    subroutine close_report()
        close (lines)
    end subroutine

    subroutine line(what)
        character(*), intent(in) :: what
        write (lines, '(a)') trim(what)
        flush (lines)
    end subroutine

    function class_of(code)
        integer, intent(in) :: code
        integer :: class_of, ierr
        class_of = 0
        if (code /= MPI_SUCCESS) call MPI_Error_class(code, class_of, ierr)
    end function

    subroutine say_code(name, code)
        character(*), intent(in) :: name
        integer, intent(in) :: code
        character(400) :: all
        write (all, '(2a,i0)') name, ': ', class_of(code)
        call line(all)
    end subroutine

    subroutine say_larges(name, code, values)
        character(*), intent(in) :: name
        integer, intent(in) :: code
        integer(8), intent(in) :: values(:)
        character(2000) :: all
        write (all, '(2a,i0,a,100(1x,i0))') name, ': ', class_of(code), ' =', values
        call line(all)
    end subroutine

    subroutine say_large(name, code, value)
        character(*), intent(in) :: name
        integer, intent(in) :: code
        integer(8), intent(in) :: value
        call say_larges(name, code, (/ value /))
    end subroutine

    subroutine say_numbers(name, code, values)
        character(*), intent(in) :: name
        integer, intent(in) :: code, values(:)
        call say_larges(name, code, int(values, 8))
    end subroutine

    subroutine say_number(name, code, value)
        character(*), intent(in) :: name
        integer, intent(in) :: code, value
        call say_larges(name, code, (/ int(value, 8) /))
    end subroutine

    subroutine say_flags(name, code, values)
        character(*), intent(in) :: name
        integer, intent(in) :: code
        logical, intent(in) :: values(:)
        call say_larges(name, code, merge(1_8, 0_8, values))
    end subroutine

    subroutine say_flag(name, code, value)
        character(*), intent(in) :: name
        integer, intent(in) :: code
        logical, intent(in) :: value
        call say_larges(name, code, (/ merge(1_8, 0_8, value) /))
    end subroutine

    subroutine say_text(name, code, text)
        character(*), intent(in) :: name, text
        integer, intent(in) :: code
        character(2000) :: all
        write (all, '(2a,i0,3a)') name, ': ', class_of(code), ' = "', trim(text), '"'
        call line(all)
    end subroutine

    ! Where a message came from, and how many integers it had.
    subroutine say_status(name, code, status)
        character(*), intent(in) :: name
        integer, intent(in) :: code
        type(MPI_Status) :: status
        integer :: count, ierr
        call MPI_Get_count(status, MPI_INTEGER, count, ierr)
        call say_numbers(name, code, (/ status%MPI_SOURCE, status%MPI_TAG, count /))
    end subroutine

    function is_on_tutti()
        logical :: is_on_tutti
        character(MPI_MAX_LIBRARY_VERSION_STRING) :: library
        integer :: length, ierr
        call MPI_Get_library_version(library, length, ierr)
        is_on_tutti = library(1:6) == 'Tutti '
    end function

    ! What a library that Tutti stands for has, and Tutti has not.
    subroutine say_refused(name, code)
        character(*), intent(in) :: name
        integer, intent(in) :: code
        if (code == MPI_SUCCESS) call line(name // ': is not refused')
        if (code /= MPI_SUCCESS) call line(name // ': refused')
    end subroutine
end module
