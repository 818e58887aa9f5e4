// Programs that hang, each by another mistake: "hangs WHAT". The report must name it.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <tutti/tutti.hpp>
#include <tutti/window.hpp>
#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::hangs {

namespace {

using tutti::Communicator;

void both_receive(const Communicator& world)
{
    int number = 0;
    world.recv(number, 1 - world.rank(), 5);
}

/// Likewise, in processes that others of this user must not look into.
void not_to_be_seen(const Communicator& world)
{
    ::prctl(PR_SET_DUMPABLE, 0);
    both_receive(world);
}

/// Each receives from the next one.
void cycle(const Communicator& world)
{
    int number = 0;
    world.recv(number, (world.rank() + 1) % world.size(), 5);
}

/// Each sends more than fits anywhere.
void both_send(const Communicator& world)
{
    const std::vector<char> much(64u << 20);
    world.send(much, 1 - world.rank(), 5);
}

void barrier_against_recv(const Communicator& world)
{
    int number = 0;
    if (world.rank() != 1)
        world.barrier();
    else
        world.recv(number, 0, 42);
}

void wrong_tag(const Communicator& world)
{
    int number = 0;
    if (world.rank() == 0)
        world.send(number, 1, 24);
    else if (world.rank() == 1)
        world.recv(number, 0, 42);
    world.barrier();
}

/// The last rank computes for ever, and the others wait for it.
void computes(const Communicator& world)
{
    if (world.rank() == world.size() - 1)
        for (volatile bool computes = true; computes;) {
        }
    std::vector<float> sums(262144);
    world.allreduce(sums, tutti::sum);
}

void stops(const Communicator& world)
{
    world.barrier();
    if (world.rank() == 1)
        ::kill(::getpid(), SIGSTOP);
    world.barrier();
}

/// Rank 1 has given 32 MiB of its memory to swap space, if there is any.
void swapped_out(const Communicator& world)
{
    constexpr std::size_t kBytes = std::size_t{32} << 20;
    if (world.rank() == 1) {
        void* const memory =
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        std::memset(memory, 1, kBytes);
        ::madvise(memory, kBytes, MADV_PAGEOUT);
        ::pause();
    }
    world.barrier();
}

void sleeps(const Communicator& world)
{
    if (world.rank() == 0)
        ::pause();
    world.barrier();
}

/// One thread holds a lock while it receives; the one that would send waits for that lock.
void users_lock(const Communicator& world)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int number = 0;
    if (world.rank() != 0) {
        world.recv(number, 0, 8);
        world.send(number, 0, 7);
        return;
    }
    ::pthread_mutex_lock(&lock);
    std::thread sender([&] {
        ::pthread_mutex_lock(&lock);
        world.send(number, 1, 8);
    });
    world.recv(number, 1, 7);
    ::pthread_mutex_unlock(&lock);
    sender.join();
}

/// Waits for a request whose message never comes.
void waits(const Communicator& world)
{
    std::array<int, 2> numbers{};
    tutti::Request first = world.irecv(numbers[0], 1 - world.rank(), 1);
    tutti::Request second = world.irecv(numbers[1], 1 - world.rank(), 2);
    second.wait();
    first.wait();
}

/// Windows of messages that are alike, and then one that never comes.
void windows(const Communicator& world)
{
    std::array<int, 7> numbers{};
    std::vector<tutti::Request> requests;
    for (int i = 0; i < 7; ++i) {
        int& number = numbers.at(static_cast<std::size_t>(i));
        const int tag = i < 5 ? 3 : 4;
        requests.push_back(world.rank() == 0 ? world.isend(number, 1, tag) : world.irecv(number, 0, tag));
    }
    tutti::wait_all(requests);
    world.recv(numbers[0], 1 - world.rank(), 5);
}

/// One rank is in a fence, which the other never calls.
void window_fence(const Communicator& world)
{
    tutti::Window<double> table(world, 8);
    table.set_name("table");
    int number = 0;
    if (world.rank() == 1)
        world.recv(number, 0, 42);
    const auto access = table.fence();
}

/// Each holds the lock of its own memory and wants that of the other.
void window_locks(const Communicator& world)
{
    tutti::Window<double> table(world, 8);
    table.set_name("table");
    const auto own = table.lock(world.rank());
    world.barrier();
    const auto other = table.lock(1 - world.rank());
}

