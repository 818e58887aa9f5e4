// Attributes of programs in Fortran. Their values are integers; C sees the address of the integer that
// Fortran has set, and Fortran the address that C has set.
#include <mutex>
#include <unordered_set>

#include "lib/mpi/fortran/bodies.hpp"
#include "lib/mpi/fortran/handles.hpp"
#include "lib/mpi/fortran/values.hpp"

namespace tutti::mpi::fortran {

namespace {

/// The integers that Fortran has set. Any thread.
class FortranValues {
public:
    MPI_Aint* add(MPI_Aint value)
    {
        auto place = std::make_unique<MPI_Aint>(value);
        const std::lock_guard lock(mutex_);
        places_.insert(place.get());
        return place.release();
    }

    /// What Fortran sees of a value that either language has set.
    MPI_Aint seen(void* value) const
    {
        const std::lock_guard lock(mutex_);
        auto* const place = static_cast<MPI_Aint*>(value);
        return places_.contains(place) ? *place : reinterpret_cast<MPI_Aint>(value);
    }

    /// Does nothing for a value of C's.
    void end(void* value)
    {
        auto* const place = static_cast<MPI_Aint*>(value);
        const std::lock_guard lock(mutex_);
        if (places_.erase(place) != 0)
            delete place;
    }

private:
    mutable std::mutex mutex_;
    std::unordered_set<MPI_Aint*> places_;
};

// Never destroyed: attributes may live longer than main.
FortranValues& values()
{
    static FortranValues& all = *new FortranValues;
    return all;
}

/// The extra state of C's callbacks below. It lives as long as the process, as attributes may.
struct FortranKey {
    Function* copy;
    Function* remove;
    MPI_Aint extra_state;
    bool has_narrow_values;  // of MPI 1: default integers
};

MPI_Aint narrowed(const FortranKey& key, MPI_Aint value)
{
    return key.has_narrow_values ? static_cast<int>(value) : value;
}

template <class Handle>
int copy_attribute(Handle object, int keyval, void* extra_state, void* value, void* copied, int* is_copied)
{
    auto& key = *static_cast<FortranKey*>(extra_state);
    int number = number_of(object);
    MPI_Aint from = values().seen(value);
    MPI_Aint to = 0;
    int flag = 0;
    int code = MPI_SUCCESS;
    // Narrow integers are read and written at the same addresses: the lower bytes come first.
    reinterpret_cast<void (*)(int*, int*, MPI_Aint*, MPI_Aint*, MPI_Aint*, int*, int*)>(key.copy)(
        &number, &keyval, &key.extra_state, &from, &to, &flag, &code);
    *is_copied = in_logical(&flag);
    if (code == MPI_SUCCESS && *is_copied != 0)
        *static_cast<void**>(copied) = values().add(narrowed(key, to));
    return code;
}

template <class Handle>
int delete_attribute(Handle object, int keyval, void* value, void* extra_state)
{
    auto& key = *static_cast<FortranKey*>(extra_state);
    int number = number_of(object);
    MPI_Aint seen = values().seen(value);
    int code = MPI_SUCCESS;
    reinterpret_cast<void (*)(int*, int*, MPI_Aint*, MPI_Aint*, int*)>(key.remove)(&number, &keyval, &seen,
                                                                                   &key.extra_state, &code);
    if (code == MPI_SUCCESS)
        values().end(value);
    return code;
}

template <class Create, class Copy, class Remove>
int create_key(Create create, Copy copies, Remove removes, const FortranKey& key, int* keyval)
{
    auto own = std::make_unique<FortranKey>(key);
    const int code = create(copies, removes, keyval, own.get());
    if (code == MPI_SUCCESS)
        own.release();
    return code;
}

bool is_predefined(int keyval)
{
    return keyval >= MPI_TAG_UB && keyval <= MPI_WIN_MODEL;
}

/// The library's own attributes are addresses of integers, except for the address of a window's memory.
MPI_Aint predefined_value(int keyval, void* value)
{
    if (keyval == MPI_WIN_BASE)
        return reinterpret_cast<MPI_Aint>(value);
    return keyval == MPI_WIN_SIZE ? *static_cast<MPI_Aint*>(value) : *static_cast<int*>(value);
}

template <class Get, class Handle, class Integer>
int get_attribute(Get get, Handle object, const int* keyval, Integer* value, int* flag)
{
    void* found = nullptr;
    const int code = get(object, *keyval, static_cast<void*>(&found), flag);
    if (code == MPI_SUCCESS && *flag != 0)
        *value = static_cast<Integer>(is_predefined(*keyval) ? predefined_value(*keyval, found)
                                                             : values().seen(found));
    return code;
}

template <class Set, class Handle>
int set_attribute(Set set, Handle object, const int* keyval, MPI_Aint value)
{
    MPI_Aint* const place = values().add(value);
    const int code = set(object, *keyval, place);
    if (code != MPI_SUCCESS)
        values().end(place);
    return code;
}

}  // namespace

int attr_get(const int* comm, const int* keyval, int* value, int* flag)
{
    return get_attribute(MPI_Attr_get, in<MPI_Comm>(comm), keyval, value, flag);
}

int attr_put(const int* comm, const int* keyval, const int* value)
{
    return set_attribute(MPI_Attr_put, in<MPI_Comm>(comm), keyval, *value);
}

int comm_get_attr(const int* comm, const int* keyval, MPI_Aint* value, int* flag)
{
    return get_attribute(MPI_Comm_get_attr, in<MPI_Comm>(comm), keyval, value, flag);
}

int comm_set_attr(const int* comm, const int* keyval, const MPI_Aint* value)
{
    return set_attribute(MPI_Comm_set_attr, in<MPI_Comm>(comm), keyval, *value);
}

int type_get_attr(const int* type, const int* keyval, MPI_Aint* value, int* flag)
{
    return get_attribute(MPI_Type_get_attr, in<MPI_Datatype>(type), keyval, value, flag);
}

int type_set_attr(const int* type, const int* keyval, const MPI_Aint* value)
{
    return set_attribute(MPI_Type_set_attr, in<MPI_Datatype>(type), keyval, *value);
}

int win_get_attr(const int* win, const int* keyval, MPI_Aint* value, int* flag)
{
    return get_attribute(MPI_Win_get_attr, in<MPI_Win>(win), keyval, value, flag);
}

int win_set_attr(const int* win, const int* keyval, const MPI_Aint* value)
{
    return set_attribute(MPI_Win_set_attr, in<MPI_Win>(win), keyval, *value);
}

int keyval_create(Function* copy, Function* remove, int* keyval, const int* extra_state)
{
    return create_key(MPI_Keyval_create, copy_attribute<MPI_Comm>, delete_attribute<MPI_Comm>,
                      {copy, remove, *extra_state, true}, keyval);
}

int comm_create_keyval(Function* copy, Function* remove, int* keyval, const MPI_Aint* extra_state)
{
    return create_key(MPI_Comm_create_keyval, copy_attribute<MPI_Comm>, delete_attribute<MPI_Comm>,
                      {copy, remove, *extra_state, false}, keyval);
}

int type_create_keyval(Function* copy, Function* remove, int* keyval, const MPI_Aint* extra_state)
{
    return create_key(MPI_Type_create_keyval, copy_attribute<MPI_Datatype>, delete_attribute<MPI_Datatype>,
                      {copy, remove, *extra_state, false}, keyval);
}

int win_create_keyval(Function* copy, Function* remove, int* keyval, const MPI_Aint* extra_state)
{
    return create_key(MPI_Win_create_keyval, copy_attribute<MPI_Win>, delete_attribute<MPI_Win>,
                      {copy, remove, *extra_state, false}, keyval);
}

namespace {

template <class Integer>
void copy_value(const Integer* value, Integer* copied, int* flag, int* ierror)
{
    *copied = *value;
    *flag = 1;
    *ierror = MPI_SUCCESS;
}

void copy_nothing(int* flag, int* ierror)
{
    *flag = 0;
    *ierror = MPI_SUCCESS;
}

}  // namespace

}  // namespace tutti::mpi::fortran

