// Keys and attributes of communicators and datatypes, and the attributes that MPI defines itself.
#include <climits>
#include <cstring>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/mpi/attributes.hpp"
#include "lib/mpi/communicator.hpp"
#include "lib/mpi/datatype.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/runtime.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/user_errors.hpp"

namespace tutti::mpi {

namespace {

template <class Handle>
int create_keyval(const char* call, typename Keyval<Handle>::Copy* copy,
                  typename Keyval<Handle>::Delete* remove, int* number, void* extra_state)
{
    return guard(call, [&] {
        check_not_null(number, "keyval");
        *number = add_keyval(*new Keyval<Handle>(copy, remove, extra_state));
    });
}

template <class Handle>
int end_keyval(const char* call, int* number)
{
    return guard(call, [&] {
        check_not_null(number, "keyval");
        free_keyval<Handle>(*number);
        *number = MPI_KEYVAL_INVALID;
    });
}

// `raiser`: whose error handler gets the code of a callback; MPI_COMM_NULL: that of MPI_COMM_SELF.
int after_callbacks(const char* call, MPI_Comm raiser, int code)
{
    return code == MPI_SUCCESS ? code : hand_over(call, raiser, code);
}

int set_on(const char* call, MPI_Comm comm, int key, void* value)
{
    return guard(call, comm, [&] {
        const Ref<Communicator> object(&begun_communicator_of(comm));  // a callback may free it
        return after_callbacks(call, comm, object->attributes.set(object->given_handle(), key, value));
    });
}

int remove_from(const char* call, MPI_Comm comm, int key)
{
    return guard(call, comm, [&] {
        const Ref<Communicator> object(&begun_communicator_of(comm));
        return after_callbacks(call, comm, object->attributes.remove(object->given_handle(), key));
    });
}

// Stores a value where the program has a variable of any pointer's type.
void store(void* place, void* value)
{
    std::memcpy(place, &value, sizeof value);
}

// Where the value of a predefined attribute lies; nullptr for another key.
int* predefined_attribute(int key)
{
    const detail::CommunicatorState& world = *Runtime::process().world();
    static int highest_tag = INT_MAX;
    static int ranks_that_read_and_write = MPI_ANY_SOURCE;
    static int host = MPI_PROC_NULL;
    static int is_one_clock = world.placement().one_node ? 1 : 0;
    static int program = 0;
    static int universe = world.size();
    switch (key) {
        case MPI_TAG_UB:
            return &highest_tag;
        case MPI_IO:
            return &ranks_that_read_and_write;
        case MPI_HOST:
            return &host;
        case MPI_WTIME_IS_GLOBAL:
            return &is_one_clock;
        case MPI_APPNUM:
            return &program;
        case MPI_LASTUSEDCODE:
            return &last_used_code();
        case MPI_UNIVERSE_SIZE:
            return &universe;
        default:
            return nullptr;
    }
}

int get_from(const char* call, MPI_Comm comm, int key, void* value, int* flag)
{
    return guard(call, comm, [&] {
        check_not_null(value, "attribute_val");
        check_not_null(flag, "flag");
        const Communicator& object = begun_communicator_of(comm);
        if (int* const predefined = predefined_attribute(key)) {
            store(value, predefined);
            *flag = 1;
            return;
        }
        void* found = nullptr;
        *flag = object.attributes.get(key, &found) ? 1 : 0;
        if (*flag != 0)
            store(value, found);
    });
}

}  // namespace

int comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* key,
                       void* extra_state)
{
    return create_keyval<MPI_Comm>("MPI_Comm_create_keyval", copy, remove, key, extra_state);
}

int keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* key, void* extra_state)
{
    return create_keyval<MPI_Comm>("MPI_Keyval_create", copy, remove, key, extra_state);
}

int comm_free_keyval(int* key)
{
    return end_keyval<MPI_Comm>("MPI_Comm_free_keyval", key);
}

int keyval_free(int* key)
{
    return end_keyval<MPI_Comm>("MPI_Keyval_free", key);
}

int comm_set_attr(MPI_Comm comm, int key, void* value)
{
    return set_on("MPI_Comm_set_attr", comm, key, value);
}

int attr_put(MPI_Comm comm, int key, void* value)
{
    return set_on("MPI_Attr_put", comm, key, value);
}

int comm_get_attr(MPI_Comm comm, int key, void* value, int* flag)
{
    return get_from("MPI_Comm_get_attr", comm, key, value, flag);
}

int attr_get(MPI_Comm comm, int key, void* value, int* flag)
{
    return get_from("MPI_Attr_get", comm, key, value, flag);
}

int comm_delete_attr(MPI_Comm comm, int key)
{
    return remove_from("MPI_Comm_delete_attr", comm, key);
}

int attr_delete(MPI_Comm comm, int key)
{
    return remove_from("MPI_Attr_delete", comm, key);
}

int type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove, int* key,
                       void* extra_state)
{
    return create_keyval<MPI_Datatype>("MPI_Type_create_keyval", copy, remove, key, extra_state);
}

int type_free_keyval(int* key)
{
    return end_keyval<MPI_Datatype>("MPI_Type_free_keyval", key);
}

int type_set_attr(MPI_Datatype datatype, int key, void* value)
{
    constexpr const char* kCall = "MPI_Type_set_attr";
    return guard(kCall, [&] {
        const Ref<Datatype> object(&datatype_of(datatype));
        return after_callbacks(kCall, MPI_COMM_NULL, object->attributes.set(datatype, key, value));
    });
}

int type_get_attr(MPI_Datatype datatype, int key, void* value, int* flag)
{
    return guard("MPI_Type_get_attr", [&] {
        check_not_null(value, "attribute_val");
        check_not_null(flag, "flag");
        void* found = nullptr;
        *flag = datatype_of(datatype).attributes.get(key, &found) ? 1 : 0;
        if (*flag != 0)
            store(value, found);
    });
}

int type_delete_attr(MPI_Datatype datatype, int key)
{
    constexpr const char* kCall = "MPI_Type_delete_attr";
    return guard(kCall, [&] {
        const Ref<Datatype> object(&datatype_of(datatype));
        return after_callbacks(kCall, MPI_COMM_NULL, object->attributes.remove(datatype, key));
    });
}

}  // namespace tutti::mpi
