/* Info objects, with and without MPI, and the info that the library gives. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

static int keys_of(MPI_Info info)
{
    int number = -1;
    CHECK_OK(MPI_Info_get_nkeys(info, &number));
    return number;
}

/* The value, or "" without one. */
static const char* value_of(MPI_Info info, const char* key)
{
    static char value[MPI_MAX_INFO_VAL];
    int length = sizeof value, found = -1;
    value[0] = '\0';
    CHECK_OK(MPI_Info_get_string(info, key, &length, value, &found));
    if (found)
        CHECK_EQUAL(length, strlen(value) + 1);
    return value;
}

static void values(void)
{
    MPI_Info info = MPI_INFO_NULL, copy = MPI_INFO_NULL;
    char text[8];
    char key[MPI_MAX_INFO_KEY];
    int length, found = -1;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_EQUAL(keys_of(info), 0);
    CHECK_OK(MPI_Info_set(info, "file", "results"));
    CHECK_OK(MPI_Info_set(info, "soft", "1:4"));
    CHECK_OK(MPI_Info_set(info, "empty", ""));
    CHECK_OK(MPI_Info_set(info, "file", "all results"));
    CHECK_EQUAL(keys_of(info), 3);
    CHECK(strcmp(value_of(info, "file"), "all results") == 0);
    CHECK_OK(MPI_Info_get_nthkey(info, 0, key));
    CHECK(strcmp(key, "file") == 0);
    CHECK_OK(MPI_Info_get_nthkey(info, 2, key));
    CHECK(strcmp(key, "empty") == 0);
    CHECK_OK(MPI_Info_get_valuelen(info, "file", &length, &found));
    CHECK(found && length == 11);
    CHECK_OK(MPI_Info_get_valuelen(info, "empty", &length, &found));
    CHECK(found && length == 0);
    /* Where there is little room. */
    memset(text, 'x', sizeof text);
    CHECK_OK(MPI_Info_get(info, "file", 5, text, &found));
    CHECK(found && strcmp(text, "all r") == 0 && text[6] == 'x');
    length = 4;
    CHECK_OK(MPI_Info_get_string(info, "file", &length, text, &found));
    CHECK(found && length == 12 && strcmp(text, "all") == 0);
    length = 0;
    CHECK_OK(MPI_Info_get_string(info, "file", &length, NULL, &found));
    CHECK(found && length == 12);
    /* A key that is not there leaves the arguments as they are. */
    length = 7;
    CHECK_OK(MPI_Info_get_string(info, "none", &length, text, &found));
    CHECK(!found && length == 7 && strcmp(text, "all") == 0);
    CHECK_OK(MPI_Info_get_valuelen(info, "none", &length, &found));
    CHECK(!found && length == 7);
    CHECK_OK(MPI_Info_dup(info, &copy));
    CHECK_OK(MPI_Info_delete(info, "file"));
    CHECK_EQUAL(keys_of(info), 2);
    CHECK_EQUAL(keys_of(copy), 3);
    CHECK_OK(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
    CHECK(strcmp(value_of(copy, "soft"), "1:4") == 0);
    CHECK_OK(MPI_Info_free(&copy));
}

static void wrong_arguments(void)
{
    MPI_Info info, freed;
    MPI_Info none = MPI_INFO_NULL;
    char longest[MPI_MAX_INFO_VAL + 1];
    int number = 0, found = -1;
    CHECK_OK(MPI_Info_create(&info));
    memset(longest, 'a', sizeof longest);
    longest[MPI_MAX_INFO_VAL] = '\0';
    CHECK_ERROR(MPI_Info_set(info, "key", longest), MPI_ERR_INFO_VALUE, "more than 1023 characters");
    CHECK_OK(MPI_Info_set(info, "key", longest + 1));
    longest[MPI_MAX_INFO_KEY] = '\0';
    CHECK_ERROR(MPI_Info_set(info, longest, "value"), MPI_ERR_INFO_KEY, "more than 255 characters");
    CHECK_OK(MPI_Info_set(info, longest + 1, "value"));
    CHECK_ERROR(MPI_Info_set(info, "", "value"), MPI_ERR_INFO_KEY, "empty");
    CHECK_ERROR(MPI_Info_set(info, NULL, "value"), MPI_ERR_ARG, "key is a null pointer");
    CHECK_ERROR(MPI_Info_set(info, "key", NULL), MPI_ERR_ARG, "value is a null pointer");
    CHECK_ERROR(MPI_Info_delete(info, "none"), MPI_ERR_INFO_NOKEY, "no key \"none\"");
    CHECK_ERROR(MPI_Info_get_nthkey(info, 2, longest), MPI_ERR_ARG, "key 2 was asked for");
    CHECK_ERROR(MPI_Info_get_nthkey(info, -1, longest), MPI_ERR_ARG, "key -1 was asked for");
    CHECK_ERROR(MPI_Info_get(info, "key", -1, longest, &found), MPI_ERR_ARG, "length of the value is -1");
    CHECK_ERROR(MPI_Info_get(info, "key", 4, NULL, &found), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Info_get_string(info, "key", &number, longest, NULL), MPI_ERR_ARG,
                "flag is a null pointer");
    CHECK_ERROR(MPI_Info_get_nkeys(MPI_INFO_NULL, &number), MPI_ERR_INFO, "MPI_INFO_NULL");
    CHECK_ERROR(MPI_Info_get_nkeys((MPI_Info)MPI_COMM_WORLD, &number), MPI_ERR_INFO, "no info object");
    CHECK_ERROR(MPI_Info_free(&none), MPI_ERR_INFO, "MPI_INFO_NULL");
    freed = info;
    CHECK_OK(MPI_Info_free(&info));
    CHECK_ERROR(MPI_Info_set(freed, "key", "value"), MPI_ERR_INFO, "was freed");
    CHECK_ERROR(MPI_Info_create(NULL), MPI_ERR_ARG, "info is a null pointer");
}

static void of_start(void)
{
    char expected[1024];
    MPI_Info copy;
    CHECK(getcwd(expected, sizeof expected) != NULL);
    CHECK(strcmp(value_of(MPI_INFO_ENV, "wdir"), expected) == 0);
    CHECK(strstr(value_of(MPI_INFO_ENV, "command"), "mpi_info") != NULL);
    CHECK_EQUAL(atoi(value_of(MPI_INFO_ENV, "maxprocs")), check_size());
    CHECK(strcmp(value_of(MPI_INFO_ENV, "thread_level"), "") == 0); /* nobody has asked before the start */
    CHECK(value_of(MPI_INFO_ENV, "arch")[0] != '\0');
    CHECK(value_of(MPI_INFO_ENV, "host")[0] != '\0');
    CHECK_ERROR(MPI_Info_set(MPI_INFO_ENV, "arch", "abacus"), MPI_ERR_INFO, "read-only");
    copy = MPI_INFO_ENV;
    CHECK_ERROR(MPI_Info_free(&copy), MPI_ERR_INFO, "read-only");
    CHECK_OK(MPI_Info_dup(MPI_INFO_ENV, &copy));
    CHECK_OK(MPI_Info_set(copy, "arch", "abacus"));
    CHECK_OK(MPI_Info_free(&copy));
}

/* The same before MPI_Init, behind it and after MPI_Finalize. */
static void by_arguments(void)
{
    static int ranks = 0;
    char program[] = "prog", first[] = "-a", second[] = "b";
    char* words[] = {program, first, second, NULL};
    MPI_Info info = MPI_INFO_NULL;
    CHECK_OK(MPI_Info_create_env(3, words, &info));
    CHECK(strcmp(value_of(info, "command"), "prog") == 0);
    CHECK(strcmp(value_of(info, "argv"), "-a b") == 0);
    CHECK(atoi(value_of(info, "maxprocs")) > 0);
    CHECK(ranks == 0 || ranks == atoi(value_of(info, "maxprocs")));
    ranks = atoi(value_of(info, "maxprocs"));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Info_create_env(0, NULL, &info));
    CHECK(strstr(value_of(info, "command"), "mpi_info") != NULL);
    CHECK_OK(MPI_Info_free(&info));
}

