// With a progress thread: ranks start collectives and messages, then call nothing until their memory shows
// the results. With the argument "throw" the last rank throws meanwhile.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::progress {

namespace {

// Whether `place` has come to hold `value`, without a call of Tutti.
template <class T>
bool becomes(T& place, T value)
{
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::atomic_ref<T>(place).load() != value) {
        if (std::chrono::steady_clock::now() > give_up)
            return false;
        std::this_thread::yield();
    }
    return true;
}

void check_round(const Communicator& world, std::size_t count)
{
    const double ranks = world.size();
    std::vector<double> data(count, world.rank() + 1.0);
    Request reduced = world.iallreduce(data, sum);
    for (double& element : data)
        expect(becomes(element, ranks * (ranks + 1) / 2), "iallreduce waits for a call");
    reduced.wait();

    std::vector<std::byte> in(count * 8);
    Request received = world.irecv(in, left_of(world), 1);
    Request sent = world.isend(bytes(world.rank(), count, in.size()), right_of(world), 1);
    // Another process: a copy of this one without the thread.
    expect(std::system("true") == 0);
    const std::byte last = byte_of(left_of(world), count, in.size() - 1);
    expect(becomes(in.back(), last), "irecv waits for a call");
    received.wait();
    sent.wait();
    expect(in == bytes(left_of(world), count, in.size()));
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    if (argc > 1 && std::strcmp(argv[1], "throw") == 0) {
        std::vector<double> data(100'000, 1.0);
        if (world.rank() == world.size() - 1)
            throw std::runtime_error("rank 2 has had enough");
        Request reduced = world.iallreduce(data, sum);
        std::this_thread::sleep_for(std::chrono::seconds(30));
        reduced.wait();
        return 0;
    }
    for (const std::size_t count : {1u, 1001u, 200'001u})
        check_round(world, count);
    // So large that each rank's half is reduced on all cores that it owns.
    if (world.size() == 2)
        check_round(world, 1'100'001);
    return 0;
}

const Program program("progress", run_program);

}  // namespace tutti::test::progress
