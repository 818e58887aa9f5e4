// Data and small functions that Open MPI's libraries for Fortran and C++, and programs in Fortran, name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/mpi/facade/openmpi/fortran_handles.hpp"
#include "lib/mpi/facade/openmpi/other_languages.hpp"
#include "lib/mpi/facade/statuses.hpp"
#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/op/op.hpp"
#include "lib/mpi/table/bodies.hpp"

using namespace tutti::mpi;
using facade::in;

#pragma GCC visibility push(default)

extern "C" {

// Common blocks: their addresses are MPI_BOTTOM, MPI_IN_PLACE and the like in Fortran.
int mpi_fortran_bottom_;
int mpi_fortran_in_place_;
int mpi_fortran_unweighted_;
int mpi_fortran_weights_empty_;
int mpi_fortran_errcodes_ignore_;
char mpi_fortran_argv_null_;
char mpi_fortran_argvs_null_;
double mpi_fortran_status_ignore_;
double mpi_fortran_statuses_ignore_;
int* MPI_F_STATUS_IGNORE = reinterpret_cast<int*>(&mpi_fortran_status_ignore_);
int* MPI_F_STATUSES_IGNORE = reinterpret_cast<int*>(&mpi_fortran_statuses_ignore_);

// What the libraries look at before calls: MPI is running, and arguments are checked by the calls themselves.
int ompi_mpi_state = 2;
bool ompi_mpi_param_check = false;
facade::Status ompi_status_empty = {-1, -1, 0, 0, 0};
// Empty tables of theirs.
int ompi_errcode_intern_lastused;
char ompi_errcodes_intern[120];
// A ring that libmpi_mpifh puts an item into for each call of MPI_Register_datarep.
struct Ring {
    struct Item {
        std::byte object[16];
        Item* next;
        Item* previous;
        std::byte rest[8];
    };
    std::byte object[16];
    Item end;
    std::size_t items;
} ompi_registered_datareps = {.object = {},
                              .end = {.object = {},
                                      .next = &ompi_registered_datareps.end,
                                      .previous = &ompi_registered_datareps.end,
                                      .rest = {}},
                              .items = 0};
static_assert(offsetof(Ring, end.next) == 0x20 && offsetof(Ring, items) == 0x38 && sizeof(Ring) == 64);

int MPIX_Query_cuda_support()
{
    return 0;
}

void mpi_wtime_f90_(double* seconds)
{
    *seconds = wtime();
}
void mpi_wtick_f90_(double* seconds)
{
    *seconds = wtick();
}
void mpi_aint_add_f90_(const MPI_Aint* base, const MPI_Aint* displacement, MPI_Aint* sum)
{
    *sum = aint_add(*base, *displacement);
}
void mpi_aint_diff_f90_(const MPI_Aint* to, const MPI_Aint* from, MPI_Aint* difference)
{
    *difference = aint_diff(*to, *from);
}

// Texts of Fortran have a length and blanks at their end. The caller frees those of C.
int ompi_fortran_string_f2c(const char* text, int length, char** made)
{
    std::string_view all(text, static_cast<std::size_t>(length));
    const std::size_t begin = std::min(all.find_first_not_of(' '), all.size());
    all.remove_prefix(begin);
    all = all.substr(0, all.find_last_not_of(' ') + 1);
    *made = static_cast<char*>(std::calloc(all.size() + 1, 1));
    if (*made == nullptr)
        return facade::out_code(MPI_ERR_NO_MEM);
    all.copy(*made, all.size());
    return 0;
}
int ompi_fortran_string_c2f(const char* text, char* made, int length)
{
    const auto room = static_cast<std::size_t>(length);
    const std::size_t copied = std::string_view(text).copy(made, room);
    std::fill(made + copied, made + room, ' ');
    return 0;
}
// For programs that are spawned, which there are none of: no arguments. The caller frees what it is given.
int ompi_fortran_argv_blank_f2c(const char*, int, int, char*** made)
{
    *made = nullptr;
    return 0;
}
int ompi_fortran_argv_count_f2c(const char*, int, int, int, char*** made)
{
    *made = nullptr;
    return 0;
}
int ompi_fortran_multiple_argvs_f2c(int count, const char*, int, char**** made)
{
    *made = static_cast<char***>(std::calloc(static_cast<std::size_t>(count) + 1, sizeof(char**)));
    return *made == nullptr ? facade::out_code(MPI_ERR_NO_MEM) : 0;
}

const std::uintptr_t* ompi_datatype_match_size(int size, std::uint16_t kind, std::uint16_t)
{
    constexpr std::uint16_t kInteger = 0x1000;
    constexpr std::uint16_t kReal = 0x2000;
    const int type_class = kind == kInteger ? MPI_TYPECLASS_INTEGER
                           : kind == kReal  ? MPI_TYPECLASS_REAL
                                            : MPI_TYPECLASS_COMPLEX;
    MPI_Datatype found = MPI_DATATYPE_NULL;
    static_cast<void>(type_match_size(type_class, size, &found));
    return facade::out(found);
}

// `kind` 2: of windows, 3: of files. `language` 1: C++, 2: Fortran.
const std::uintptr_t* ompi_errhandler_create(int kind, facade::Function* function, int language)
{
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;
    if (kind == 2)
        static_cast<void>(
            win_create_errhandler(facade::function<MPI_Win_errhandler_function*>(function), &made));
    else if (kind == 3)
        static_cast<void>(
            file_create_errhandler(facade::function<MPI_File_errhandler_function*>(function), &made));
    else
        static_cast<void>(
            comm_create_errhandler(facade::function<MPI_Comm_errhandler_function*>(function), &made));
    if (auto* const own = find<ErrorHandler>(made); own != nullptr)
        own->language = language == 2 ? Language::fortran : language == 1 ? Language::cxx : Language::c;
    return facade::out(made);
}
int ompi_errhandler_invoke(const void*, const std::uintptr_t* object, int kind, int code, const char* call)
{
    if (kind == 2)
        hand_over(call, in<MPI_Win>(object), facade::in_code(code));
    else if (kind == 3)
        hand_over(call, in<MPI_File>(object), facade::in_code(code));
    else
        hand_over(call, in<MPI_Comm>(object), facade::in_code(code));
    return code;
}
// Operators of the old C++ bindings all have one function of libmpi_cxx, which calls the program's.
void ompi_op_set_cxx_callback(const std::uintptr_t* op, facade::Function* function)
{
    auto* const own = find<ReductionOp>(in<MPI_Op>(op));
    if (own == nullptr)
        return;  // making it has failed
    own->function.language = Language::cxx;
    own->function.cxx_caller = reinterpret_cast<facade::Function*>(own->function.small);
    own->function.small = reinterpret_cast<MPI_User_function*>(function);
}
void ompi_mpi_errors_are_fatal_comm_handler(const std::uintptr_t** comm, int* code, ...)
{
    abort(in<MPI_Comm>(*comm), *code);
}
}
