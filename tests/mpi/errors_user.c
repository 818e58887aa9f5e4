/* Error classes, codes and strings of the program; error handlers that see them. */
#include "check.h"

static int seen_code = 0;

static void remember(MPI_Comm* comm, int* code, ...)
{
    (void)comm;
    seen_code = *code;
}

static int class_of(int code)
{
    int error_class = -1;
    CHECK_OK(MPI_Error_class(code, &error_class));
    return error_class;
}

static void added(void)
{
    int first, second, code, of_mpis;
    char words[MPI_MAX_ERROR_STRING];
    int length = -1;
    CHECK_OK(MPI_Add_error_class(&first));
    CHECK_OK(MPI_Add_error_class(&second));
    CHECK(first > MPI_ERR_LASTCODE && second > first);
    CHECK_OK(MPI_Add_error_code(first, &code));
    CHECK(code > second);
    CHECK_EQUAL(class_of(first), first);
    CHECK_EQUAL(class_of(code), first);
    CHECK_OK(MPI_Add_error_code(MPI_ERR_RANK, &of_mpis));
    CHECK_EQUAL(class_of(of_mpis), MPI_ERR_RANK);
    /* Without a string. */
    CHECK_OK(MPI_Error_string(code, words, &length));
    CHECK_EQUAL(length, 0);
    CHECK_EQUAL(words[0], '\0');
    CHECK_OK(MPI_Add_error_string(first, "the solver"));
    CHECK_OK(MPI_Add_error_string(code, "the solver does not converge"));
    CHECK_ERROR(code, first, "the solver does not converge");
    CHECK_OK(MPI_Add_error_string(code, "the solver diverges"));
    CHECK_ERROR(code, first, "the solver diverges");
    CHECK_ERROR(first, first, "the solver");
    /* Removed from the inside to the outside. */
    CHECK_ERROR(MPI_Remove_error_class(first), MPI_ERR_OTHER, "remove them first");
    CHECK_OK(MPI_Remove_error_string(code));
    CHECK_OK(MPI_Error_string(code, words, &length));
    CHECK_EQUAL(length, 0);
    CHECK_ERROR(MPI_Remove_error_string(code), MPI_ERR_ARG, "has no string");
    CHECK_OK(MPI_Remove_error_code(code));
    CHECK_OK(MPI_Remove_error_class(first));
    CHECK_ERROR(MPI_Add_error_code(first, &code), MPI_ERR_ARG,
                "no error class or code that the program added");
    CHECK_ERROR(first, first, "unknown");
    CHECK_OK(MPI_Remove_error_code(of_mpis));
    CHECK_OK(MPI_Remove_error_class(second));
}

static void handled(void)
{
    MPI_Errhandler handler;
    int error_class, code;
    CHECK_OK(MPI_Add_error_class(&error_class));
    CHECK_OK(MPI_Add_error_code(error_class, &code));
    CHECK_OK(MPI_Comm_create_errhandler(remember, &handler));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));
    CHECK_EQUAL(seen_code, code);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ABORT));
    CHECK_OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler));
    CHECK(handler == MPI_ERRORS_ABORT);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Remove_error_code(code));
    CHECK_OK(MPI_Remove_error_class(error_class));
}

static void wrong_arguments(void)
{
    int error_class, code;
    CHECK_ERROR(MPI_Add_error_class(NULL), MPI_ERR_ARG, "errorclass is a null pointer");
    CHECK_OK(MPI_Add_error_class(&error_class));
    CHECK_OK(MPI_Add_error_code(error_class, &code));
    CHECK_ERROR(MPI_Add_error_code(error_class, NULL), MPI_ERR_ARG, "errorcode is a null pointer");
    CHECK_ERROR(MPI_Add_error_code(code, &code), MPI_ERR_ARG, "pass its class");
    CHECK_ERROR(MPI_Add_error_code(-1, &code), MPI_ERR_ARG, "-1 is no error class");
    CHECK_ERROR(MPI_Add_error_string(MPI_ERR_RANK, "mine"), MPI_ERR_ARG, "that the program added");
    CHECK_ERROR(MPI_Add_error_string(code, NULL), MPI_ERR_ARG, "string is a null pointer");
    CHECK_ERROR(MPI_Remove_error_class(code), MPI_ERR_ARG, "call MPI_Remove_error_code");
    CHECK_ERROR(MPI_Remove_error_code(error_class), MPI_ERR_ARG, "call MPI_Remove_error_class");
    CHECK_ERROR(MPI_Remove_error_class(MPI_ERR_RANK), MPI_ERR_ARG, "that the program added");
    CHECK_OK(MPI_Remove_error_code(code));
    CHECK_OK(MPI_Remove_error_class(error_class));
}

int main(int argc, char** argv)
{
    int before = 0;
    /* Also without MPI. */
    CHECK_OK(MPI_Add_error_class(&before));
    CHECK_OK(MPI_Add_error_string(before, "before MPI"));
    MPI_Init(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(before, before, "before MPI");
    added();
    handled();
    wrong_arguments();
    MPI_Finalize();
    CHECK_ERROR(before, before, "before MPI");
    return check_result();
}
