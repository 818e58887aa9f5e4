/* What binaries of other MPI libraries use and the standard has no longer, and what is theirs alone. Compiled with the
   header of another library, and run on the facade for it. */
#include "../mpi/check.h"

/* Headers hide them. */
#undef MPI_Address
#undef MPI_Errhandler_create
#undef MPI_Errhandler_get
#undef MPI_Errhandler_set
#undef MPI_Type_extent
#undef MPI_Type_hindexed
#undef MPI_Type_hvector
#undef MPI_Type_lb
#undef MPI_Type_struct
#undef MPI_Type_ub
int MPI_Address(void* location, MPI_Aint* address);
int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent);
int MPI_Type_hindexed(int count, int* lengths, MPI_Aint* displacements, MPI_Datatype old, MPI_Datatype* made);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* made);
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* bound);
int MPI_Type_struct(int count, int* lengths, MPI_Aint* displacements, MPI_Datatype* types, MPI_Datatype* made);
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* bound);

#ifdef OMPI_MAJOR_VERSION
extern char ompi_mpi_lb, ompi_mpi_ub;
#define LOWER_MARKER ((MPI_Datatype)(void*)&ompi_mpi_lb)
#define UPPER_MARKER ((MPI_Datatype)(void*)&ompi_mpi_ub)
#else
#define LOWER_MARKER ((MPI_Datatype)0x4c000010)
#define UPPER_MARKER ((MPI_Datatype)0x4c000011)
#endif

static int handled = 0;
static MPI_Comm handled_comm;

static void handle(MPI_Comm* comm, int* code, ...)
{
    int error_class = 0;
    MPI_Error_class(*code, &error_class);
    handled = error_class;
    handled_comm = *comm;
}

static void old_types(void)
{
    MPI_Datatype made;
    MPI_Aint extent = 0;
    MPI_Aint lower = 0;
    MPI_Aint upper = 0;
    int lengths[4] = {1, 1, 1, 1};
    MPI_Aint places[4] = {-8, 0, 4, 24};
    MPI_Datatype types[4] = {LOWER_MARKER, MPI_INT, MPI_FLOAT, UPPER_MARKER};
    int size = 0;

    CHECK_OK(MPI_Type_struct(4, lengths, places, types, &made));
    CHECK_OK(MPI_Type_commit(&made));
    CHECK_OK(MPI_Type_lb(made, &lower));
    CHECK_OK(MPI_Type_ub(made, &upper));
    CHECK_OK(MPI_Type_extent(made, &extent));
    CHECK_OK(MPI_Type_size(made, &size));
    CHECK_EQUAL(lower, -8);
    CHECK_EQUAL(upper, 24);
    CHECK_EQUAL(extent, 32);
    CHECK_EQUAL(size, 8);
    CHECK_OK(MPI_Type_free(&made));
    CHECK(made == MPI_DATATYPE_NULL);
    /* The upper end alone, through the newer call. */
    CHECK_OK(MPI_Type_create_struct(2, lengths, places + 2, types + 2, &made));
    CHECK_OK(MPI_Type_lb(made, &lower));
    CHECK_OK(MPI_Type_extent(made, &extent));
    CHECK_EQUAL(lower, 4);
    CHECK_EQUAL(extent, 20);
    CHECK_OK(MPI_Type_free(&made));

    CHECK_OK(MPI_Type_hvector(3, 1, 16, MPI_DOUBLE, &made));
    CHECK_OK(MPI_Type_extent(made, &extent));
    CHECK_EQUAL(extent, 40);
    CHECK_OK(MPI_Type_free(&made));
    CHECK_OK(MPI_Type_hindexed(2, lengths, places + 1, MPI_SHORT, &made));
    CHECK_OK(MPI_Type_ub(made, &upper));
    CHECK_EQUAL(upper, 6);
    CHECK_OK(MPI_Type_free(&made));
    CHECK_OK(MPI_Address(&places[1], &extent));
    CHECK_EQUAL(extent, (long long)(MPI_Aint)&places[1]);
}

