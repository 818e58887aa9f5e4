// Ranks that exchange messages and call collectives, every value checked: exchange SEED SECONDS, or
// exchange SEED input, until the input of rank 0 ends. Each prints "up R" when all have joined, and "right R"
// at the end; what is wrong ends the job.
#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "tests/multiprocess/api/program.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

std::size_t draw_size(std::mt19937& random)
{
    switch (random() % 10) {
        case 0:
            return random() % 1'000'000;
        case 1:
            return random() % 100'000;
        default:
            return random() % 3000;
    }
}

void exchange_with_all(const Communicator& world, int tag, std::size_t size)
{
    const int ranks = world.size();
    const auto number = static_cast<std::size_t>(tag);
    std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(ranks), std::vector<std::byte>(size));
    std::vector<Request> requests;
    for (int step = 1; step < ranks; ++step) {
        const int source = (world.rank() + step) % ranks;
        requests.push_back(world.irecv(in[static_cast<std::size_t>(source)], source, tag));
    }
    for (int step = 1; step < ranks; ++step) {
        const int to = (world.rank() + ranks - step) % ranks;
        requests.push_back(world.isend(bytes(world.rank(), number, size), to, tag));
    }
    wait_all(requests);
    for (int step = 1; step < ranks; ++step) {
        const int source = (world.rank() + step) % ranks;
        expect(in[static_cast<std::size_t>(source)] == bytes(source, number, size), "message");
    }
}

void call_collectives(const Communicator& world, std::mt19937& random)
{
    const auto ranks = static_cast<std::uint64_t>(world.size());
    const auto me = static_cast<std::uint64_t>(world.rank());
    const std::size_t count = draw_size(random) / 8;
    const std::uint64_t salt = random();
    std::vector<std::uint64_t> sums(count);
    for (std::size_t i = 0; i < count; ++i)
        sums[i] = salt * (me + 1) + i;
    Request later = world.iallreduce(sums, sum);
    const int root = static_cast<int>(random() % static_cast<unsigned>(ranks));
    auto data = world.rank() == root ? bytes(root, salt, count) : std::vector<std::byte>(count);
    world.broadcast(data, {.root = root});
    expect(data == bytes(root, salt, count), "broadcast");
    std::vector<std::uint64_t> out(ranks);
    for (std::uint64_t to = 0; to < ranks; ++to)
        out[to] = salt + me * 1000 + to;
    std::vector<std::uint64_t> in(ranks);
    world.alltoall(out, in);
    for (std::uint64_t from = 0; from < ranks; ++from)
        expect(in[from] == salt + from * 1000 + me, "alltoall");
    later.wait();
    for (std::size_t i = 0; i < count; ++i)
        expect(sums[i] == salt * (ranks * (ranks + 1) / 2) + i * ranks, "allreduce");
}

bool input_has_ended()
{
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char byte = 0;
    return poll(&input, 1, 0) == 1 && read(STDIN_FILENO, &byte, 1) == 0;
}

}  // namespace

int main(int argc, char** argv)
{
    Environment environment(argc, argv);
    if (argc != 3)
        return 2;
    const Communicator world = environment.world();
    world.barrier();
    std::printf("up %d\n", world.rank());
    std::fflush(stdout);
    // The same in all ranks.
    std::mt19937 random(static_cast<std::uint32_t>(std::stoul(argv[1])));
    const bool heeds_input = std::string_view(argv[2]) == "input";
    const double end = wall_time() + std::atof(argv[2]);
    bool go_on = true;
    for (int tag = 0; go_on; ++tag) {
        exchange_with_all(world, tag, draw_size(random));
        call_collectives(world, random);
        go_on = heeds_input ? world.rank() != 0 || !input_has_ended() : wall_time() < end;
        world.broadcast(go_on);
    }
    std::printf("right %d\n", world.rank());
    return 0;
}
