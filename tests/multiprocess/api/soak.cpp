// Random sizes, tags, modes and communicators among all ranks for `--seconds S`, every byte checked.
//
// All ranks draw the same random plan of a round, so each knows what comes; in which order it starts its part
// of the plan, and how it receives, is its own matter.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::soak {

namespace {

// A communicator, and who is in it: ranks of the world by rank.
struct Part {
    Communicator communicator;
    std::vector<int> members;
};

struct Planned {
    int from;  // in the world
    int to;
    std::size_t part;  // index into the sender's and receiver's parts
    int tag;           // unique in the round
    std::size_t size;
    bool synchronous;
};

std::vector<Part> make_parts(const Communicator& world)
{
    const auto members_of = [&](const Communicator& part) {
        std::vector<int> members;
        for (int rank = 0; rank < part.size(); ++rank)
            members.push_back(part.world_rank(rank));
        return members;
    };
    std::vector<Part> parts;
    for (const Communicator& made : {world, world.dup(), *world.split(world.rank() % 2),
                                     *world.split(0, {.key = -world.rank()}), *world.split(world.rank() / 3)})
        parts.push_back({made, members_of(made)});
    return parts;
}

std::size_t draw_size(std::mt19937_64& random)
{
    switch (random() % 20) {
        case 0:
            return random() % 2'000'000;
        case 1:
        case 2:
            return random() % 150'000;
        case 3:
            return (std::size_t{1} << random() % 18) + random() % 3 - 1;
        default:
            return random() % 3000;
    }
}

std::vector<Planned> draw_plan(std::uint64_t round, int ranks)
{
    std::mt19937_64 random(round);
    std::vector<Planned> plan(20 + random() % 60);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        Planned& message = plan[i];
        message.from = static_cast<int>(random() % static_cast<unsigned>(ranks));
        message.to = static_cast<int>(random() % static_cast<unsigned>(ranks));
        const bool same_half = message.from % 2 == message.to % 2;
        const bool same_third = message.from / 3 == message.to / 3;
        std::vector<std::size_t> common{0, 1, 3};
        if (same_half)
            common.push_back(2);
        if (same_third)
            common.push_back(4);
        message.part = common[random() % common.size()];
        message.tag = static_cast<int>(i * 1000 + random() % 1000);
        message.size = draw_size(random);
        message.synchronous = random() % 5 == 0;
    }
    return plan;
}

int rank_in(const Part& part, int world_rank)
{
    return static_cast<int>(std::ranges::find(part.members, world_rank) - part.members.begin());
}

std::size_t run_round(std::vector<Part>& parts, std::uint64_t round, int me, int ranks, std::mt19937_64& own)
{
    const auto plan = draw_plan(round, ranks);
    std::vector<std::size_t> order(plan.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::shuffle(order, own);
    std::vector<std::vector<std::byte>> in(plan.size());
    std::vector<Request> requests;
    std::size_t received = 0;
    for (const std::size_t i : order) {
        const Planned& message = plan[i];
        const Part& part = parts[message.part];
        if (message.to == me) {
            in[i].assign(message.size, std::byte{0xcc});
            const int source = own() % 2 == 0 ? any_source : rank_in(part, message.from);
            requests.push_back(part.communicator.irecv(in[i], source, message.tag));
            received += message.size;
        }
        if (message.from == me) {
            auto data = bytes(me, i + round, message.size);
            const int to = rank_in(part, message.to);
            if (message.synchronous)
                requests.push_back(part.communicator.issend(std::move(data), to, message.tag));
            else
                requests.push_back(part.communicator.isend(std::move(data), to, message.tag));
        }
    }
    while (const auto finished = own() % 2 == 0 ? wait_any(requests) : std::nullopt)
        expect(!requests[*finished].active());
    wait_all(requests);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (plan[i].to == me)
            expect(in[i] == bytes(plan[i].from, i + round, plan[i].size),
                   "message of " + std::to_string(plan[i].size));
    }
    return received;
}

}  // namespace

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    double seconds = 60;
    if (argc == 3 && std::string_view(argv[1]) == "--seconds")
        seconds = std::atof(argv[2]);
    std::vector<Part> parts = make_parts(world);
    std::mt19937_64 own(static_cast<unsigned>(world.rank()) + 99);
    const double end = wall_time() + seconds;
    double checked_bytes = 0;
    std::uint64_t rounds = 0;
    for (bool go_on = true; go_on; ++rounds) {
        checked_bytes += static_cast<double>(run_round(parts, rounds, world.rank(), world.size(), own));
        for (const Part& part : parts) {
            long count = 1;
            part.communicator.allreduce(count, sum);
            expect(count == part.communicator.size());
        }
        go_on = wall_time() < end;
        world.broadcast(go_on);
    }
    world.allreduce(checked_bytes, sum);
    if (world.rank() == 0)
        std::printf("%llu rounds, %.0f MB checked\n", static_cast<unsigned long long>(rounds),
                    checked_bytes / 1e6);
    return 0;
}

const Program program("soak", run_program);

}  // namespace tutti::test::soak