static void old_handlers(void)
{
    MPI_Errhandler handler;
    MPI_Errhandler former;
    int rank = 0;
    CHECK_OK(MPI_Errhandler_get(MPI_COMM_WORLD, &former));
    CHECK(former == MPI_ERRORS_ARE_FATAL);
    CHECK_OK(MPI_Errhandler_create(handle, &handler));
    CHECK_OK(MPI_Errhandler_set(MPI_COMM_WORLD, handler));
    CHECK(MPI_Send(&rank, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    CHECK_EQUAL(handled, MPI_ERR_RANK);
    CHECK(handled_comm == MPI_COMM_WORLD);
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);
    CHECK_OK(MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

/* Errors of calls without a communicator go to the handler of MPI_COMM_WORLD, as in MPI 3.1. A program that knows MPI 4
   sets that of MPI_COMM_SELF instead. */
static void errors_without_a_communicator(void)
{
    MPI_Errhandler handler;
    MPI_Datatype none = MPI_DATATYPE_NULL;
    MPI_Comm freed;
    MPI_Comm left_over;
    int size = 0;
    CHECK_OK(MPI_Comm_create_errhandler(handle, &handler));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    CHECK(MPI_Type_free(&none) != MPI_SUCCESS);
    CHECK_EQUAL(handled, MPI_ERR_TYPE);
    CHECK(handled_comm == MPI_COMM_WORLD);
    CHECK(MPI_Group_size(MPI_GROUP_NULL, &size) != MPI_SUCCESS);
    CHECK_EQUAL(handled, MPI_ERR_GROUP);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &freed));
    left_over = freed;
    CHECK_OK(MPI_Comm_free(&freed));
    CHECK(MPI_Comm_free(&left_over) != MPI_SUCCESS);
    CHECK_EQUAL(handled, MPI_ERR_COMM);
    CHECK(handled_comm == MPI_COMM_WORLD);

    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
    CHECK(MPI_Type_free(&none) != MPI_SUCCESS);
    CHECK_EQUAL(handled, MPI_ERR_TYPE);
    CHECK(handled_comm == MPI_COMM_SELF);
    CHECK_OK(MPI_Errhandler_free(&handler));
    check_errors_return();
}

/* Constants that differ from the standard's, in both directions. */
static void constants(void)
{
    int* value = NULL;
    int flag = 0;
    int version = 0;
    int subversion = 0;
    int level = -1;
    int relation = -1;
    int source = 0;
    int dest = 0;
    int dims[1] = {1};
    int periods[1] = {0};
    int added = 0;
    MPI_Comm grid;
    MPI_Status status;
    CHECK_OK(MPI_Get_version(&version, &subversion));
    CHECK_EQUAL(version, MPI_VERSION);
    CHECK_EQUAL(subversion, MPI_SUBVERSION);
    CHECK_OK(MPI_Query_thread(&level));
    CHECK_EQUAL(level, MPI_THREAD_MULTIPLE);
    CHECK_OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &relation));
    CHECK_EQUAL(relation, MPI_IDENT);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag));
    CHECK(flag && *value == MPI_PROC_NULL);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
    CHECK(flag && *value == MPI_ANY_SOURCE);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    CHECK(flag && *value > 32767);
    CHECK_OK(MPI_Add_error_class(&added));
    CHECK(added > 63);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK(flag && *value == added);

    CHECK_OK(MPI_Cart_create(MPI_COMM_SELF, 1, dims, periods, 0, &grid));
    CHECK_OK(MPI_Topo_test(grid, &relation));
    CHECK_EQUAL(relation, MPI_CART);
    CHECK_OK(MPI_Cart_shift(grid, 0, 1, &source, &dest));
    CHECK_EQUAL(source, MPI_PROC_NULL);
    CHECK_EQUAL(dest, MPI_PROC_NULL);
    CHECK_OK(MPI_Comm_free(&grid));
    CHECK(grid == MPI_COMM_NULL);

    CHECK_OK(MPI_Sendrecv(dims, 1, MPI_INT, MPI_PROC_NULL, 0, periods, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG,
                          MPI_COMM_WORLD, &status));
    CHECK_EQUAL(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQUAL(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_ERROR(MPI_Comm_join(0, &grid), MPI_ERR_UNSUPPORTED_OPERATION,
                "MPI_Comm_join: this library does not have this function");
}

/* What MPICH had before the standard, under a name of its own. */
static void earlier_names(void)
{
#ifdef MPICH_VERSION
    char words[MPI_MAX_ERROR_STRING];
    int error_class = 0;
    int code = 0;
    int length = 0;
    CHECK_OK(MPI_Add_error_class(&error_class));
    CHECK_OK(MPI_Add_error_code(error_class, &code));
    CHECK_OK(MPI_Add_error_string(code, "the reactor is cold"));
    CHECK_OK(MPI_Error_string(code, words, &length));
    CHECK(strstr(words, "the reactor is cold") != NULL);
    CHECK_OK(MPIX_Delete_error_string(code));
    CHECK_OK(MPIX_Delete_error_code(code));
    CHECK_OK(MPIX_Delete_error_class(error_class));
#endif
}

/* A text longer than the program's memory for it is cut. */
static void texts(void)
{
    char long_name[256];
    char name[MPI_MAX_OBJECT_NAME + 1];
    int length = 0;
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[255] = '\0';
    name[MPI_MAX_OBJECT_NAME] = 'x';
    CHECK_OK(MPI_Comm_set_name(MPI_COMM_SELF, long_name));
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK_EQUAL(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQUAL(strlen(name), MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQUAL(name[MPI_MAX_OBJECT_NAME], 'x');
}

/* Through Fortran's integers and back. */
static void fortran(void)
{
    MPI_Datatype made;
    MPI_Op sum = MPI_SUM;
    MPI_Status status;
    MPI_Status copy;
    MPI_Fint integers[16];
    int count = 0;
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &made));
    CHECK(MPI_Type_f2c(MPI_Type_c2f(made)) == made);
    CHECK_OK(MPI_Type_free(&made));
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_SELF)) == MPI_COMM_SELF);
    CHECK(MPI_Op_f2c(MPI_Op_c2f(sum)) == MPI_SUM);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE_PRECISION)) == MPI_DOUBLE_PRECISION);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    CHECK_OK(MPI_Sendrecv(integers, 3, MPI_SHORT, 0, 4, integers + 4, 3, MPI_SHORT, 0, 4, MPI_COMM_SELF, &status));
    CHECK_OK(MPI_Status_c2f(&status, integers));
    CHECK_OK(MPI_Status_f2c(integers, &copy));
    CHECK_OK(MPI_Get_count(&copy, MPI_SHORT, &count));
    CHECK_EQUAL(count, 3);
    CHECK_EQUAL(copy.MPI_TAG, 4);
}

