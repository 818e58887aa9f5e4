#include "report.hpp"

namespace {

int seen[3] = {-1, -1, -1};

void on_error(MPI::Comm& comm, int* code, ...)
{
    seen[0] = comm.Get_size();
    seen[1] = MPI::Get_error_class(*code);
    seen[2] = comm.Is_inter();
}

void throw_code(MPI::Comm&, int* code, ...)
{
    throw MPI::Get_error_class(*code);
}

template <class Call>
void thrown(const char* name, Call&& call)
{
    try {
        call();
        say(name, "did not throw");
#if defined(OPEN_MPI) && !OMPI_HAVE_CXX_EXCEPTION_SUPPORT
        // As Debian builds these bindings, they note the error instead.
        say(name, MPI::Get_error_class(MPI::mpi_errno));
        MPI::mpi_errno = MPI::SUCCESS;
#endif
    } catch (MPI::Exception& error) {
        say(name, {error.Get_error_class(), error.Get_error_code() != 0,
                   std::strlen(error.Get_error_string()) > 5});
    }
}

}  // namespace

void errors()
{
    const MPI::Intracomm& world = MPI::COMM_WORLD;
    int number = 1;
    say("Get_errhandler", world.Get_errhandler() == MPI::ERRORS_THROW_EXCEPTIONS);
    thrown("Send to no rank", [&] { world.Send(&number, 1, MPI::INT, ranks, 0); });
    thrown("Send with a wrong tag", [&] { world.Send(&number, 1, MPI::INT, 0, -5); });
    thrown("Bcast from no rank", [&] { world.Bcast(&number, 1, MPI::INT, ranks); });
    thrown("Isend without a type", [&] { world.Isend(&number, 1, MPI::DATATYPE_NULL, 0, 0); });
    thrown("Call_errhandler", [&] { world.Call_errhandler(MPI::ERR_TOPOLOGY); });
    thrown("Recv of too much", [&] {
        int two[2] = {1, 2};
        MPI::Request sent = MPI::COMM_SELF.Isend(two, 2, MPI::INT, 0, 3);
        try {
            MPI::COMM_SELF.Recv(&number, 1, MPI::INT, 0, 3);
        } catch (...) {
            sent.Wait();
            throw;
        }
        sent.Wait();
    });
    // A copy takes its handler from what it was made of.
    MPI::Intracomm copy = world.Dup();
    thrown("Send of a copy", [&] { copy.Send(&number, 1, MPI::INT, ranks, 0); });
    MPI::Errhandler handler = MPI::Comm::Create_errhandler(on_error);
    copy.Set_errhandler(handler);
    say("Set_errhandler",
        {copy.Get_errhandler() == handler, copy.Get_errhandler() == MPI::ERRORS_THROW_EXCEPTIONS});
    copy.Call_errhandler(MPI::ERR_OTHER);
    say("Create_errhandler", seen, 3);
    copy.Send(&number, 1, MPI::INT, ranks, 0);
    say("Create_errhandler", seen, 3);
    handler.Free();
    say("Errhandler::Free", handler == MPI::ERRHANDLER_NULL);
#ifdef OPEN_MPI
    // An exception of the program's passes through the library.
    handler = MPI::Comm::Create_errhandler(throw_code);
    copy.Set_errhandler(handler);
    try {
        copy.Send(&number, 1, MPI::INT, ranks, 0);
        say("throw", "did not throw");
    } catch (const int error_class) {
        say("throw", error_class);
    }
    handler.Free();
#endif
    copy.Set_errhandler(MPI::ERRORS_RETURN);
    copy.Send(&number, 1, MPI::INT, ranks, 0);
    say("ERRORS_RETURN", copy.Get_errhandler() == MPI::ERRORS_RETURN);
    copy.Set_errhandler(MPI::ERRORS_ARE_FATAL);
    say("ERRORS_ARE_FATAL", copy.Get_errhandler() == MPI::ERRORS_ARE_FATAL);
    copy.Free();
    // And after all that messages still pass.
    int got = -1;
    world.Sendrecv(&rank, 1, MPI::INT, right, 1, &got, 1, MPI::INT, left, 1);
    say("Sendrecv", got);
}
