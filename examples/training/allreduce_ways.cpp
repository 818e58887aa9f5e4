// One sum in several ways: flat, where rank 0 gets and sends everything; ring, in which all ranks send
// equally much; the fastest of all ways that can do it; and the one that Tutti chooses.
//
//     tuttirun -n 4 --bind-to core build/examples/training/allreduce_ways
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tutti/introspection.hpp>
#include <tutti/tutti.hpp>
#include <vector>

#include "../command_line.hpp"

namespace {

struct Way {
    std::string name;
    double seconds = 0;  // the median, of the slowest rank
};

// Equal for ranks of one node: the least rank there.
std::vector<int> nodes_of_ranks(const tutti::Communicator& world)
{
    const int node = tutti::broadcast(world.split_by_node(), world.rank());
    std::vector<int> nodes(static_cast<std::size_t>(world.size()));
    world.allgather(node, nodes);
    return nodes;
}

// Throws where a sum is wrong. They are of small whole numbers: exact, whatever the order.
void check_sums(const tutti::Communicator& world, const std::vector<float>& sums, std::string_view name)
{
    const float ranks = static_cast<float>(world.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const float expected = ranks * static_cast<float>(i % 100) + ranks * (ranks - 1) / 2;
        if (sums[i] != expected)
            throw std::runtime_error(fmt::format("{}: element {} is {}, not {}", name, i, sums[i], expected));
    }
}

double seconds_of(const tutti::Communicator& world, std::size_t count, std::string_view name, int repetitions)
{
    std::vector<float> data(count);
    std::vector<double> times;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        for (std::size_t i = 0; i < count; ++i)
            data[i] = static_cast<float>(i % 100) + static_cast<float>(world.rank());
        world.barrier();
        const double start = tutti::wall_time();
        world.allreduce(data, tutti::sum, {.algorithm = name});
        times.push_back(tutti::wall_time() - start);
        check_sums(world, data, name);
    }
    world.allreduce(times, tutti::max);
    std::ranges::nth_element(times, times.begin() + repetitions / 2);
    return times[static_cast<std::size_t>(repetitions / 2)];
}

double seconds_by_name(const std::vector<Way>& ways, std::string_view name)
{
    return std::ranges::find(ways, name, &Way::name)->seconds;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    std::size_t most = 4 << 20;
    int repetitions = 11;
    example::CommandLine line("Times of all-reduce: flat, ring, the fastest, and what Tutti chooses");
    line.number("--most", most, 1024, 1 << 30, "bytes of the last row");
    line.number("--repetitions", repetitions, 1, 100'000, "of which the median counts");
    if (const auto status = line.read(argc, argv, world))
        return *status;

    const std::vector<int> nodes = nodes_of_ranks(world);
    if (world.rank() == 0)
        fmt::print("{} ranks; microseconds\n    bytes       flat       ring    fastest              chosen\n",
                   world.size());
    for (std::size_t bytes = 1024; bytes <= most; bytes *= 8) {
        const auto usable = tutti::usable_algorithms(
            "allreduce", {.ranks = world.size(), .size_bytes = bytes, .node_of_rank = nodes});
        std::vector<Way> ways;
        for (const tutti::AlgorithmInfo& algorithm : usable) {
            const double seconds = seconds_of(world, bytes / sizeof(float), algorithm.name, repetitions);
            ways.push_back({std::string(algorithm.name), seconds});
        }
        const Way fastest = *std::ranges::min_element(ways, {}, &Way::seconds);
        const double chosen = seconds_of(world, bytes / sizeof(float), "", repetitions);
        if (world.rank() == 0)
            fmt::print("{:9} {:10.1f} {:10.1f} {:10.1f} by {:18} {:10.1f} by {}\n", bytes,
                       1e6 * seconds_by_name(ways, "flat"), 1e6 * seconds_by_name(ways, "ring"),
                       1e6 * fastest.seconds, fastest.name, 1e6 * chosen, usable.front().name);
    }
}
