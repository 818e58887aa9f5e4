/* Keys and attributes of communicators and datatypes, and the attributes that MPI defines. */
#include "check.h"

/* What the callbacks saw. */
static int copies = 0;
static int deletes = 0;
static void* last_value = NULL;
static void* last_extra = NULL;
static MPI_Comm last_comm;
static MPI_Datatype last_type;
static int refuse_with = MPI_SUCCESS;
static int order[8];
static int state_at_end = -1;

static int copy_of_comm(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag)
{
    (void)key;
    ++copies;
    last_comm = comm;
    last_extra = extra;
    *(void**)out = (char*)in + 1;
    *flag = 1;
    return refuse_with;
}

static int delete_of_comm(MPI_Comm comm, int key, void* value, void* extra)
{
    order[deletes++ % 8] = key;
    last_comm = comm;
    last_value = value;
    last_extra = extra;
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
    last_type = type;
    last_value = value;
    last_extra = extra;
    return refuse_with;
}

/* A callback may call MPI, also what takes the same locks. */
static int calls_mpi(MPI_Comm comm, int key, void* value, void* extra)
{
    int found = -1, size = -1;
    void* seen = NULL;
    (void)extra;
    CHECK_OK(MPI_Comm_get_attr(comm, key, &seen, &found));
    CHECK_EQUAL(found, 1);
    CHECK(seen == value);
    CHECK_OK(MPI_Comm_size(comm, &size));
    CHECK_OK(MPI_Barrier(MPI_COMM_SELF));
    ++deletes;
    return MPI_SUCCESS;
}

static int at_finalize(MPI_Comm comm, int key, void* value, void* extra)
{
    int size = 0;
    (void)key, (void)extra;
    CHECK(comm == MPI_COMM_SELF);
    order[deletes++ % 8] = *(int*)value;
    CHECK_OK(MPI_Finalized(&state_at_end));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size >= 1);
    return MPI_SUCCESS;
}

static void of_communicators(void)
{
    int key = MPI_KEYVAL_INVALID, saved, again, found = -1, extra = 0;
    char values[4];
    void* got = values;
    CHECK_OK(MPI_Comm_create_keyval(copy_of_comm, delete_of_comm, &key, &extra));
    CHECK(key != MPI_KEYVAL_INVALID);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &found));
    CHECK_EQUAL(found, 0);
    CHECK(got == values);
    deletes = 0;
    CHECK_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key)); /* there is none */
    CHECK_EQUAL(deletes, 0);
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, values));
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &found));
    CHECK_EQUAL(found, 1);
    CHECK(got == values);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_SELF, key, &got, &found));
    CHECK_EQUAL(found, 0);
    /* A new value deletes the former one. */
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, values + 2));
    CHECK_EQUAL(deletes, 1);
    CHECK(last_value == values && last_extra == &extra && last_comm == MPI_COMM_WORLD);
    /* The code of a callback comes back, and the attribute stays. */
    refuse_with = MPI_ERR_TOPOLOGY;
    CHECK_EQUAL(MPI_Comm_delete_attr(MPI_COMM_WORLD, key), MPI_ERR_TOPOLOGY);
    CHECK_EQUAL(MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL), MPI_ERR_TOPOLOGY);
    refuse_with = MPI_SUCCESS;
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &found));
    CHECK_EQUAL(found, 1);
    CHECK(got == values + 2);
    /* A freed key lives as long as attributes have it. */
    saved = key;
    CHECK_OK(MPI_Comm_free_keyval(&key));
    CHECK_EQUAL(key, MPI_KEYVAL_INVALID);
    CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_SELF, saved, values), MPI_ERR_KEYVAL, "was freed");
    /* As often as there are copies of its number. */
    again = saved;
    CHECK_OK(MPI_Comm_free_keyval(&again));
    CHECK_EQUAL(again, MPI_KEYVAL_INVALID);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, saved, &got, &found));
    CHECK_EQUAL(found, 1);
    CHECK_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, saved));
    CHECK(last_value == values + 2);
    CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_WORLD, saved, &got, &found), MPI_ERR_KEYVAL,
                "MPI_Comm_get_attr on MPI_COMM_WORLD: key");
    CHECK_ERROR(MPI_Comm_free_keyval(&saved), MPI_ERR_KEYVAL, "was freed");
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, calls_mpi, &key, NULL));
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, values));
    deletes = 0;
    CHECK_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
    CHECK_EQUAL(deletes, 1);
    CHECK_OK(MPI_Comm_free_keyval(&key));
}

