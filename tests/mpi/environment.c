/* Begin and end, versions, memory and time. */
#include "check.h"

static void before_init(void)
{
    int flag = -1;
    int version = 0, subversion = 0;
    CHECK_OK(MPI_Initialized(&flag));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Finalized(&flag));
    CHECK_EQUAL(flag, 0);
    CHECK_OK(MPI_Get_version(&version, &subversion));
    CHECK_EQUAL(version, 5);
    CHECK_EQUAL(subversion, 0);
    CHECK_OK(MPI_Abi_get_version(&version, &subversion));
    CHECK_EQUAL(version, 1);
    CHECK_EQUAL(subversion, 0);
}

static void names(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    char processor[MPI_MAX_PROCESSOR_NAME];
    int length = -1;
    CHECK_OK(MPI_Get_library_version(library, &length));
    CHECK_EQUAL(length, strlen(library));
    CHECK(strstr(library, "Tutti") != NULL);
    CHECK_OK(MPI_Get_processor_name(processor, &length));
    CHECK(length > 0);
    CHECK_EQUAL(length, strlen(processor));
}

static void memory(void)
{
    char* bytes = NULL;
    MPI_Aint address = 0;
    CHECK_OK(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &bytes));
    CHECK(bytes != NULL);
    memset(bytes, 7, 1 << 20);
    CHECK_OK(MPI_Get_address(bytes + 9, &address));
    CHECK(address == (MPI_Aint)(bytes + 9));
    CHECK(MPI_Aint_diff(MPI_Aint_add(address, 20), address) == 20);
    CHECK_OK(MPI_Free_mem(bytes));
    CHECK_ERROR(MPI_Alloc_mem(-1, MPI_INFO_NULL, &bytes), MPI_ERR_SIZE, "MPI_Alloc_mem: the size is -1");
}

static void threads(void)
{
    int provided = -1, flag = -1;
    CHECK_OK(MPI_Query_thread(&provided));
    CHECK_EQUAL(provided, MPI_THREAD_SERIALIZED);
    CHECK_OK(MPI_Is_thread_main(&flag));
    CHECK_EQUAL(flag, 1);
}

/* The count of partitioned messages is wide in the only form that the standard has. */
static void partitioned(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value = 0;
    int (*sends)(const void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*) =
        MPI_Psend_init;
    int (*receives)(void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*) =
        MPI_Precv_init;
    CHECK(sends != NULL && receives != NULL);
    CHECK_ERROR(MPI_Psend_init(&value, 1, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request),
                MPI_ERR_UNSUPPORTED_OPERATION, "MPI_Psend_init");
}

static void time_passes(void)
{
    const double start = MPI_Wtime();
    while (MPI_Wtime() < start + 2 * MPI_Wtick())
        continue;
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1);
}

int main(int argc, char** argv)
{
    int flag = 0, provided = -1;
    before_init();
    /* A level between two that there are: the higher one. */
    CHECK_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED + 1, &provided));
    CHECK_EQUAL(provided, MPI_THREAD_SERIALIZED);
    check_errors_return();
    CHECK_OK(MPI_Initialized(&flag));
    CHECK_EQUAL(flag, 1);
    CHECK_ERROR(MPI_Init(NULL, NULL), MPI_ERR_OTHER, "initialised before");
    names();
    memory();
    threads();
    partitioned();
    time_passes();
    CHECK_OK(MPI_Pcontrol(1));
    CHECK_OK(MPI_Finalize());
    CHECK_OK(MPI_Finalized(&flag));
    CHECK_EQUAL(flag, 1);
    return check_result();
}
