// Sorts numbers by sample sort (Frazer and McKellar, "Samplesort", 1970): every rank sorts its share and
// draws samples from it; rank 0 gathers them and chooses splitters, which it broadcasts; every rank sends
// each other what lies between two splitters (alltoallv) and sorts what comes. Then the ranks hold the whole
// in order.
//
//     tuttirun -n 4 sample_sort [NUMBERS A RANK] [SEED]
//
// Checks its own result: the order within ranks and from rank to rank, the count, and a sum and a checksum of
// all.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <tutti/tutti.hpp>
#include <vector>

#include "command_line.hpp"

namespace {

using Numbers = tutti::shared_vector<std::uint64_t>;  // that peers read in place

constexpr std::size_t kSamplesPerRank = 64;
constexpr std::size_t kMostNumbers = 1'000'000'000;  // 8 GB a rank, and as much again while they travel

std::vector<std::uint64_t> choose_splitters(const tutti::Communicator& world, const Numbers& sorted)
{
    const auto ranks = static_cast<std::size_t>(world.size());
    std::vector<std::uint64_t> samples(kSamplesPerRank, std::numeric_limits<std::uint64_t>::max());
    for (std::size_t i = 0; i < kSamplesPerRank && !sorted.empty(); ++i)
        samples[i] = sorted[i * sorted.size() / kSamplesPerRank];
    std::vector<std::uint64_t> all(world.rank() == 0 ? ranks * kSamplesPerRank : 0);
    world.gather(samples, all);

    std::vector<std::uint64_t> splitters(ranks - 1);
    if (world.rank() == 0) {
        std::ranges::sort(all);
        for (std::size_t i = 0; i < splitters.size(); ++i)
            splitters[i] = all[(i + 1) * kSamplesPerRank];
    }
    world.broadcast(splitters, {.root = 0});
    return splitters;
}

Numbers exchange(const tutti::Communicator& world, const Numbers& sorted,
                 const std::vector<std::uint64_t>& splitters)
{
    std::vector<std::size_t> out_sizes;
    auto begin = sorted.begin();
    for (const std::uint64_t splitter : splitters) {
        const auto end = std::upper_bound(begin, sorted.end(), splitter);
        out_sizes.push_back(static_cast<std::size_t>(end - begin));
        begin = end;
    }
    out_sizes.push_back(static_cast<std::size_t>(sorted.end() - begin));

    std::vector<std::size_t> in_sizes(out_sizes.size());
    world.alltoall(out_sizes, in_sizes);
    Numbers mine(std::accumulate(in_sizes.begin(), in_sizes.end(), std::size_t{0}));
    world.alltoallv(sorted, out_sizes, mine, in_sizes);
    return mine;
}

struct Digest {
    std::uint64_t count;
    std::uint64_t sum;
    std::uint64_t checksum;
    bool operator==(const Digest&) const = default;
};

// Of all ranks' numbers, whatever their order.
Digest digest_of(const tutti::Communicator& world, const Numbers& numbers)
{
    std::vector<std::uint64_t> parts{numbers.size(), 0, 0};
    for (const std::uint64_t number : numbers) {
        parts[1] += number;
        parts[2] += (number ^ number >> 29) * 0x9e3779b97f4a7c15u;
    }
    world.allreduce(parts, tutti::sum);
    return {parts[0], parts[1], parts[2]};
}

// Each rank's largest number must not exceed the smallest one of any rank above.
bool in_order(const tutti::Communicator& world, const Numbers& sorted)
{
    const std::uint64_t largest = sorted.empty() ? 0 : sorted.back();
    std::uint64_t largest_below = 0;
    world.exscan(largest, largest_below, tutti::max);
    const bool good = std::ranges::is_sorted(sorted) &&
                      (world.rank() == 0 || sorted.empty() || largest_below <= sorted.front());
    int all_good = good ? 1 : 0;
    world.allreduce(all_good, tutti::min);
    return all_good == 1;
}

}  // namespace

int main(int argc, char** argv)
{
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    std::size_t count = 1'000'000;
    std::uint64_t seed = 1;
    example::CommandLine line("Sorts random numbers by sample sort, and checks the result");
    line.number("NUMBERS", count, 0, kMostNumbers, "numbers a rank");
    line.number("SEED", seed, 0, std::numeric_limits<std::int64_t>::max(), "of the random numbers");
    if (const auto status = line.read(argc, argv, world))
        return *status;

    Numbers numbers(count);
    std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(world.rank()));
    std::ranges::generate(numbers, [&] { return random(); });
    const Digest before = digest_of(world, numbers);

    world.barrier();
    const double start = tutti::wall_time();
    std::ranges::sort(numbers);
    Numbers sorted = exchange(world, numbers, choose_splitters(world, numbers));
    std::ranges::sort(sorted);
    world.barrier();
    const double seconds = tutti::wall_time() - start;

    const bool good = in_order(world, sorted) && digest_of(world, sorted) == before;
    std::uint64_t largest_share = sorted.size();
    world.reduce(largest_share, tutti::max, {.root = 0});
    if (world.rank() == 0)
        fmt::print("{} numbers on {} ranks: {} in {:.3f} s, the largest share is {:.2f} of an even one\n",
                   before.count, world.size(), good ? "sorted" : "NOT SORTED", seconds,
                   before.count == 0 ? 1.0
                                     : static_cast<double>(largest_share) * world.size() /
                                           static_cast<double>(before.count));
    return good ? 0 : 1;
}