/* Messages that fill a buffer of the size that the program's own MPI_BSEND_OVERHEAD asks for. */
static void buffered(void)
{
    static char memory[3 * (100 + MPI_BSEND_OVERHEAD)];
    char bytes[100] = {1};
    void* detached = NULL;
    int size = 0;
    int i;
    CHECK_OK(MPI_Buffer_attach(memory, sizeof memory));
    for (i = 0; i < 3; ++i)
        CHECK_OK(MPI_Bsend(bytes, 100, MPI_CHAR, 0, i, MPI_COMM_SELF));
    for (i = 0; i < 3; ++i)
        CHECK_OK(MPI_Recv(bytes, 100, MPI_CHAR, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Buffer_detach(&detached, &size));
    CHECK(detached == memory);
    CHECK_EQUAL(size, sizeof memory);
}

/* The standard has a class for it that these programs do not know. */
static void unknown_class(void)
{
    MPI_Errhandler none = MPI_ERRHANDLER_NULL;
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_ERROR(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL), MPI_ERR_ARG, "error handler was freed");
    CHECK_ERROR(MPI_Errhandler_free(&none), MPI_ERR_ARG, "error handler was freed");
}

int main(int argc, char** argv)
{
    int provided = -1;
    CHECK_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQUAL(provided, MPI_THREAD_MULTIPLE);
    old_types();
    old_handlers();
    errors_without_a_communicator();
    constants();
    earlier_names();
    texts();
    buffered();
    fortran();
    unknown_class();
    CHECK_OK(MPI_Finalize());
    return check_result();
}