// What Fortran programs name as callbacks of their keys.
#pragma GCC visibility push(default)

extern "C" {

using namespace tutti::mpi::fortran;

void mpi_comm_dup_fn_(int*, int*, MPI_Aint*, MPI_Aint* value, MPI_Aint* copied, int* flag, int* ierror)
{
    copy_value(value, copied, flag, ierror);
}
void mpi_comm_null_copy_fn_(int*, int*, MPI_Aint*, MPI_Aint*, MPI_Aint*, int* flag, int* ierror)
{
    copy_nothing(flag, ierror);
}
void mpi_comm_null_delete_fn_(int*, int*, MPI_Aint*, MPI_Aint*, int* ierror)
{
    *ierror = MPI_SUCCESS;
}

void mpi_type_dup_fn_(int*, int*, MPI_Aint*, MPI_Aint* value, MPI_Aint* copied, int* flag, int* ierror)
{
    copy_value(value, copied, flag, ierror);
}
void mpi_type_null_copy_fn_(int*, int*, MPI_Aint*, MPI_Aint*, MPI_Aint*, int* flag, int* ierror)
{
    copy_nothing(flag, ierror);
}
void mpi_type_null_delete_fn_(int*, int*, MPI_Aint*, MPI_Aint*, int* ierror)
{
    *ierror = MPI_SUCCESS;
}

void mpi_win_dup_fn_(int*, int*, MPI_Aint*, MPI_Aint* value, MPI_Aint* copied, int* flag, int* ierror)
{
    copy_value(value, copied, flag, ierror);
}
void mpi_win_null_copy_fn_(int*, int*, MPI_Aint*, MPI_Aint*, MPI_Aint*, int* flag, int* ierror)
{
    copy_nothing(flag, ierror);
}
void mpi_win_null_delete_fn_(int*, int*, MPI_Aint*, MPI_Aint*, int* ierror)
{
    *ierror = MPI_SUCCESS;
}

void mpi_dup_fn_(int*, int*, int*, int* value, int* copied, int* flag, int* ierror)
{
    copy_value(value, copied, flag, ierror);
}
void mpi_null_copy_fn_(int*, int*, int*, int*, int*, int* flag, int* ierror)
{
    copy_nothing(flag, ierror);
}
void mpi_null_delete_fn_(int*, int*, int*, int*, int* ierror)
{
    *ierror = MPI_SUCCESS;
}
}
