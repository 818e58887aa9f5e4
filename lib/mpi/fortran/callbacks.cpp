// Procedures of the program that MPI calls. Operators and error handlers are the library's to call; the
// others have an extra state, which is here what calls them.
#include "lib/mpi/abi/fortran_library.hpp"

#include "lib/mpi/fortran/bodies.hpp"
#include "lib/mpi/fortran/handles.hpp"
#include "lib/mpi/fortran/values.hpp"

extern "C" {
void mpi_conversion_fn_null_();
void mpi_conversion_fn_null_c_();
}

namespace tutti::mpi::fortran {

namespace {

int create_handler(FortranErrors errors, Function* function, int* errhandler)
{
    return create_fortran_error_handler(errors, function, Out<MPI_Errhandler>(errhandler));
}

/// MPI frees it with the request.
struct GeneralizedRequest {
    Function* query;
    Function* free;
    Function* cancel;
    MPI_Aint extra_state;
};

int query_request(void* state, MPI_Status* status)
{
    auto& request = *static_cast<GeneralizedRequest*>(state);
    int code = MPI_SUCCESS;
    reinterpret_cast<void (*)(MPI_Aint*, MPI_Status*, int*)>(request.query)(&request.extra_state, status,
                                                                            &code);
    return code;
}

int free_request(void* state)
{
    const std::unique_ptr<GeneralizedRequest> request(static_cast<GeneralizedRequest*>(state));
    int code = MPI_SUCCESS;
    reinterpret_cast<void (*)(MPI_Aint*, int*)>(request->free)(&request->extra_state, &code);
    return code;
}

int cancel_request(void* state, int complete)
{
    auto& request = *static_cast<GeneralizedRequest*>(state);
    int code = MPI_SUCCESS;
    reinterpret_cast<void (*)(MPI_Aint*, int*, int*)>(request.cancel)(&request.extra_state, &complete, &code);
    return code;
}

/// It lives as long as the process, as representations do.
struct Representation {
    Function* read;
    Function* write;
    Function* extent;
    MPI_Aint extra_state;
};

template <class Count>
int convert(Function* function, Representation& representation, void* user, MPI_Datatype datatype,
            Count count, void* file, MPI_Offset position)
{
    int number = number_of(datatype);
    int code = MPI_SUCCESS;
    reinterpret_cast<void (*)(void*, int*, Count*, void*, MPI_Offset*, MPI_Aint*, int*)>(function)(
        user, &number, &count, file, &position, &representation.extra_state, &code);
    return code;
}

template <class Count>
int convert_read(void* user, MPI_Datatype datatype, Count count, void* file, MPI_Offset position, void* state)
{
    auto& representation = *static_cast<Representation*>(state);
    return convert(representation.read, representation, user, datatype, count, file, position);
}

template <class Count>
int convert_written(void* user, MPI_Datatype datatype, Count count, void* file, MPI_Offset position,
                    void* state)
{
    auto& representation = *static_cast<Representation*>(state);
    return convert(representation.write, representation, user, datatype, count, file, position);
}

int file_extent(MPI_Datatype datatype, MPI_Aint* extent, void* state)
{
    auto& representation = *static_cast<Representation*>(state);
    int number = number_of(datatype);
    int code = MPI_SUCCESS;
    reinterpret_cast<void (*)(int*, MPI_Aint*, MPI_Aint*, int*)>(representation.extent)(
        &number, extent, &representation.extra_state, &code);
    return code;
}

bool converts(Function* function)
{
    return function != mpi_conversion_fn_null_ && function != mpi_conversion_fn_null_c_;
}

}  // namespace

int op_create(bool large, Function* function, const int* commute, int* op)
{
    return create_fortran_operator(function, in_logical(commute) != 0, large, Out<MPI_Op>(op));
}

int comm_create_errhandler(Function* function, int* errhandler)
{
    return create_handler(FortranErrors::of_communicators, function, errhandler);
}

int file_create_errhandler(Function* function, int* errhandler)
{
    return create_handler(FortranErrors::of_files, function, errhandler);
}

int win_create_errhandler(Function* function, int* errhandler)
{
    return create_handler(FortranErrors::of_windows, function, errhandler);
}

int session_create_errhandler(Function* function, int* errhandler)
{
    return MPI_Session_create_errhandler(reinterpret_cast<MPI_Session_errhandler_function*>(function),
                                         Out<MPI_Errhandler>(errhandler));
}

int grequest_start(Function* query, Function* free, Function* cancel, const MPI_Aint* extra_state,
                   int* request)
{
    auto state = std::make_unique<GeneralizedRequest>(GeneralizedRequest{query, free, cancel, *extra_state});
    const int code = MPI_Grequest_start(query_request, free_request, cancel_request, state.get(),
                                        Out<MPI_Request>(request));
    if (code == MPI_SUCCESS)
        state.release();
    return code;
}

int register_datarep(bool large, const char* name, Function* read, Function* write, Function* extent,
                     const MPI_Aint* extra_state, std::size_t name_length)
{
    auto state = std::make_unique<Representation>(Representation{read, write, extent, *extra_state});
    const InString called(name, name_length);
    const int code =
        large ? MPI_Register_datarep_c(
                    called, converts(read) ? convert_read<MPI_Count> : MPI_CONVERSION_FN_NULL_C,
                    converts(write) ? convert_written<MPI_Count> : MPI_CONVERSION_FN_NULL_C, file_extent,
                    state.get())
              : MPI_Register_datarep(called, converts(read) ? convert_read<int> : MPI_CONVERSION_FN_NULL,
                                     converts(write) ? convert_written<int> : MPI_CONVERSION_FN_NULL,
                                     file_extent, state.get());
    if (code == MPI_SUCCESS)
        state.release();
    return code;
}

}  // namespace tutti::mpi::fortran

#pragma GCC visibility push(default)

extern "C" {

// Only their addresses are used.
void mpi_conversion_fn_null_() {}
void mpi_conversion_fn_null_c_() {}
}
