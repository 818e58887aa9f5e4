// What MPICH's libraries for Fortran and C++ ask of the library below them.
#include <cstdint>
#include <cstring>

#include "lib/mpi/facade/mpich/other_languages.hpp"
#include "lib/mpi/facade/replaced.hpp"
#include "lib/mpi/facade/statuses.hpp"
#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/op/op.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

using namespace tutti::mpi;
using facade::in;

namespace {

// In Fortran the key of a predefined attribute is C's and 1, and its value an integer rather than the address
// of one.
constexpr int kFirstPredefined = 0x64400000;
constexpr int kAfterPredefined = 0x67000000;

bool is_fortran_predefined(int key) noexcept
{
    return key >= kFirstPredefined && key < kAfterPredefined && key % 2 == 0;
}

/// `get`: of an object, by the standard's key.
template <class Get>
int get_attribute(int key, void* value, int* flag, Get&& get)
{
    const bool is_integer = is_fortran_predefined(key);
    const int code = get(facade::in_number(facade::kNumbers_key, is_integer ? key - 1 : key));
    if (code == MPI_SUCCESS && *flag != 0 && is_integer) {
        const int* place = nullptr;
        std::memcpy(&place, value, sizeof place);
        const std::intptr_t integer = *place;
        std::memcpy(value, &integer, sizeof integer);
    }
    return facade::out_code(code);
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

int MPII_Comm_get_attr(int comm, int key, void* value, int* flag, int)
{
    return get_attribute(key, value, flag, [&](int standard) {
        return facade::comm_get_attr(in<MPI_Comm>(comm), standard, value, flag);
    });
}
int MPII_Type_get_attr(int datatype, int key, void* value, int* flag, int)
{
    return get_attribute(key, value, flag, [&](int standard) {
        return type_get_attr(in<MPI_Datatype>(datatype), standard, value, flag);
    });
}
int MPII_Win_get_attr(int window, int key, void* value, int* flag, int)
{
    // The memory's address is the value itself; its size has as many bytes.
    const int standard = facade::in_number(facade::kNumbers_key, key - 1);
    if (is_fortran_predefined(key) && (standard == MPI_WIN_BASE || standard == MPI_WIN_SIZE)) {
        const int code = facade::win_get_attr(in<MPI_Win>(window), standard, value, flag);
        if (code == MPI_SUCCESS && *flag != 0 && standard == MPI_WIN_SIZE) {
            const MPI_Aint* place = nullptr;
            std::memcpy(&place, value, sizeof place);
            std::memcpy(value, place, sizeof *place);
        }
        return facade::out_code(code);
    }
    return get_attribute(key, value, flag, [&](int number) {
        return facade::win_get_attr(in<MPI_Win>(window), number, value, flag);
    });
}
int MPII_Comm_set_attr(int comm, int key, void* value, int kind)
{
    facade::remember_kind(key, kind);
    return facade::out_code(comm_set_attr(in<MPI_Comm>(comm), key, value));
}
int MPII_Type_set_attr(int datatype, int key, void* value, int kind)
{
    facade::remember_kind(key, kind);
    return facade::out_code(type_set_attr(in<MPI_Datatype>(datatype), key, value));
}
int MPII_Win_set_attr(int window, int key, void* value, int kind)
{
    facade::remember_kind(key, kind);
    return facade::out_code(win_set_attr(in<MPI_Win>(window), key, value));
}

void MPII_Keyval_set_proxy(int key, facade::CopyProxy* copy, facade::DeleteProxy* remove)
{
    facade::remember_proxies(key, {copy, remove});
}

// Where the call of MPI's before has failed, there is no such object.
void MPII_Grequest_set_lang_f77(int request)
{
    try {
        if (Generalized* const own = generalized_of(in<MPI_Request>(request)); own != nullptr)
            own->is_of_c = false;
    } catch (const Failure&) {
    }
}
void MPII_Op_set_cxx(int op, facade::Function* caller)
{
    if (auto* const own = find<ReductionOp>(in<MPI_Op>(op)); own != nullptr) {
        own->function.language = Language::cxx;
        own->function.cxx_caller = caller;
    }
}
void MPII_Errhandler_set_cxx(int handler, facade::Function* caller)
{
    if (auto* const own = find<ErrorHandler>(in<MPI_Errhandler>(handler)); own != nullptr) {
        own->language = Language::cxx;
        own->cxx_caller = caller;
    }
}
}