/// The last rank wants the lock of rank 0's memory alone, which all between share for ever. Before, each has
/// locked more windows than the page has room for, and freed them.
void window_readers(const Communicator& world)
{
    const Communicator alone = *world.split(world.rank());
    for (int i = 0; i < 300; ++i) {
        tutti::Window<int> early(alone, 1);
        const auto access = early.lock(0);
    }
    tutti::Window<double> table(world, 8);
    table.set_name("table");
    int number = 0;
    if (world.rank() == 0) {
        world.barrier();
        world.barrier();
    } else if (world.rank() < world.size() - 1) {
        const auto reader = table.lock_shared(0);
        world.barrier();
        world.recv(number, 0, 42);
    } else {
        world.barrier();
        const auto writer = table.lock(0);
    }
}

/// The last rank has the lock of rank 0's memory and sleeps; the others want it.
void window_writer(const Communicator& world)
{
    tutti::Window<double> table(world, 8);
    table.set_name("table");
    if (world.rank() == world.size() - 1) {
        const auto access = table.lock(0);
        world.barrier();
        ::pause();
    }
    world.barrier();
    const auto access = table.lock(0);
}

/// Rank 0 waits for the end of an epoch of rank 1, and rank 2 for the beginning of one.
void window_epochs(const Communicator& world)
{
    tutti::Window<double> table(world, 8);
    const std::array zero{0};
    const std::array one{1};
    int number = 0;
    if (world.rank() == 0) {
        auto exposure = table.post(one);
        exposure.wait();
    } else if (world.rank() == 1) {
        const auto access = table.start(zero);
        world.recv(number, 0, 5);
    } else {
        const auto access = table.start(one);
    }
}

/// Reads memory that only its rank can reach, which does not help.
void window_get(const Communicator& world)
{
    std::vector<double> memory(8);
    std::array<double, 3> numbers{};
    tutti::Window<double> table(world, std::span(memory));
    table.set_name("table");
    if (world.rank() == 0)
        ::pause();
    const auto access = table.lock_all();
    access[0].get(numbers, 2);
}

/// The same by a request.
void window_request(const Communicator& world)
{
    std::vector<double> memory(8);
    std::array<double, 3> numbers{};
    tutti::Window<double> table(world, std::span(memory));
    table.set_name("table");
    if (world.rank() == 0)
        ::pause();
    const auto access = table.lock_all();
    access[0].iget(numbers, 3).wait();
}

/// Does not hang: messages move for ever.
void moves(const Communicator& world)
{
    std::vector<char> sent(1000);
    std::vector<char> received(1000);
    for (volatile bool goes_on = true; goes_on;)
        world.sendrecv(sent, (world.rank() + 1) % world.size(), 3, received,
                       (world.rank() + world.size() - 1) % world.size(), 3);
}

/// Ends well after a while: no report may come.
void late(const Communicator& world)
{
    int number = 0;
    for (int round = 0; round < 6; ++round) {
        if (world.rank() == 0) {
            ::usleep(300'000);
            world.send(number, 1, round);
        } else if (world.rank() == 1) {
            world.recv(number, 0, round);
        }
    }
    world.barrier();
}

}  // namespace

int run_program(int argc, char** argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    const auto threads = what == "users_lock" ? tutti::ThreadLevel::multiple : tutti::ThreadLevel::funneled;
    const tutti::Environment environment(argc, argv, {.threads = threads});
    const Communicator world = environment.world();
    std::printf("ready\n");
    struct Hang {
        const char* name;
        void (*hang)(const Communicator& world);
    };
    for (const Hang& hang : {Hang{"both_receive", both_receive},
                             Hang{"not_to_be_seen", not_to_be_seen},
                             Hang{"cycle", cycle},
                             Hang{"both_send", both_send},
                             Hang{"barrier_against_recv", barrier_against_recv},
                             Hang{"wrong_tag", wrong_tag},
                             Hang{"computes", computes},
                             Hang{"stops", stops},
                             Hang{"swapped_out", swapped_out},
                             Hang{"sleeps", sleeps},
                             Hang{"users_lock", users_lock},
                             Hang{"waits", waits},
                             Hang{"windows", windows},
                             Hang{"window_fence", window_fence},
                             Hang{"window_locks", window_locks},
                             Hang{"window_readers", window_readers},
                             Hang{"window_writer", window_writer},
                             Hang{"window_epochs", window_epochs},
                             Hang{"window_get", window_get},
                             Hang{"window_request", window_request},
                             Hang{"late", late},
                             Hang{"moves", moves}})
        if (what == hang.name)
            hang.hang(world);
    return 0;
}

const Program program("hangs", run_program);

}  // namespace tutti::test::hangs
