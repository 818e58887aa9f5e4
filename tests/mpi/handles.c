/* Integers of handles, and back. */
#include "check.h"

static void ignore(MPI_Comm* comm, int* code, ...)
{
    (void)comm, (void)code;
}

static void predefined(void)
{
    CHECK_EQUAL(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    CHECK_EQUAL(MPI_Comm_toint(MPI_COMM_NULL), 0x100);
    CHECK(MPI_Comm_fromint(0x102) == MPI_COMM_SELF);
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_NULL)) == MPI_COMM_NULL);
    CHECK_EQUAL(MPI_Type_toint(MPI_DOUBLE), 0x214);
    CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_2INT)) == MPI_2INT);
    CHECK(MPI_Op_fromint(MPI_Op_toint(MPI_MAXLOC)) == MPI_MAXLOC);
    CHECK(MPI_Group_fromint(MPI_Group_toint(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY);
    CHECK(MPI_Info_fromint(MPI_Info_toint(MPI_INFO_ENV)) == MPI_INFO_ENV);
    CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
    CHECK(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    CHECK(MPI_Message_fromint(MPI_Message_toint(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
    CHECK(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
    CHECK(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)) == MPI_FILE_NULL);
    CHECK(MPI_Session_fromint(MPI_Session_toint(MPI_SESSION_NULL)) == MPI_SESSION_NULL);
}

static void created(void)
{
    MPI_Info info[3];
    MPI_Errhandler handler;
    MPI_Request request;
    int numbers[3], number, value = -1, sent = 7, i;
    for (i = 0; i < 3; ++i) {
        CHECK_OK(MPI_Info_create(&info[i]));
        numbers[i] = MPI_Info_toint(info[i]);
        CHECK(numbers[i] >= 4096);
        CHECK_EQUAL(MPI_Info_toint(info[i]), numbers[i]);
    }
    CHECK(numbers[0] != numbers[1] && numbers[1] != numbers[2] && numbers[0] != numbers[2]);
    for (i = 0; i < 3; ++i)
        CHECK(MPI_Info_fromint(numbers[i]) == info[i]);
    CHECK_OK(MPI_Comm_create_errhandler(ignore, &handler));
    number = MPI_Errhandler_toint(handler);
    CHECK(MPI_Errhandler_fromint(number) == handler);
    CHECK_OK(MPI_Errhandler_free(&handler));
    /* A request by its integer alone. */
    CHECK_OK(MPI_Irecv(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request));
    number = MPI_Request_toint(request);
    CHECK_OK(MPI_Send(&sent, 1, MPI_INT, 0, 5, MPI_COMM_SELF));
    request = MPI_Request_fromint(number);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQUAL(value, 7);
    /* The integer of a freed object leads to no other kind. */
    for (i = 0; i < 3; ++i) {
        CHECK_OK(MPI_Info_free(&info[i]));
        info[i] = MPI_Info_fromint(numbers[i]);
        CHECK_ERROR(MPI_Info_get_nkeys(info[i], &number), MPI_ERR_INFO, "was freed");
    }
}

static void unknown(void)
{
    int rank = -1;
    CHECK(MPI_Comm_fromint(-1) == MPI_COMM_NULL);
    CHECK(MPI_Comm_fromint(2000000000) == MPI_COMM_NULL);
    CHECK(MPI_Request_fromint(2000000000) == MPI_REQUEST_NULL);
    CHECK(MPI_Type_fromint(-2147483647 - 1) == MPI_DATATYPE_NULL);
    CHECK_ERROR(MPI_Comm_rank(MPI_Comm_fromint(17), &rank), MPI_ERR_COMM, "no communicator");
}

/* As a program's C calls its Fortran. */
static void fortran(void)
{
    MPI_Fint in_fortran[MPI_F_STATUS_SIZE];
    MPI_Status status, back;
    int count = -1, out = 3, in = -1;
    MPI_Fint number = MPI_Comm_c2f(MPI_COMM_WORLD);
    CHECK_EQUAL(number, MPI_Comm_toint(MPI_COMM_WORLD));
    CHECK(MPI_Comm_f2c(number) == MPI_COMM_WORLD);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
    CHECK(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
    CHECK(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL);
    CHECK(PMPI_Group_f2c(PMPI_Group_c2f(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY);
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, 0, 6, &in, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &status));
    CHECK_OK(MPI_Status_c2f(&status, in_fortran));
    CHECK_EQUAL(in_fortran[MPI_F_SOURCE], 0);
    CHECK_EQUAL(in_fortran[MPI_F_TAG], 6);
    CHECK_OK(MPI_Status_f2c(in_fortran, &back));
    CHECK_EQUAL(back.MPI_SOURCE, 0);
    CHECK_EQUAL(back.MPI_TAG, 6);
    CHECK_OK(MPI_Get_count(&back, MPI_INT, &count));
    CHECK_EQUAL(count, 1);
    CHECK(MPI_F_STATUS_IGNORE == NULL);
}

int main(int argc, char** argv)
{
    predefined(); /* also before MPI_Init */
    MPI_Init(&argc, &argv);
    check_errors_return();
    predefined();
    created();
    unknown();
    fortran();
    MPI_Finalize();
    predefined();
    return check_result();
}