static void of_datatypes(void)
{
    int key = MPI_KEYVAL_INVALID, other = MPI_KEYVAL_INVALID, found = -1;
    char values[4];
    void* got = NULL;
    CHECK_OK(MPI_Type_create_keyval(copy_of_type, delete_of_type, &key, values));
    CHECK_OK(MPI_Type_set_attr(MPI_INT, key, values));
    CHECK_OK(MPI_Type_get_attr(MPI_INT, key, &got, &found));
    CHECK(found && got == values);
    CHECK_OK(MPI_Type_get_attr(MPI_DOUBLE, key, &got, &found));
    CHECK(!found);
    refuse_with = MPI_ERR_DIMS;
    CHECK_EQUAL(MPI_Type_delete_attr(MPI_INT, key), MPI_ERR_DIMS);
    refuse_with = MPI_SUCCESS;
    CHECK_OK(MPI_Type_delete_attr(MPI_INT, key));
    CHECK(last_type == MPI_INT && last_value == values && last_extra == values);
    /* The keys of communicators are others. */
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL));
    CHECK(other != key);
    CHECK_ERROR(MPI_Type_set_attr(MPI_INT, other, NULL), MPI_ERR_KEYVAL, "another kind of object");
    CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL), MPI_ERR_KEYVAL, "another kind of object");
    CHECK_OK(MPI_Comm_free_keyval(&other));
    CHECK_OK(MPI_Type_free_keyval(&key));
}

/* The names of MPI 1. */
static void by_old_names(void)
{
    int key = MPI_KEYVAL_INVALID, found = -1;
    char value;
    void* got = NULL;
    CHECK_OK(MPI_Keyval_create(MPI_DUP_FN, delete_of_comm, &key, NULL));
    CHECK_OK(MPI_Attr_put(MPI_COMM_WORLD, key, &value));
    CHECK_OK(MPI_Attr_get(MPI_COMM_WORLD, key, &got, &found));
    CHECK(found && got == &value);
    deletes = 0;
    CHECK_OK(MPI_Attr_delete(MPI_COMM_WORLD, key));
    CHECK_EQUAL(deletes, 1);
    CHECK_OK(MPI_Keyval_free(&key));
    CHECK_EQUAL(key, MPI_KEYVAL_INVALID);
}

static int predefined(MPI_Comm comm, int key)
{
    int found = 0;
    int* value = NULL;
    CHECK_OK(MPI_Comm_get_attr(comm, key, &value, &found));
    CHECK_EQUAL(found, 1);
    return found ? *value : -99;
}

static void of_mpi(void)
{
    int added = 0, key = MPI_TAG_UB;
    CHECK_EQUAL(predefined(MPI_COMM_WORLD, MPI_TAG_UB), 2147483647);
    CHECK_EQUAL(predefined(MPI_COMM_SELF, MPI_TAG_UB), 2147483647);
    CHECK_EQUAL(predefined(MPI_COMM_WORLD, MPI_HOST), MPI_PROC_NULL);
    CHECK_EQUAL(predefined(MPI_COMM_WORLD, MPI_IO), MPI_ANY_SOURCE);
    CHECK_EQUAL(predefined(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL), 1); /* on one node */
    CHECK_EQUAL(predefined(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE), check_size());
    CHECK_EQUAL(predefined(MPI_COMM_WORLD, MPI_APPNUM), 0);
    CHECK_EQUAL(predefined(MPI_COMM_WORLD, MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
    CHECK_OK(MPI_Add_error_class(&added));
    CHECK_EQUAL(predefined(MPI_COMM_WORLD, MPI_LASTUSEDCODE), added);
    CHECK_OK(MPI_Remove_error_class(added));
    CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &added), MPI_ERR_KEYVAL, "read only");
    CHECK_ERROR(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_APPNUM), MPI_ERR_KEYVAL, "read only");
    CHECK_ERROR(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL, "predefined");
}

