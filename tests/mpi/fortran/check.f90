! What the programs of this folder check with: a value that is wrong ends the job.
module check
    use, intrinsic :: iso_fortran_env, only: error_unit
    implicit none
    integer :: checked_rank = -1

contains

    subroutine expect(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        if (holds) return
        write (error_unit, '(a, i0, 2a)') 'rank ', checked_rank, ': wrong: ', what
        error stop 1
    end subroutine
end module