static void of_the_library(void)
{
    MPI_Info info = MPI_INFO_NULL;
    CHECK_OK(MPI_Abi_get_info(&info));
    CHECK_EQUAL(atoi(value_of(info, "mpi_aint_size")), sizeof(MPI_Aint));
    CHECK_EQUAL(atoi(value_of(info, "mpi_count_size")), 8);
    CHECK_EQUAL(atoi(value_of(info, "mpi_offset_size")), 8);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Get_hw_resource_info(&info));
    CHECK(strcmp(value_of(info, "mpi_shared_memory"), "true") == 0);
    CHECK_OK(MPI_Info_free(&info));
}

/* In programs whose binding has told nothing. */
static void of_fortran_wrong(void)
{
    MPI_Info info = MPI_INFO_NULL, fortran = MPI_INFO_NULL;
    int truth = -1, lie = -1, is_set = -1, size = -1;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_integer_size", "8"));
    CHECK_ERROR(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI, "mpi_integer_size is 8, but 4 in this library");
    CHECK_OK(MPI_Info_set(info, "mpi_integer_size", "4"));
    CHECK_OK(MPI_Info_set(info, "mpi_real2_supported", "maybe"));
    CHECK_ERROR(MPI_Abi_set_fortran_info(info), MPI_ERR_INFO_VALUE, "mpi_real2_supported is 'maybe'");
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Abi_get_fortran_info(&fortran));
    CHECK(fortran == MPI_INFO_NULL);
    CHECK_OK(MPI_Abi_get_fortran_booleans(4, &truth, &lie, &is_set));
    CHECK(!is_set && truth == -1);
    CHECK_OK(MPI_Type_size(MPI_REAL2, &size));
    CHECK_EQUAL(size, 2);
}

int main(int argc, char** argv)
{
    values(); /* before MPI_Init too */
    by_arguments();
    MPI_Init(&argc, &argv);
    check_errors_return();
    values();
    by_arguments();
    wrong_arguments();
    of_start();
    of_the_library();
    of_fortran_wrong();
    MPI_Finalize();
    values(); /* and after MPI_Finalize */
    by_arguments();
    return check_result();
}
