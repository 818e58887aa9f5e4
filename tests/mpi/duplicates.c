/* Duplicates that MPI_Comm_idup is still making: what they have already, and that all else is an error. */
#include "check.h"

static int rank, size;
static int deleted;
static MPI_Comm deleted_from;

static int on_delete(MPI_Comm comm, int key, void* value, void* extra)
{
    (void)key;
    (void)value;
    (void)extra;
    deleted_from = comm;
    ++deleted;
    return MPI_SUCCESS;
}

static int compared(MPI_Comm one, MPI_Comm other)
{
    int result = -1;
    CHECK_OK(MPI_Comm_compare(one, other, &result));
    return result;
}

static void check_name(MPI_Comm comm, const char* expected)
{
    char name[MPI_MAX_OBJECT_NAME] = "?";
    int length = -1;
    CHECK_OK(MPI_Comm_get_name(comm, name, &length));
    CHECK(strcmp(name, expected) == 0);
    CHECK_EQUAL(length, (long long)strlen(expected));
}

static void check_value(MPI_Comm comm, int key, const int* expected)
{
    int* value = NULL;
    int flag = 0;
    CHECK_OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    CHECK_EQUAL(flag, expected != NULL);
    if (flag)
        CHECK(value == expected);
}

/* What a duplicate has from the beginning. */
static void check_begun(MPI_Comm copy, MPI_Comm other_copy, int key)
{
    static int values[2];
    int number = -1, flag = -1;
    MPI_Errhandler handler;
    MPI_Group group;
    check_name(copy, "");
    CHECK_OK(MPI_Comm_set_name(copy, "copy"));
    check_name(copy, "copy");
    check_name(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    CHECK_OK(MPI_Comm_set_attr(copy, key, &values[0]));
    check_value(copy, key, &values[0]);
    CHECK_OK(MPI_Comm_set_attr(copy, key, &values[1]));
    CHECK_EQUAL(deleted, 1);
    CHECK(deleted_from == copy);
    CHECK_OK(MPI_Comm_delete_attr(copy, key));
    CHECK_EQUAL(deleted, 2);
    CHECK(deleted_from == copy);
    check_value(copy, key, NULL);
    CHECK_OK(MPI_Comm_set_attr(copy, key, &deleted));
    CHECK_OK(MPI_Comm_get_errhandler(copy, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Comm_set_errhandler(copy, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Comm_size(copy, &number));
    CHECK_EQUAL(number, size);
    CHECK_OK(MPI_Comm_rank(copy, &number));
    CHECK_EQUAL(number, rank);
    CHECK_OK(MPI_Comm_group(copy, &group));
    CHECK_OK(MPI_Group_size(group, &number));
    CHECK_EQUAL(number, size);
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Comm_test_inter(copy, &flag));
    CHECK_EQUAL(flag, 0);
    CHECK_EQUAL(compared(copy, copy), MPI_IDENT);
    CHECK_EQUAL(compared(copy, MPI_COMM_WORLD), MPI_CONGRUENT);
    CHECK_EQUAL(compared(MPI_COMM_WORLD, copy), MPI_CONGRUENT);
    CHECK_EQUAL(compared(copy, other_copy), MPI_CONGRUENT);
}

/* Rank 0 has not begun: nothing is complete. */
static void check_errors(MPI_Comm copy)
{
    static const char words[] = "still being made";
    MPI_Comm place = copy, another;
    MPI_Request request;
    int value = 0;
    CHECK_ERROR(MPI_Barrier(copy), MPI_ERR_COMM, words);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 0, 1, copy), MPI_ERR_COMM, words);
    CHECK_ERROR(MPI_Irecv(&value, 1, MPI_INT, 0, 1, copy, &request), MPI_ERR_COMM, words);
    CHECK_ERROR(MPI_Comm_dup(copy, &another), MPI_ERR_COMM, words);
    CHECK_ERROR(MPI_Comm_idup(copy, &another, &request), MPI_ERR_COMM, words);
    CHECK_ERROR(MPI_Comm_split(copy, 0, 0, &another), MPI_ERR_COMM, words);
    CHECK_ERROR(MPI_Comm_remote_size(copy, &value), MPI_ERR_COMM, words);
    CHECK_ERROR(MPI_Comm_free(&place), MPI_ERR_COMM, words);
    CHECK(place == copy);
}

int main(int argc, char** argv)
{
    MPI_Comm copies[2], old;
    MPI_Request requests[2];
    int key = MPI_KEYVAL_INVALID, sum = 0;
    MPI_Init(&argc, &argv);
    check_errors_return();
    rank = check_rank();
    size = check_size();
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &old));
    if (rank == 0 && size > 1)
        CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, size - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_idup(old, &copies[0], &requests[0]));
    CHECK_OK(MPI_Comm_idup(old, &copies[1], &requests[1]));
    CHECK_EQUAL(compared(copies[0], old), MPI_CONGRUENT);
    check_begun(copies[0], copies[1], key);
    /* The old one may end first. */
    CHECK_OK(MPI_Comm_free(&old));
    CHECK_EQUAL(compared(copies[0], MPI_COMM_WORLD), MPI_CONGRUENT);
    if (size > 1 && rank == size - 1) {
        check_errors(copies[0]);
        CHECK_OK(MPI_Send(NULL, 0, MPI_INT, 0, 5, MPI_COMM_WORLD));
    }
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    check_name(copies[0], "copy");
    check_value(copies[0], key, &deleted);
    check_name(copies[1], "");
    check_value(copies[1], key, NULL);
    CHECK_EQUAL(compared(copies[0], copies[1]), MPI_CONGRUENT);
    CHECK_OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copies[0]));
    CHECK_EQUAL(sum, size * (size - 1) / 2);
    CHECK_OK(MPI_Comm_free(&copies[0]));
    CHECK_EQUAL(deleted, 3);
    CHECK_OK(MPI_Comm_free(&copies[1]));
    CHECK_OK(MPI_Comm_free_keyval(&key));
    MPI_Finalize();
    return check_result();
}
