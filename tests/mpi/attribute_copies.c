/* What duplicates of types inherit of their attributes, and what happens at their end. */
#include "check.h"

/* What the callbacks saw. */
static int copies = 0;
static int deletes = 0;
static void* last_value = NULL;
static MPI_Datatype last_type;
static int refuse_with = MPI_SUCCESS;

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
    (void)key;
    ++deletes;
    (void)type;
    last_value = value;
    (void)extra;
    return refuse_with;
}

static void in_duplicated_types(void)
{
    int key = MPI_KEYVAL_INVALID, dup_key = MPI_KEYVAL_INVALID, found = -1;
    char values[4];
    void* got = NULL;
    MPI_Datatype type, copy = MPI_DATATYPE_NULL;
    CHECK_OK(MPI_Type_create_keyval(copy_of_type, delete_of_type, &key, NULL));
    CHECK_OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &dup_key, NULL));
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_set_attr(type, key, values));
    CHECK_OK(MPI_Type_set_attr(type, dup_key, values + 2));
    copies = deletes = 0;
    refuse_with = MPI_ERR_DIMS;
    CHECK_EQUAL(MPI_Type_dup(type, &copy), MPI_ERR_DIMS);
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
    in_duplicated_types();
    MPI_Finalize();
    return check_result();
}
