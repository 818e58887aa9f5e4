/* Error codes, their sentences, and error handlers. */
#include "check.h"

static int seen_code = 0;
static MPI_Comm seen_comm;

static void remember(MPI_Comm* comm, int* code, ...)
{
    seen_comm = *comm;
    seen_code = *code;
}

static void classes(void)
{
    char words[MPI_MAX_ERROR_STRING];
    int length = -1, error_class = -1;
    CHECK_ERROR(MPI_ERR_TRUNCATE, MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE");
    CHECK_ERROR(MPI_ERR_ABI, MPI_ERR_ABI, "MPI_ERR_ABI");
    CHECK_OK(MPI_Error_string(MPI_SUCCESS, words, &length));
    CHECK(strstr(words, "no error") != NULL);
    CHECK_OK(MPI_Error_class(MPI_T_ERR_INVALID_INDEX, &error_class));
    CHECK_EQUAL(error_class, MPI_T_ERR_INVALID_INDEX);
    CHECK_OK(MPI_Error_string(-5, words, &length));
    CHECK(length > 0);
}

/* The last 250 sentences are still there, and codes keep their class when the sentence is gone. */
static void many(void)
{
    int codes[1000];
    int i;
    for (i = 0; i < 1000; ++i) {
        codes[i] = MPI_Send(NULL, 0, MPI_INT, 1000 + i, 0, MPI_COMM_WORLD);
        CHECK(codes[i] > 0 && codes[i] <= MPI_ERR_LASTCODE);
    }
    for (i = 750; i < 1000; ++i) {
        char expected[64];
        snprintf(expected, sizeof expected, "the destination is %d,", 1000 + i);
        CHECK_ERROR(codes[i], MPI_ERR_RANK, expected);
    }
    CHECK_ERROR(codes[0], MPI_ERR_RANK, "MPI_Send on MPI_COMM_WORLD");
}

static void handlers(void)
{
    MPI_Errhandler mine = MPI_ERRHANDLER_NULL, got = MPI_ERRHANDLER_NULL;
    int code;
    CHECK_OK(MPI_Comm_create_errhandler(remember, &mine));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
    code = MPI_Send(NULL, 0, MPI_INT, -9, 0, MPI_COMM_WORLD);
    CHECK_EQUAL(code, seen_code);
    CHECK(seen_comm == MPI_COMM_WORLD);
    CHECK_OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
    CHECK(got == mine);
    CHECK_OK(MPI_Errhandler_free(&got));
    CHECK(got == MPI_ERRHANDLER_NULL);
    CHECK_OK(MPI_Errhandler_free(&mine));
    /* The communicator still has it. */
    CHECK_OK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_DIMS));
    CHECK_EQUAL(seen_code, MPI_ERR_DIMS);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Errhandler_free(&got));
    got = MPI_ERRORS_RETURN;
    CHECK_OK(MPI_Errhandler_free(&got));
    CHECK_ERROR(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER, "freed");
}

static void wrong_handles(void)
{
    int number = 0;
    long not_an_object[8] = {0};
    CHECK_ERROR(MPI_Comm_rank(MPI_COMM_NULL, &number), MPI_ERR_COMM, "MPI_Comm_rank: the communicator is MPI_COMM_NULL");
    CHECK_ERROR(MPI_Comm_rank((MPI_Comm)not_an_object, &number), MPI_ERR_COMM, "no communicator");
    CHECK_ERROR(MPI_Comm_rank((MPI_Comm)MPI_INT, &number), MPI_ERR_COMM, "no communicator");
    CHECK_ERROR(MPI_Comm_rank((MPI_Comm)3, &number), MPI_ERR_COMM, "no communicator");
    CHECK_ERROR(MPI_Comm_rank(MPI_COMM_WORLD, NULL), MPI_ERR_ARG, "rank is a null pointer");
}

/* MPI_IN_PLACE is no memory; where no bytes are sent the address does not matter. */
static void in_place_of_messages(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    CHECK_OK(MPI_Type_vector(2, 1, 2, MPI_INT, &pair));
    CHECK_OK(MPI_Type_commit(&pair));
    CHECK_ERROR(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_BUFFER, "only collectives take");
    CHECK_ERROR(MPI_Isend(MPI_IN_PLACE, 1, pair, 0, 0, MPI_COMM_SELF, &request), MPI_ERR_BUFFER, "MPI_Isend");
    CHECK_ERROR(MPI_Recv(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_ERR_BUFFER,
                "MPI_IN_PLACE");
    CHECK_ERROR(MPI_Irecv(MPI_IN_PLACE, 1, pair, 0, 0, MPI_COMM_SELF, &request), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_OK(MPI_Sendrecv(MPI_IN_PLACE, 0, MPI_INT, 0, 0, MPI_IN_PLACE, 0, MPI_INT, 0, 0, MPI_COMM_SELF,
                          MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Type_free(&pair));
}

static void not_there(void)
{
    char port[MPI_MAX_PORT_NAME];
    CHECK_ERROR(MPI_Open_port(MPI_INFO_NULL, port), MPI_ERR_UNSUPPORTED_OPERATION, "MPI_Open_port: ");
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL) != MPI_SUCCESS);
}

/* Files that cannot be opened are an everyday thing: their errors return by default. */
static void files(void)
{
    MPI_File file = MPI_FILE_NULL;
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                MPI_ERR_NO_SUCH_FILE, "MPI_File_open: cannot open none");
    CHECK_ERROR(MPI_File_delete("none", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE, "MPI_File_delete: cannot remove none");
    CHECK(file == MPI_FILE_NULL);
}

static void sessions(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    CHECK_ERROR(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_ERR_UNSUPPORTED_OPERATION,
                "MPI_Session_init: ");
    CHECK(session == MPI_SESSION_NULL);
}

int main(int argc, char** argv)
{
    sessions(); /* also before MPI_Init */
    MPI_Init(&argc, &argv);
    files();
    sessions();
    check_errors_return();
    classes();
    many();
    handlers();
    wrong_handles();
    in_place_of_messages();
    not_there();
    MPI_Finalize();
    return check_result();
}
