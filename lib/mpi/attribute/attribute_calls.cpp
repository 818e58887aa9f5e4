// Keys and attributes of communicators, datatypes and windows, and the attributes that MPI defines itself.
#include <climits>
#include <cstring>
#include <optional>
#include <type_traits>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/attributes.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/object/user_codes.hpp"
#include "lib/mpi/rma/window_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

template <class Handle>
int create_keyval(const char* call, typename Keyval<Handle>::Copy* copy,
                  typename Keyval<Handle>::Delete* remove, int* number, void* extra_state)
{
    return guard_result(call, number, "keyval",
                        [&] { return add_keyval(*new Keyval<Handle>(copy, remove, extra_state)); });
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

Communicator& object_of(MPI_Comm handle)
{
    return begun_communicator_of(handle);
}
Datatype& object_of(MPI_Datatype handle)
{
    return datatype_of(handle);
}
Window& object_of(MPI_Win handle)
{
    return window_of(handle);
}

// The object whose error handler takes the errors of calls: datatypes have none.
template <class Handle>
auto raiser_of(Handle handle) noexcept
{
    if constexpr (std::is_same_v<Handle, MPI_Datatype>)
        return MPI_COMM_NULL;
    else
        return handle;
}

// The handle of the object that callbacks get.
MPI_Comm given_handle_of(const Communicator& object, MPI_Comm)
{
    return object.given_handle();
}
template <class Object, class Handle>
Handle given_handle_of(const Object&, Handle handle)
{
    return handle;
}

// `change` gets the object's attributes and its handle for callbacks, and returns the code of a callback.
template <class Handle, class Change>
int change_of(const char* call, Handle handle, Change&& change)
{
    return guard(call, raiser_of(handle), [&] {
        const Ref object(&object_of(handle));  // a callback may free it
        const int code = change(object->attributes, given_handle_of(*object, handle));
        return code == MPI_SUCCESS ? code : hand_over(call, raiser_of(handle), code);
    });
}

template <class Handle>
int set_on(const char* call, Handle handle, int key, void* value)
{
    return change_of(call, handle,
                     [&](auto& attributes, auto given) { return attributes.set(given, key, value); });
}

template <class Handle>
int remove_from(const char* call, Handle handle, int key)
{
    return change_of(call, handle,
                     [&](auto& attributes, auto given) { return attributes.remove(given, key); });
}

// Stores a value where the program has a variable of any pointer's type.
void store(void* place, void* value)
{
    std::memcpy(place, &value, sizeof value);
}

// The value of a predefined attribute, an address; none for another key.
std::optional<void*> predefined_attribute(Communicator&, int key)
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
            return &user_codes().last;
        case MPI_UNIVERSE_SIZE:
            return &universe;
        default:
            return std::nullopt;
    }
}
std::optional<void*> predefined_attribute(Datatype&, int)
{
    return std::nullopt;
}
std::optional<void*> predefined_attribute(Window& window, int key)
{
    return window.predefined_attribute(key);
}

template <class Handle>
int get_from(const char* call, Handle handle, int key, void* value, int* flag)
{
    return guard(call, raiser_of(handle), [&] {
        check_not_null(value, "attribute_val");
        check_not_null(flag, "flag");
        auto& object = object_of(handle);
        const std::optional<void*> predefined = predefined_attribute(object, key);
        void* found = predefined.value_or(nullptr);
        *flag = predefined || object.attributes.get(key, &found) ? 1 : 0;
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
    return set_on("MPI_Type_set_attr", datatype, key, value);
}

int type_get_attr(MPI_Datatype datatype, int key, void* value, int* flag)
{
    return get_from("MPI_Type_get_attr", datatype, key, value, flag);
}

int type_delete_attr(MPI_Datatype datatype, int key)
{
    return remove_from("MPI_Type_delete_attr", datatype, key);
}

int win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove, int* key,
                      void* extra_state)
{
    return create_keyval<MPI_Win>("MPI_Win_create_keyval", copy, remove, key, extra_state);
}

int win_free_keyval(int* key)
{
    return end_keyval<MPI_Win>("MPI_Win_free_keyval", key);
}

int win_set_attr(MPI_Win window, int key, void* value)
{
    return set_on("MPI_Win_set_attr", window, key, value);
}

int win_get_attr(MPI_Win window, int key, void* value, int* flag)
{
    return get_from("MPI_Win_get_attr", window, key, value, flag);
}

int win_delete_attr(MPI_Win window, int key)
{
    return remove_from("MPI_Win_delete_attr", window, key);
}

}  // namespace tutti::mpi
