// One program in C, C++ and Fortran (languages.f90): communicators, requests, operators, error handlers and
// statuses of one language serve the calls of the others.
#include <tutti/mpi.hpp>
#include <tutti/tutti.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include "check.h"
#pragma GCC diagnostic pop

extern "C" {
void fortran_op_create_(int* op);
void fortran_allreduce_(const int* value, int* total, const int* op, const int* comm, int* ierror);
void fortran_noted_(int* comm, int* code);
void fortran_errhandler_create_(int* handler);
void fortran_send_wrong_(const int* comm, int* ierror);
void fortran_isend_(const int* value, const int* to, const int* tag, const int* comm, int* request);
void fortran_recv_(int* value, const int* from, const int* tag, const int* comm, int* status);
void fortran_dup_(const int* comm, int* copy);
void fortran_comm_free_(int* comm);
}

namespace {

void add(void* in, void* inout, int* length, MPI_Datatype* datatype)
{
    CHECK(*datatype == MPI_INTEGER);
    for (int i = 0; i < *length; ++i)
        static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

int factorial(int n)
{
    return n <= 1 ? 1 : n * factorial(n - 1);
}

void operators(const tutti::Communicator& world)
{
    const int comm = MPI_Comm_toint(MPI_COMM_WORLD);
    const int rank = world.rank();
    int number = -1;
    int total = -1;
    int ierror = -1;
    fortran_op_create_(&number);
    MPI_Op op = MPI_Op_fromint(number);
    CHECK_OK(MPI_Allreduce(&rank, &total, 1, MPI_INT, op, MPI_COMM_WORLD));
    CHECK_EQUAL(total, factorial(world.size()) - 1);
    fortran_allreduce_(&rank, &total, &number, &comm, &ierror);
    CHECK_EQUAL(ierror, MPI_SUCCESS);
    CHECK_EQUAL(total, factorial(world.size()) - 1);
    CHECK_OK(MPI_Op_free(&op));

    CHECK_OK(MPI_Op_create(add, 1, &op));
    number = MPI_Op_toint(op);
    fortran_allreduce_(&rank, &total, &number, &comm, &ierror);
    CHECK_EQUAL(ierror, MPI_SUCCESS);
    CHECK_EQUAL(total, world.size() * (world.size() - 1) / 2);
    CHECK_OK(MPI_Op_free(&op));
}

MPI_Comm seen_comm = MPI_COMM_NULL;
int seen_code = MPI_SUCCESS;

void see_error(MPI_Comm* comm, int* code, ...)
{
    seen_comm = *comm;
    seen_code = *code;
}

void error_handlers(int size)
{
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int number = -1;
    int comm = -1;
    int code = -1;
    int ierror = -1;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &own));
    // Fortran's, by a call in C and by one in Fortran.
    fortran_errhandler_create_(&number);
    handler = MPI_Errhandler_fromint(number);
    CHECK_OK(MPI_Comm_set_errhandler(own, handler));
    ierror = MPI_Send(&number, 1, MPI_INT, size, 0, own);
    CHECK_ERROR(ierror, MPI_ERR_RANK, "MPI_Send");
    fortran_noted_(&comm, &code);
    CHECK_EQUAL(comm, MPI_Comm_toint(own));
    CHECK_EQUAL(code, ierror);
    fortran_send_wrong_(&comm, &ierror);
    CHECK_ERROR(ierror, MPI_ERR_RANK, "MPI_Send");
    fortran_noted_(&comm, &code);
    CHECK_EQUAL(code, ierror);
    CHECK_OK(MPI_Errhandler_free(&handler));
    // C's, by a call in Fortran.
    CHECK_OK(MPI_Comm_create_errhandler(see_error, &handler));
    CHECK_OK(MPI_Comm_set_errhandler(own, handler));
    fortran_send_wrong_(&comm, &ierror);
    CHECK(seen_comm == own);
    CHECK_EQUAL(seen_code, ierror);
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Comm_free(&own));
}

// Round a ring: sent in Fortran, received in C++; completed in C; and sent in C++, received in Fortran.
void messages(const tutti::Communicator& on, int comm)
{
    const int right = (on.rank() + 1) % on.size();
    const int left = (on.rank() + on.size() - 1) % on.size();
    const int sent = 100 + on.rank();
    const int tag = 5;
    int got = -1;
    int number = -1;
    fortran_isend_(&sent, &right, &tag, &comm, &number);
    on.recv(got, left, tag);
    CHECK_EQUAL(got, 100 + left);
    MPI_Request request = MPI_Request_fromint(number);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));

    const int other_tag = 6;
    int in_fortran[MPI_F_STATUS_SIZE];
    MPI_Status status;
    got = -1;
    tutti::Request sending = on.isend(sent, right, other_tag);
    fortran_recv_(&got, &left, &other_tag, &comm, in_fortran);
    sending.wait();
    CHECK_EQUAL(got, 100 + left);
    CHECK_OK(MPI_Status_f2c(in_fortran, &status));
    CHECK_EQUAL(status.MPI_SOURCE, left);
    CHECK_EQUAL(status.MPI_TAG, other_tag);
}

// One that C++ has made, and one that Fortran has made.
void communicators(const tutti::Communicator& world)
{
    messages(world, MPI_Comm_toint(MPI_COMM_WORLD));
    const auto part = world.split(world.rank() % 2);
    MPI_Comm handle = tutti::to_mpi(*part);
    messages(*part, MPI_Comm_toint(handle));
    int copy = -1;
    const int comm = MPI_Comm_toint(MPI_COMM_WORLD);
    fortran_dup_(&comm, &copy);
    messages(tutti::from_mpi(MPI_Comm_fromint(copy)), copy);
    fortran_comm_free_(&copy);
    CHECK_EQUAL(copy, MPI_Comm_toint(MPI_COMM_NULL));
    CHECK_OK(MPI_Comm_free(&handle));
}

}  // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    check_errors_return();
    {
        const tutti::Communicator world = tutti::from_mpi(MPI_COMM_WORLD);
        operators(world);
        error_handlers(world.size());
        communicators(world);
    }
    MPI_Finalize();
    return check_result();
}
