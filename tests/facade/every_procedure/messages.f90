! Messages between two ranks.
subroutine group_messages()
    @use
    use report
    implicit none
    @include
    integer, parameter :: size = 2000
    integer :: ierr, out(3), in(3), pair(2)
    integer(ck) :: count
    integer(MPI_COUNT_KIND) :: many
    logical :: flag
    character :: buffer(size)
    integer :: one_packed
    type(MPI_Request) :: request, second
    type(MPI_Status) :: status
    type(MPI_Message) :: message

    out = (/ rank, 10 * rank, 100 /)

    ! Blocking calls, each against a receive that has begun.
    call begin()
    call MPI_Send(out, 3_ck, MPI_INTEGER, right, 1, MPI_COMM_WORLD, ierr)
    call finish('MPI_Send')
    call begin()
    call MPI_Ssend(out, 3_ck, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierr)
    call finish('MPI_Ssend')
    call begin()
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Rsend(out, 3_ck, MPI_INTEGER, right, 3, MPI_COMM_WORLD, ierr)
    call finish('MPI_Rsend')
    call MPI_Buffer_attach(buffer, int(size, ck), ierr)
    call say('MPI_Buffer_attach', ierr)
    call begin()
    call MPI_Bsend(out, 3_ck, MPI_INTEGER, right, 4, MPI_COMM_WORLD, ierr)
    call finish('MPI_Bsend')
    call begin()
    call MPI_Ibsend(out, 3_ck, MPI_INTEGER, right, 5, MPI_COMM_WORLD, second, ierr)
    call finish_both('MPI_Ibsend')
    call detach()
    call begin()
    call MPI_Isend(out, 3_ck, MPI_INTEGER, right, 6, MPI_COMM_WORLD, second, ierr)
    call finish_both('MPI_Isend')
    call begin()
    call MPI_Issend(out, 3_ck, MPI_INTEGER, right, 7, MPI_COMM_WORLD, second, ierr)
    call finish_both('MPI_Issend')
    call begin()
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Irsend(out, 3_ck, MPI_INTEGER, right, 8, MPI_COMM_WORLD, second, ierr)
    call finish_both('MPI_Irsend')

    in = -1
    call MPI_Isend(out, 2_ck, MPI_INTEGER, right, 9, MPI_COMM_WORLD, second, ierr)
    call MPI_Recv(in, 3_ck, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call say_status('MPI_Recv', ierr, status)
    call say('MPI_Recv', ierr, in)
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    call say('MPI_Get_count', ierr, count)
    call MPI_Get_elements(status, MPI_INTEGER, count, ierr)
    call say('MPI_Get_elements', ierr, count)
    call MPI_Get_elements_x(status, MPI_INTEGER, many, ierr)
    call say('MPI_Get_elements_x', ierr, many)
    call MPI_Wait(second, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv(in, 3_ck, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, status, ierr)
    call say('MPI_Recv from nobody', ierr, status%MPI_SOURCE == MPI_PROC_NULL .and. status%MPI_TAG == MPI_ANY_TAG)

    in = -1
    call MPI_Sendrecv(out, 3_ck, MPI_INTEGER, right, 10, in, 3_ck, MPI_INTEGER, left, 10, MPI_COMM_WORLD, status, ierr)
    call say_status('MPI_Sendrecv', ierr, status)
    call say('MPI_Sendrecv', ierr, in)
    in = out
    call MPI_Sendrecv_replace(in, 3_ck, MPI_INTEGER, right, 11, left, 11, MPI_COMM_WORLD, status, ierr)
    call say_status('MPI_Sendrecv_replace', ierr, status)
    call say('MPI_Sendrecv_replace', ierr, in)
#ifdef MPICH
    in = -1
    call MPI_Isendrecv(out, 3_ck, MPI_INTEGER, right, 12, in, 3_ck, MPI_INTEGER, left, 12, MPI_COMM_WORLD, request, &
        ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('MPI_Isendrecv', ierr, in)
    in = out
    call MPI_Isendrecv_replace(in, 3_ck, MPI_INTEGER, right, 13, left, 13, MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('MPI_Isendrecv_replace', ierr, in)
#endif

    call MPI_Isend(out, 3_ck, MPI_INTEGER, right, 14, MPI_COMM_WORLD, second, ierr)
    call MPI_Probe(left, 14, MPI_COMM_WORLD, status, ierr)
    call say_status('MPI_Probe', ierr, status)
    call MPI_Iprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, flag, status, ierr)
    call say_status('MPI_Iprobe', ierr, status)
    call say('MPI_Iprobe', ierr, flag)
    call MPI_Recv(in, 3_ck, MPI_INTEGER, left, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(second, MPI_STATUS_IGNORE, ierr)
    call MPI_Iprobe(left, 14, MPI_COMM_WORLD, flag, status, ierr)
    call say('MPI_Iprobe of nothing', ierr, flag)

    call MPI_Isend(out, 3_ck, MPI_INTEGER, right, 15, MPI_COMM_WORLD, second, ierr)
    call MPI_Mprobe(left, 15, MPI_COMM_WORLD, message, status, ierr)
    call say_status('MPI_Mprobe', ierr, status)
    in = -1
    call MPI_Mrecv(in, 3_ck, MPI_INTEGER, message, status, ierr)
    call say_status('MPI_Mrecv', ierr, status)
    call say('MPI_Mrecv', ierr, in)
    call say('its message', ierr, message == MPI_MESSAGE_NULL)
    call MPI_Wait(second, MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(out, 3_ck, MPI_INTEGER, right, 16, MPI_COMM_WORLD, second, ierr)
    flag = .false.
    do while (.not. flag)
        call MPI_Improbe(MPI_ANY_SOURCE, 16, MPI_COMM_WORLD, flag, message, status, ierr)
    end do
    call say_status('MPI_Improbe', ierr, status)
    in = -1
    call MPI_Imrecv(in, 3_ck, MPI_INTEGER, message, request, ierr)
    call say('MPI_Imrecv', ierr, message == MPI_MESSAGE_NULL)
    call finish_both('MPI_Imrecv')
    call MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, message, status, ierr)
    call say('MPI_Mprobe of nobody', ierr, message == MPI_MESSAGE_NO_PROC)
    call MPI_Mrecv(in, 3_ck, MPI_INTEGER, message, status, ierr)
    call say('MPI_Mrecv from nobody', ierr, message == MPI_MESSAGE_NULL .and. status%MPI_SOURCE == MPI_PROC_NULL)

    call MPI_Irecv(in, 3_ck, MPI_INTEGER, left, 17, MPI_COMM_WORLD, request, ierr)
    call say('MPI_Irecv', ierr, request /= MPI_REQUEST_NULL)
    call MPI_Cancel(request, ierr)
    call say('MPI_Cancel', ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Test_cancelled(status, flag, ierr)
    call say('MPI_Test_cancelled', ierr, flag)
    call packed()

contains

    subroutine begin()
        in = -1
        call MPI_Irecv(in, 3_ck, MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, request, ierr)
    end subroutine

    subroutine finish(name)
        character(*), intent(in) :: name
        call say(name, ierr)
        call MPI_Wait(request, status, ierr)
        call say_status(name, ierr, status)
        call say(name, ierr, in)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end subroutine

    subroutine finish_both(name)
        character(*), intent(in) :: name
        integer :: code
        code = ierr
        call MPI_Wait(second, MPI_STATUS_IGNORE, ierr)
        ierr = code
        call finish(name)
    end subroutine

    ! In mpi_f08 the buffer comes back as a C pointer.
    subroutine detach()
        use, intrinsic :: iso_c_binding
        integer(ck) :: detached
#ifdef F08
        type(c_ptr) :: back
        call MPI_Buffer_detach(back, detached, ierr)
        call say('MPI_Buffer_detach', ierr, c_associated(back))
#else
        call MPI_Buffer_detach(buffer, detached, ierr)
#endif
        call say('MPI_Buffer_detach', ierr, detached)
    end subroutine

    subroutine packed()
        integer(ck) :: place
        integer(ak) :: external_place, external_size
        integer(ck) :: bound
        pair = (/ 3, 4 /)
        place = 0
        call MPI_Pack(pair, 2_ck, MPI_INTEGER, buffer, int(size, ck), place, MPI_COMM_WORLD, ierr)
        call MPI_Pack(7.5d0, 1_ck, MPI_DOUBLE_PRECISION, buffer, int(size, ck), place, MPI_COMM_WORLD, ierr)
        call say('MPI_Pack', ierr, place)
        call MPI_Pack_size(2_ck, MPI_INTEGER, MPI_COMM_WORLD, bound, ierr)
        call say('MPI_Pack_size', ierr, bound >= 8)
        pair = 0
        place = 0
        call MPI_Unpack(buffer, int(size, ck), place, pair, 2_ck, MPI_INTEGER, MPI_COMM_WORLD, ierr)
        call say('MPI_Unpack', ierr, place)
        call say('MPI_Unpack', ierr, pair)
        external_place = 0
        call MPI_Pack_external('external32', pair, 2_ck, MPI_INTEGER, buffer, int(size, ak), external_place, ierr)
        call say('MPI_Pack_external', ierr, external_place)
        call say('MPI_Pack_external', ierr, iachar(buffer(1:8)))
        call MPI_Pack_external_size('external32', 2_ck, MPI_INTEGER, external_size, ierr)
        call say('MPI_Pack_external_size', ierr, external_size)
        pair = 0
        external_place = 0
        call MPI_Unpack_external('external32', buffer, int(size, ak), external_place, pair, 2_ck, MPI_INTEGER, ierr)
        call say('MPI_Unpack_external', ierr, external_place)
        call say('MPI_Unpack_external', ierr, pair)
        one_packed = 0
    end subroutine
end subroutine
