/* Communicators of the ranks of one host. The job may have one host or several. */
#include "check.h"

static char value[MPI_MAX_INFO_VAL + 1];

static int has_kind(MPI_Info info)
{
    int found = 0, length = sizeof value;
    CHECK_OK(MPI_Info_get_string(info, "mpi_hw_resource_type", &length, value, &found));
    return found;
}

int main(int argc, char** argv)
{
    MPI_Comm node, part, again;
    MPI_Info info;
    int on_node = 0, in_part = 0, result = -1;
    MPI_Init(&argc, &argv);
    check_errors_return();
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    CHECK_OK(MPI_Comm_size(node, &on_node));
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &part));
    /* Only proper parts. What they are, the library tells. */
    CHECK((part == MPI_COMM_NULL) == (on_node == check_size()));
    CHECK_EQUAL(has_kind(info), part != MPI_COMM_NULL);
    if (part != MPI_COMM_NULL) {
        CHECK(strcmp(value, "mpi_shared_memory") == 0);
        CHECK_OK(MPI_Comm_size(part, &in_part));
        CHECK_EQUAL(in_part, on_node);
        CHECK_OK(MPI_Comm_compare(part, node, &result));
        CHECK_EQUAL(result, MPI_CONGRUENT);
        /* The answer guides another split. */
        CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &again));
        CHECK_OK(MPI_Comm_compare(again, node, &result));
        CHECK_EQUAL(result, MPI_CONGRUENT);
        CHECK_OK(MPI_Comm_free(&again));
        CHECK_OK(MPI_Comm_free(&part));
    }
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_free(&node));
    MPI_Finalize();
    return check_result();
}
