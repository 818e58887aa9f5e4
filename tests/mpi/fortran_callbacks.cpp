// Functions in Fortran, which get integers for handles, as operators and error handlers of calls in C.
#include "lib/mpi/abi/fortran_library.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include "check.h"
#pragma GCC diagnostic pop

namespace {

using tutti::mpi::create_fortran_error_handler;
using tutti::mpi::create_fortran_operator;
using tutti::mpi::FortranErrors;
using tutti::mpi::FortranFunction;

template <class Function>
FortranFunction* as_fortran(Function* function)
{
    return reinterpret_cast<FortranFunction*>(function);
}

int last_datatype;
long long elements;

// inout = 2 in + inout: neither commutative nor symmetric.
template <class Length>
void add_twice(const int* in, int* inout, const Length* length, const int* datatype)
{
    last_datatype = *datatype;
    elements += *length;
    for (Length i = 0; i < *length; ++i)
        inout[i] += 2 * in[i];
}

int pairs;

void add_pairs(const int* in, int* inout, const int* length, const int* datatype)
{
    CHECK_EQUAL(*datatype, pairs);
    for (int i = 0; i < 2 * *length; ++i)
        inout[i] += in[i];
}

void operators()
{
    MPI_Op op = MPI_OP_NULL;
    int commutes = -1;
    int in[2] = {3, 4};
    int inout[2] = {10, 20};
    CHECK_OK(create_fortran_operator(as_fortran(&add_twice<int>), false, false, &op));
    CHECK_OK(MPI_Op_commutative(op, &commutes));
    CHECK_EQUAL(commutes, 0);
    CHECK_OK(MPI_Reduce_local(in, inout, 2, MPI_INT, op));
    CHECK_EQUAL(inout[0], 16);
    CHECK_EQUAL(inout[1], 28);
    CHECK_EQUAL(last_datatype, MPI_Type_toint(MPI_INT));
    CHECK_EQUAL(elements, 2);
    CHECK(MPI_Op_fromint(MPI_Op_toint(op)) == op);
    CHECK_OK(MPI_Op_free(&op));

    CHECK_OK(create_fortran_operator(as_fortran(&add_twice<MPI_Count>), true, true, &op));
    CHECK_OK(MPI_Op_commutative(op, &commutes));
    CHECK_EQUAL(commutes, 1);
    CHECK_OK(MPI_Reduce_local_c(in, inout, 1, MPI_INT32_T, op));
    CHECK_EQUAL(inout[0], 22);
    CHECK_EQUAL(last_datatype, MPI_Type_toint(MPI_INT32_T));
    CHECK_EQUAL(elements, 3);
    CHECK_OK(MPI_Op_free(&op));
    CHECK_ERROR(create_fortran_operator(nullptr, true, false, &op), MPI_ERR_ARG,
                "MPI_Op_create: the function");
}

// Of a derived type among all ranks.
void reduction(int rank, int size)
{
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    const int in[4] = {rank, 1, 2 * rank, 5};
    int sums[4] = {-1, -1, -1, -1};
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    CHECK_OK(MPI_Type_commit(&pair));
    pairs = MPI_Type_toint(pair);
    CHECK_OK(create_fortran_operator(as_fortran(&add_pairs), true, false, &op));
    CHECK_OK(MPI_Iallreduce(in, sums, 2, pair, op, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    const int ranks = size * (size - 1) / 2;
    CHECK_EQUAL(sums[0], ranks);
    CHECK_EQUAL(sums[1], size);
    CHECK_EQUAL(sums[2], 2 * ranks);
    CHECK_EQUAL(sums[3], 5 * size);
    CHECK_OK(MPI_Type_free(&pair));
}

int last_object;
int last_code;

void note_error(const int* object, int* code)
{
    last_object = *object;
    last_code = *code;
}

int class_of(int code)
{
    int error_class = -1;
    MPI_Error_class(code, &error_class);
    return error_class;
}

void communicators(int size)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm own = MPI_COMM_NULL;
    CHECK_OK(
        create_fortran_error_handler(FortranErrors::of_communicators, as_fortran(&note_error), &handler));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &own));
    CHECK_OK(MPI_Comm_set_errhandler(own, handler));
    const int code = MPI_Send(&size, 1, MPI_INT, size, 0, own);
    CHECK_EQUAL(class_of(code), MPI_ERR_RANK);
    CHECK_EQUAL(last_code, code);
    CHECK(MPI_Comm_fromint(last_object) == own);
    CHECK_ERROR(MPI_File_set_errhandler(MPI_FILE_NULL, handler), MPI_ERR_ERRHANDLER, "one of communicators");
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Comm_free(&own));
    CHECK_ERROR(create_fortran_error_handler(FortranErrors::of_communicators, nullptr, &handler), MPI_ERR_ARG,
                "MPI_Comm_create_errhandler");
}

void files_and_windows()
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_File file = MPI_FILE_NULL;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_OK(create_fortran_error_handler(FortranErrors::of_files, as_fortran(&note_error), &handler));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    int code = MPI_File_open(MPI_COMM_SELF, "no/such/folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK_EQUAL(class_of(code), MPI_ERR_NO_SUCH_FILE);
    CHECK_EQUAL(last_code, code);
    CHECK_EQUAL(last_object, MPI_File_toint(MPI_FILE_NULL));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Errhandler_free(&handler));

    CHECK_OK(create_fortran_error_handler(FortranErrors::of_windows, as_fortran(&note_error), &handler));
    CHECK_OK(MPI_Win_create(&last_object, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window));
    CHECK_OK(MPI_Win_set_errhandler(window, handler));
    code = MPI_Win_unlock(0, window);
    CHECK_EQUAL(class_of(code), MPI_ERR_RMA_SYNC);
    CHECK_EQUAL(last_code, code);
    CHECK(MPI_Win_fromint(last_object) == window);
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Win_free(&window));
}

}  // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    operators();
    reduction(check_rank(), check_size());
    communicators(check_size());
    files_and_windows();
    MPI_Finalize();
    return check_result();
}
