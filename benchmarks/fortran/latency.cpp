// Half a round trip of a message between two ranks: called from C, by mpif.h, by mpi_f08 and by mpi_f08 with
// a section of every second element, by turns in one run, so that the machine is the same for all. C sends
// the section as a vector type.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
// In Fortran: `rounds` round trips of the first `count` numbers, or of every second one of 2 * count.
void latency_mpif_(double* numbers, const int* count, const int* rounds);
void latency_f08(double* numbers, int count, int rounds);
void latency_section(double* numbers, int count, int rounds);
}

namespace {

constexpr int kTag = 1;

void round_trips(double* numbers, int count, MPI_Datatype type, int rounds)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < rounds; ++round) {
        if (rank == 0)
            MPI_Send(numbers, count, type, 1, kTag, MPI_COMM_WORLD);
        MPI_Recv(numbers, count, type, 1 - rank, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(numbers, count, type, 0, kTag, MPI_COMM_WORLD);
    }
}

void latency_c(double* numbers, int count, int rounds)
{
    round_trips(numbers, count, MPI_DOUBLE, rounds);
}

void latency_vector(double* numbers, int count, int rounds)
{
    MPI_Datatype every_second = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &every_second);
    MPI_Type_commit(&every_second);
    round_trips(numbers, 1, every_second, rounds);
    MPI_Type_free(&every_second);
}

void latency_mpif(double* numbers, int count, int rounds)
{
    latency_mpif_(numbers, &count, &rounds);
}

struct Way {
    const char* name;
    void (*round_trips)(double* numbers, int count, int rounds);
    bool every_second;
};

constexpr std::array kWays{
    Way{"C", latency_c, false},
    Way{"mpif.h", latency_mpif, false},
    Way{"mpi_f08", latency_f08, false},
    Way{"C, vector type", latency_vector, true},
    Way{"mpi_f08, section", latency_section, true},
};

/// What rank 0 has sent comes back, and what lies between is as it was.
bool came_back(const std::vector<double>& numbers)
{
    for (std::size_t place = 0; place < numbers.size(); ++place) {
        if (numbers[place] != static_cast<double>(place))
            return false;
    }
    return true;
}

/// Half a round trip in nanoseconds.
double time_of(const Way& way, std::vector<double>& numbers, int count, int rounds)
{
    using clock = std::chrono::steady_clock;
    MPI_Barrier(MPI_COMM_WORLD);
    const clock::time_point start = clock::now();
    way.round_trips(numbers.data(), count, rounds);
    return std::chrono::duration<double, std::nano>(clock::now() - start).count() / rounds / 2;
}

/// False if data were lost.
bool measure(int count, int rounds, int turns, int rank)
{
    std::array<std::vector<double>, kWays.size()> times;
    for (int turn = 0; turn < turns; ++turn) {
        for (std::size_t way = 0; way < kWays.size(); ++way) {
            std::vector<double> numbers(static_cast<std::size_t>(2 * count));
            for (std::size_t place = 0; place < numbers.size() && rank == 0; ++place)
                numbers[place] = static_cast<double>(place);
            times[way].push_back(time_of(kWays[way], numbers, count, rounds));
            if (rank == 0 && !came_back(numbers))
                return false;
        }
    }
    for (std::size_t way = 0; way < kWays.size() && rank == 0; ++way) {
        std::ranges::sort(times[way]);
        std::printf("%9d  %-18s %10.1f %10.1f\n", 8 * count, kWays[way].name,
                    times[way][times[way].size() / 2], times[way].front());
    }
    return true;
}

}  // namespace

// latency [ROUNDS [TURNS]]
int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        std::fprintf(stderr, "fortran-latency: it has two ranks, not %d\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 10000;
    const int turns = argc > 2 ? std::atoi(argv[2]) : 11;
    if (rank == 0)
        std::printf("    bytes  half a round trip, ns   median    minimum\n");
    for (const int count : {1, 1024, 65536}) {
        if (!measure(count, std::max(rounds / std::max(count / 64, 1), 1), turns, rank)) {
            std::fprintf(stderr, "fortran-latency: %d numbers did not come back as they went\n", count);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Finalize();
}
