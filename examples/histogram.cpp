// A histogram of numbers that all ranks have, whose bins are dealt over the ranks as well: each rank adds
// what it counted to the others' bins by accumulate, while nobody else does anything. It checks its result.
//
//     tuttirun -n 4 build/examples/histogram 1000000 --bins 1000
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <tutti/tutti.hpp>
#include <vector>

#include "command_line.hpp"

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    std::size_t numbers = 100'000;
    std::size_t bins = 1000;
    example::CommandLine line("A histogram whose bins are dealt over all ranks");
    line.number("numbers", numbers, 0, 1'000'000'000'000, "of each rank");
    line.number("--bins", bins, 1, 100'000'000, "over all ranks together");
    if (const auto status = line.read(argc, argv, world))
        return *status;

    // The sum of two dice of many sides: the bins in the middle are the fullest.
    std::vector<std::int64_t> counted(bins);
    std::mt19937_64 random(static_cast<unsigned>(world.rank()) + 1);
    for (std::size_t i = 0; i < numbers; ++i)
        ++counted[(random() % bins + random() % bins) / 2];

    // Rank r has the bins from r * share on; the last ranks may have fewer, or none.
    const auto ranks = static_cast<std::size_t>(world.size());
    const std::size_t share = (bins + ranks - 1) / ranks;
    tutti::Window<std::int64_t> window(world, share);
    std::ranges::fill(window.local(), 0);
    world.barrier();
    {
        auto all = window.lock_all();
        for (std::size_t begin = 0; begin < bins; begin += share) {
            const std::size_t count = std::min(share, bins - begin);
            all[static_cast<int>(begin / share)].accumulate(std::span(counted).subspan(begin, count), 0,
                                                            tutti::sum);
        }
    }
    world.barrier();

    // Each checks its bins against those that a reduction gives.
    std::vector<std::int64_t> expected = counted;
    world.allreduce(expected, tutti::sum);
    const std::size_t begin = std::min(bins, static_cast<std::size_t>(world.rank()) * share);
    const std::size_t end = std::min(bins, begin + share);
    bool right = std::equal(expected.begin() + static_cast<std::ptrdiff_t>(begin),
                            expected.begin() + static_cast<std::ptrdiff_t>(end), window.local().begin());
    right = tutti::allreduce(world, right ? 1 : 0, tutti::min) == 1;
    if (world.rank() == 0)
        fmt::print("{} numbers in {} bins on {} ranks, {} in the middle one: {}\n", numbers * ranks, bins,
                   ranks, expected[bins / 2], right ? "right" : "WRONG");
    return right ? 0 : 1;
}
