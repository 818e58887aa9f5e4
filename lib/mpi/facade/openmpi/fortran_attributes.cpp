// Attributes of programs in Fortran. Their values are integers, of one of two widths, and their functions
// take all arguments by address.
#include <cstring>

#include "lib/mpi/facade/openmpi/fortran_handles.hpp"
#include "lib/mpi/facade/openmpi/other_languages.hpp"
#include "lib/mpi/facade/replaced.hpp"
#include "lib/mpi/facade/statuses.hpp"
#include "lib/mpi/table/bodies.hpp"

using namespace tutti::mpi;
using facade::Function;
using facade::in;
using facade::in_number;
using facade::kNumbers_key;
using facade::kOfCommunicators;
using facade::kOfDatatypes;
using facade::kOfWindows;

namespace {

/// The extra state of the functions below. It lives as long as the process, as attributes may.
template <class Integer>
struct FortranKey {
    Function* copy;
    Function* remove;
    Integer extra_state;
};

template <class Integer>
Integer as_integer(void* value) noexcept
{
    return static_cast<Integer>(reinterpret_cast<std::intptr_t>(value));
}

void* as_value(std::intptr_t integer) noexcept
{
    return reinterpret_cast<void*>(integer);
}

template <class T, class Integer>
int copy(const std::uintptr_t* object, int key, void* state, void* value, void* copied, int* is_copied)
{
    auto& self = *static_cast<FortranKey<Integer>*>(state);
    int number = facade::to_fortran<T>(object);
    auto from = as_integer<Integer>(value);
    Integer to = 0;
    int code = 0;
    reinterpret_cast<void (*)(int*, int*, Integer*, Integer*, Integer*, int*, int*)>(self.copy)(
        &number, &key, &self.extra_state, &from, &to, is_copied, &code);
    void* const result = as_value(to);
    std::memcpy(copied, &result, sizeof result);
    return code;
}

template <class T, class Integer>
int remove(const std::uintptr_t* object, int key, void* value, void* state)
{
    auto& self = *static_cast<FortranKey<Integer>*>(state);
    int number = facade::to_fortran<T>(object);
    auto old = as_integer<Integer>(value);
    int code = 0;
    reinterpret_cast<void (*)(int*, int*, Integer*, Integer*, int*)>(self.remove)(&number, &key, &old,
                                                                                  &self.extra_state, &code);
    return code;
}

template <class Integer>
int create_key(int kind, Function* copies, Function* removes, int* key, Integer extra_state)
{
    auto* const state = new FortranKey<Integer>{copies, removes, extra_state};
    const auto as = [](auto* function) { return reinterpret_cast<Function*>(function); };
    if (kind == kOfCommunicators)
        return facade::out_code(comm_create_keyval(
            facade::function<MPI_Comm_copy_attr_function*>(as(&copy<MPI_Comm, Integer>)),
            facade::function<MPI_Comm_delete_attr_function*>(as(&remove<MPI_Comm, Integer>)), key, state));
    if (kind == kOfDatatypes)
        return facade::out_code(type_create_keyval(
            facade::function<MPI_Type_copy_attr_function*>(as(&copy<MPI_Datatype, Integer>)),
            facade::function<MPI_Type_delete_attr_function*>(as(&remove<MPI_Datatype, Integer>)), key,
            state));
    if (kind == kOfWindows)
        return facade::out_code(win_create_keyval(
            facade::function<MPI_Win_copy_attr_function*>(as(&copy<MPI_Win, Integer>)),
            facade::function<MPI_Win_delete_attr_function*>(as(&remove<MPI_Win, Integer>)), key, state));
    return facade::out_code(MPI_ERR_UNSUPPORTED_OPERATION);
}

int set(int kind, const std::uintptr_t* object, int key, std::intptr_t value)
{
    const int standard = in_number(kNumbers_key, key);
    return facade::out_code(
        kind == kOfCommunicators ? comm_set_attr(in<MPI_Comm>(object), standard, as_value(value))
        : kind == kOfDatatypes   ? type_set_attr(in<MPI_Datatype>(object), standard, as_value(value))
        : kind == kOfWindows     ? win_set_attr(in<MPI_Win>(object), standard, as_value(value))
                                 : MPI_ERR_UNSUPPORTED_OPERATION);
}

// The library passes a field of Open MPI's object; it has converted the object's handle just before.
template <class Integer>
int get(int key, Integer* value, int* flag)
{
    const int standard = in_number(kNumbers_key, key);
    const facade::LastConverted& object = facade::last_converted;
    void* found = nullptr;
    const int code = object.kind == kOfDatatypes
                         ? type_get_attr(in<MPI_Datatype>(object.handle), standard, &found, flag)
                     : object.kind == kOfWindows
                         ? facade::win_get_attr(in<MPI_Win>(object.handle), standard, &found, flag)
                         : facade::comm_get_attr(in<MPI_Comm>(object.handle), standard, &found, flag);
    if (code == MPI_SUCCESS && *flag != 0)
        // Predefined ones are addresses of integers, except for the memory of a window.
        *value = standard == MPI_WIN_SIZE ? static_cast<Integer>(*static_cast<MPI_Aint*>(found))
                 : standard <= MPI_WIN_MODEL && standard != MPI_WIN_BASE
                     ? static_cast<Integer>(*static_cast<int*>(found))
                     : as_integer<Integer>(found);
    return facade::out_code(code);
}

// MPI_COMM_DUP_FN and its like in Fortran.
template <class Integer>
void copy_integer(const Integer* from, Integer* to, int* is_copied, int* code) noexcept
{
    *to = *from;
    *is_copied = 1;
    *code = 0;
}
void copy_no_integer(int* is_copied, int* code) noexcept
{
    *is_copied = 0;
    *code = 0;
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

int ompi_attr_create_keyval(int kind, Function* copies, Function* removes, int* key, void* extra_state, int,
                            void*)
{
    if (kind == kOfCommunicators)
        return facade::out_code(comm_create_keyval(facade::function<MPI_Comm_copy_attr_function*>(copies),
                                                   facade::function<MPI_Comm_delete_attr_function*>(removes),
                                                   key, extra_state));
    return facade::out_code(
        kind == kOfWindows
            ? win_create_keyval(facade::function<MPI_Win_copy_attr_function*>(copies),
                                facade::function<MPI_Win_delete_attr_function*>(removes), key, extra_state)
            : type_create_keyval(facade::function<MPI_Type_copy_attr_function*>(copies),
                                 facade::function<MPI_Type_delete_attr_function*>(removes), key,
                                 extra_state));
}
int ompi_attr_create_keyval_fint(int kind, Function* copies, Function* removes, int* key, int extra_state,
                                 int, void*)
{
    return create_key(kind, copies, removes, key, extra_state);
}
int ompi_attr_create_keyval_aint(int kind, Function* copies, Function* removes, int* key,
                                 MPI_Aint extra_state, int, void*)
{
    return create_key(kind, copies, removes, key, extra_state);
}
int ompi_attr_set_fint(int kind, const std::uintptr_t* object, void*, int key, int value, bool)
{
    return set(kind, object, key, value);
}
int ompi_attr_set_aint(int kind, const std::uintptr_t* object, void*, int key, MPI_Aint value, bool)
{
    return set(kind, object, key, value);
}
int ompi_attr_get_fint(void*, int key, int* value, int* flag)
{
    return get(key, value, flag);
}
int ompi_attr_get_aint(void*, int key, MPI_Aint* value, int* flag)
{
    return get(key, value, flag);
}

void mpi_comm_dup_fn_(int*, int*, void*, MPI_Aint* from, MPI_Aint* to, int* is_copied, int* code)
{
    copy_integer(from, to, is_copied, code);
}
void mpi_type_dup_fn_(int*, int*, void*, MPI_Aint* from, MPI_Aint* to, int* is_copied, int* code)
{
    copy_integer(from, to, is_copied, code);
}
void mpi_win_dup_fn_(int*, int*, void*, MPI_Aint* from, MPI_Aint* to, int* is_copied, int* code)
{
    copy_integer(from, to, is_copied, code);
}
void mpi_dup_fn_(int*, int*, void*, int* from, int* to, int* is_copied, int* code)
{
    copy_integer(from, to, is_copied, code);
}
void mpi_comm_null_copy_fn_(int*, int*, void*, void*, void*, int* is_copied, int* code)
{
    copy_no_integer(is_copied, code);
}
void mpi_type_null_copy_fn_(int*, int*, void*, void*, void*, int* is_copied, int* code)
{
    copy_no_integer(is_copied, code);
}
void mpi_win_null_copy_fn_(int*, int*, void*, void*, void*, int* is_copied, int* code)
{
    copy_no_integer(is_copied, code);
}
void mpi_null_copy_fn_(int*, int*, void*, void*, void*, int* is_copied, int* code)
{
    copy_no_integer(is_copied, code);
}
void mpi_comm_null_delete_fn_(int*, int*, void*, void*, int* code)
{
    *code = 0;
}
void mpi_type_null_delete_fn_(int*, int*, void*, void*, int* code)
{
    *code = 0;
}
void mpi_win_null_delete_fn_(int*, int*, void*, void*, int* code)
{
    *code = 0;
}
void mpi_null_delete_fn_(int*, int*, void*, void*, int* code)
{
    *code = 0;
}
// MPI_CONVERSION_FN_NULL, which is never called.
void mpi_conversion_fn_null_() {}
}
