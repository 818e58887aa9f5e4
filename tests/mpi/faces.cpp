// Both faces in one program: faces [FIRST_TO_BEGIN [FIRST_TO_END]], each "mpi" or "tutti".
#include <optional>
#include <string_view>
#include <tutti/mpi.hpp>
#include <tutti/tutti.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include "check.h"
#pragma GCC diagnostic pop

namespace {

using tutti::Communicator;

constexpr bool same(const MPI_Comm a, const MPI_Comm b)
{
    return a == b;
}

// Around the ring by one face, out of it by the other.
void check_messages(const Communicator& c, MPI_Comm handle)
{
    const int right = (c.rank() + 1) % c.size();
    const int left = (c.rank() + c.size() - 1) % c.size();
    const int sent = 10 * c.rank();
    int got = -1;

    MPI_Request by_mpi = MPI_REQUEST_NULL;
    CHECK_OK(MPI_Isend(&sent, 1, MPI_INT, right, 3, handle, &by_mpi));
    const tutti::Status status = c.recv(got, tutti::any_source, 3);
    CHECK_EQUAL(got, 10 * left);
    CHECK_EQUAL(status.source, left);
    CHECK_OK(MPI_Wait(&by_mpi, MPI_STATUS_IGNORE));

    got = -1;
    tutti::Request by_tutti = c.isend(sent, right, 4);
    MPI_Status mpi_status;
    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, handle, &mpi_status));
    CHECK_EQUAL(got, 10 * left);
    CHECK_EQUAL(mpi_status.MPI_SOURCE, left);
    by_tutti.wait();
}

// In turns: they have one order.
void check_collectives(const Communicator& c, MPI_Comm handle)
{
    const int all = c.size() * (c.size() + 1) / 2;
    for (int round = 0; round < 3; ++round) {
        const int own = c.rank() + 1;
        int sum = 0;
        CHECK_OK(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, handle));
        CHECK_EQUAL(sum, all);
        sum = own;
        c.allreduce(sum, tutti::sum);
        CHECK_EQUAL(sum, all);
        double value = c.rank() == 0 ? 2.5 : 0;
        c.broadcast(value);
        CHECK(value == 2.5);
        CHECK_OK(MPI_Bcast(&value, 1, MPI_DOUBLE, c.size() - 1, handle));
        CHECK(value == 2.5);
        CHECK_OK(MPI_Barrier(handle));
        c.barrier();
    }
}

void check_refused(MPI_Comm handle, const char* words)
{
    try {
        static_cast<void>(tutti::from_mpi(handle));
        CHECK(!"it is refused");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == tutti::ErrorCode::invalid_argument);
        CHECK(std::string_view(error.what()).starts_with("from_mpi: "));
        CHECK(std::string_view(error.what()).find(words) != std::string_view::npos);
    }
}

// A duplicate by MPI, whose C++ object outlives it.
void check_duplicate(const Communicator& world)
{
    MPI_Comm handle = MPI_COMM_NULL;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &handle));
    const Communicator duplicate = tutti::from_mpi(handle);
    CHECK(!(duplicate == world));
    CHECK(same(tutti::to_mpi(duplicate), handle));
    check_messages(duplicate, handle);
    CHECK_OK(MPI_Comm_free(&handle));
    int ranks = 1;
    duplicate.allreduce(ranks, tutti::sum);
    CHECK_EQUAL(ranks, world.size());
}

// One communicator has one handle.
void check_handles(const tutti::Environment& environment)
{
    CHECK(tutti::from_mpi(MPI_COMM_WORLD) == environment.world());
    CHECK(tutti::from_mpi(MPI_COMM_SELF) == environment.self());
    CHECK(same(tutti::to_mpi(environment.world()), MPI_COMM_WORLD));
    CHECK(same(tutti::to_mpi(environment.self()), MPI_COMM_SELF));
    check_refused(MPI_COMM_NULL, "MPI_COMM_NULL");
}

// A communicator that the C++ interface has made, in which ranks are numbered the other way round. It
// outlives its handle.
void check_part(const Communicator& world)
{
    const std::optional<Communicator> part = world.split(world.rank() % 2, {.key = -world.rank()});
    MPI_Comm handle = tutti::to_mpi(*part);
    CHECK(same(tutti::to_mpi(*part), handle));
    CHECK(tutti::from_mpi(handle) == *part);
    int rank = -1;
    CHECK_OK(MPI_Comm_rank(handle, &rank));
    CHECK_EQUAL(rank, part->rank());
    check_messages(*part, handle);
    check_collectives(*part, handle);
    CHECK_OK(MPI_Comm_free(&handle));
    handle = tutti::to_mpi(*part);
    check_messages(*part, handle);
    CHECK_OK(MPI_Comm_free(&handle));
}

// Between the ranks of even and of odd number.
void check_intercommunicator(const Communicator& world)
{
    const std::optional<Communicator> part = world.split(world.rank() % 2);
    MPI_Comm local = tutti::to_mpi(*part);
    MPI_Comm between = MPI_COMM_NULL;
    CHECK_OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - world.rank() % 2, 5, &between));
    check_refused(between, "intercommunicator");
    CHECK_OK(MPI_Comm_free(&between));
    CHECK_OK(MPI_Comm_free(&local));
}

}  // namespace

int main(int argc, char** argv)
{
    const bool mpi_begins = argc < 2 || argv[1] == std::string_view("mpi");
    const bool mpi_ends = argc < 3 || argv[2] == std::string_view("mpi");
    std::optional<tutti::Environment> environment;
    const auto begin_tutti = [&](tutti::ThreadLevel threads) {
        environment.emplace(tutti::EnvironmentOptions{.threads = threads});
    };
    int provided = -1;
    // The first one's thread level is both's.
    if (mpi_begins) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
        begin_tutti(tutti::ThreadLevel::single);
    } else {
        begin_tutti(tutti::ThreadLevel::serialized);
        check_refused(MPI_COMM_WORLD, "call MPI_Init first");
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    }
    CHECK_EQUAL(provided, MPI_THREAD_SERIALIZED);
    CHECK(environment->thread_level() == tutti::ThreadLevel::serialized);

    const Communicator world = tutti::from_mpi(MPI_COMM_WORLD);
    CHECK_EQUAL(world.size(), check_size());
    check_handles(*environment);
    check_messages(world, MPI_COMM_WORLD);
    check_collectives(world, MPI_COMM_WORLD);
    check_part(world);
    check_duplicate(world);
    if (world.size() > 1)
        check_intercommunicator(world);

    // The other face goes on.
    if (mpi_ends) {
        CHECK_OK(MPI_Finalize());
        check_refused(MPI_COMM_WORLD, "finalized");
        int ranks = 1;
        world.allreduce(ranks, tutti::sum);
        CHECK_EQUAL(ranks, environment->world().size());
        environment.reset();
    } else {
        environment.reset();
        check_messages(world, MPI_COMM_WORLD);
        check_collectives(world, MPI_COMM_WORLD);
        CHECK_OK(MPI_Finalize());
    }
    return check_result();
}
