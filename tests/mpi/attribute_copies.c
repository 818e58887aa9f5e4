/* What duplicates of communicators and types inherit of their attributes, and what happens at their end. */
#include "check.h"

/* What the callbacks saw. */
static int copies = 0;
static int deletes = 0;
static void* last_value = NULL;
static MPI_Comm last_comm;
static MPI_Datatype last_type;
static int refuse_with = MPI_SUCCESS;
static int order[8];

static int copy_of_comm(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag)
{
    (void)key;
    ++copies;
    last_comm = comm;
    (void)extra;
    *(void**)out = (char*)in + 1;
    *flag = 1;
    return refuse_with;
}

static int no_copy_of_comm(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    ++copies;
    *flag = 0;
    return MPI_SUCCESS;
}

static int delete_of_comm(MPI_Comm comm, int key, void* value, void* extra)
{
    order[deletes++ % 8] = key;
    (void)comm;
    last_value = value;
    (void)extra;
    return refuse_with;
}

static int copy_of_type(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag)
{
    (void)key, (void)extra;
    ++copies;
    last_type = type;
    *(void**)out = (char*)in + 1;
    *flag = 1;
    return refuse_with;
}

static int delete_of_type(MPI_Datatype type, int key, void* value, void* extra)
{
    order[deletes++ % 8] = key;
    (void)type;
    last_value = value;
    (void)extra;
    return refuse_with;
}

static void in_duplicates(void)
{
    int keys[4], found = -1, i;
    char values[8];
    void* got = NULL;
    MPI_Comm parent, copy, none = MPI_COMM_WORLD;
    MPI_Request no_request;
    CHECK_OK(MPI_Comm_create_keyval(copy_of_comm, delete_of_comm, &keys[0], NULL));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[1], NULL));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_of_comm, &keys[2], NULL));
    CHECK_OK(MPI_Comm_create_keyval(no_copy_of_comm, delete_of_comm, &keys[3], NULL));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &parent));
    for (i = 0; i < 4; ++i)
        CHECK_OK(MPI_Comm_set_attr(parent, keys[i], values + i));
    copies = deletes = 0;
    CHECK_OK(MPI_Comm_dup(parent, &copy));
    CHECK_EQUAL(copies, 2);
    CHECK(last_comm == parent);
    CHECK_OK(MPI_Comm_get_attr(copy, keys[0], &got, &found));
    CHECK(found && got == values + 1);
    CHECK_OK(MPI_Comm_get_attr(copy, keys[1], &got, &found));
    CHECK(found && got == values + 1);
    CHECK_OK(MPI_Comm_get_attr(copy, keys[2], &got, &found));
    CHECK(!found);
    CHECK_OK(MPI_Comm_get_attr(copy, keys[3], &got, &found));
    CHECK(!found);
    CHECK_OK(MPI_Comm_free(&copy));
    CHECK_EQUAL(deletes, 1);
    CHECK(last_value == values + 1);
    /* The attributes of the call count, not those of its end. */
    {
        MPI_Request request;
        CHECK_OK(MPI_Comm_idup(parent, &copy, &request));
        CHECK_OK(MPI_Comm_delete_attr(parent, keys[1]));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Comm_get_attr(copy, keys[0], &got, &found));
        CHECK(found && got == values + 1);
        CHECK_OK(MPI_Comm_get_attr(copy, keys[1], &got, &found));
        CHECK(found && got == values + 1);
        CHECK_OK(MPI_Comm_free(&copy));
        CHECK_EQUAL(deletes, 2);
    }
    /* A split-off communicator inherits nothing. */
    CHECK_OK(MPI_Comm_split(parent, 0, 0, &copy));
    CHECK_OK(MPI_Comm_get_attr(copy, keys[0], &got, &found));
    CHECK(!found);
    CHECK_OK(MPI_Comm_free(&copy));
    CHECK_EQUAL(deletes, 2);
    /* A callback that fails. */
    refuse_with = MPI_ERR_DIMS;
    CHECK_OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
    CHECK_EQUAL(MPI_Comm_dup(parent, &none), MPI_ERR_DIMS);
    CHECK(none == MPI_COMM_NULL);
    none = MPI_COMM_WORLD;
    CHECK_EQUAL(MPI_Comm_idup(parent, &none, &no_request), MPI_ERR_DIMS);
    CHECK(none == MPI_COMM_NULL && no_request == MPI_REQUEST_NULL);
    CHECK_EQUAL(MPI_Comm_free(&parent), MPI_ERR_DIMS);
    CHECK(parent != MPI_COMM_NULL);
    refuse_with = MPI_SUCCESS;
    /* The last one that was set goes first. */
    deletes = 0;
    CHECK_OK(MPI_Comm_set_attr(parent, keys[0], values));
    deletes = 0;
    CHECK_OK(MPI_Comm_free(&parent));
    CHECK(parent == MPI_COMM_NULL);
    CHECK(order[deletes - 1] == keys[2] && order[0] == keys[0]);
    for (i = 0; i < 4; ++i)
        CHECK_OK(MPI_Comm_free_keyval(&keys[i]));
}

static void in_duplicated_types(void)
{
    int key = MPI_KEYVAL_INVALID, dup_key = MPI_KEYVAL_INVALID, found = -1;
    char values[4];
    void* got = NULL;
    MPI_Datatype type, copy = MPI_INT;
    CHECK_OK(MPI_Type_create_keyval(copy_of_type, delete_of_type, &key, NULL));
    CHECK_OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &dup_key, NULL));
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_set_attr(type, key, values));
    CHECK_OK(MPI_Type_set_attr(type, dup_key, values + 2));
    copies = deletes = 0;
    refuse_with = MPI_ERR_DIMS;
    CHECK_EQUAL(MPI_Type_dup(type, &copy), MPI_ERR_DIMS);
    CHECK(copy == MPI_DATATYPE_NULL);
    refuse_with = MPI_SUCCESS;
    CHECK_OK(MPI_Type_dup(type, &copy));
    CHECK_EQUAL(copies, 2);
    CHECK(last_type == type);
    CHECK_OK(MPI_Type_get_attr(copy, key, &got, &found));
    CHECK(found && got == values + 1);
    CHECK_OK(MPI_Type_get_attr(copy, dup_key, &got, &found));
    CHECK(found && got == values + 2);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_EQUAL(deletes, 1);
    CHECK(last_value == values);
    CHECK_OK(MPI_Type_free(&copy));
    CHECK_EQUAL(deletes, 2);
    CHECK(last_value == values + 1);
    CHECK_OK(MPI_Type_free_keyval(&key));
    CHECK_OK(MPI_Type_free_keyval(&dup_key));
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    in_duplicates();
    in_duplicated_types();
    MPI_Finalize();
    return check_result();
}