static void wrong_arguments(void)
{
    int key = MPI_KEYVAL_INVALID, found;
    void* got = NULL;
    CHECK_ERROR(MPI_Comm_create_keyval(NULL, NULL, NULL, NULL), MPI_ERR_ARG, "keyval is a null pointer");
    CHECK_OK(MPI_Comm_create_keyval(NULL, NULL, &key, NULL));
    CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_NULL, key, NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_WORLD, key, NULL, &found), MPI_ERR_ARG, "attribute_val is a null");
    CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, NULL), MPI_ERR_ARG, "flag is a null pointer");
    CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, NULL), MPI_ERR_KEYVAL,
                "create one first");
    CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_WORLD, -7, NULL), MPI_ERR_KEYVAL, "key -7 is none");
    CHECK_ERROR(MPI_Comm_free_keyval(NULL), MPI_ERR_ARG, "null pointer");
    CHECK_ERROR(MPI_Type_set_attr(MPI_DATATYPE_NULL, key, NULL), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_ERROR(MPI_Type_get_attr(MPI_INT, MPI_TAG_UB, &got, &found), MPI_ERR_KEYVAL,
                "MPI_Type_get_attr: key 501");
    CHECK_OK(MPI_Comm_free_keyval(&key));
}

/* As many as a program likes, and in no order. */
static void many(void)
{
    enum { kMany = 20000 };
    static int keys[kMany], values[kMany];
    MPI_Comm twin, third;
    int i, found = 0;
    void* got = NULL;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &twin));
    for (i = 0; i < kMany; ++i)
        CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[i], NULL));
    for (i = 0; i < kMany; ++i)
        CHECK_OK(MPI_Comm_set_attr(twin, keys[i * 7 % kMany], &values[i * 7 % kMany]));
    for (i = 0; i < kMany; i += 3)
        CHECK_OK(MPI_Comm_delete_attr(twin, keys[i]));
    CHECK_OK(MPI_Comm_dup(twin, &third));
    for (i = 0; i < kMany; ++i) {
        CHECK_OK(MPI_Comm_get_attr(third, keys[i], &got, &found));
        CHECK_EQUAL(found, i % 3 != 0);
        if (i % 3 != 0)
            CHECK(got == &values[i]);
    }
    /* A key that is freed stays one as long as anything has the attribute. */
    for (i = 0; i < kMany; ++i) {
        int key = keys[i];
        CHECK_OK(MPI_Comm_free_keyval(&key));
        CHECK_EQUAL(key, MPI_KEYVAL_INVALID);
    }
    CHECK_OK(MPI_Comm_get_attr(twin, keys[1], &got, &found));
    CHECK(found && got == &values[1]);
    CHECK_OK(MPI_Comm_delete_attr(twin, keys[1]));
    CHECK_ERROR(MPI_Comm_get_attr(twin, keys[1], &got, &found), MPI_ERR_KEYVAL, "was freed");
    CHECK_OK(MPI_Comm_free(&twin));
    CHECK_OK(MPI_Comm_get_attr(third, keys[1], &got, &found));
    CHECK(found && got == &values[1]);
    CHECK_OK(MPI_Comm_free(&third));
}

int main(int argc, char** argv)
{
    static int first = 1, second = 2;
    int keys[2];
    MPI_Init(&argc, &argv);
    check_errors_return();
    of_communicators();
    of_datatypes();
    by_old_names();
    of_mpi();
    wrong_arguments();
    many();
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &keys[0], NULL));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &keys[1], NULL));
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[1], &first));
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], &second));
    CHECK_OK(MPI_Comm_free_keyval(&keys[0]));
    deletes = 0;
    CHECK_OK(MPI_Finalize());
    CHECK_EQUAL(deletes, 2);
    CHECK(order[0] == 2 && order[1] == 1);
    CHECK_EQUAL(state_at_end, 0);
    return check_result();
}
