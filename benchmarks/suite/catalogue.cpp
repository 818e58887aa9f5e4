#include "benchmarks/suite/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace tutti::bench {

namespace {

constexpr std::size_t kMiB = 1024 * 1024;
constexpr Sizes kMessages{1, 4 * kMiB};
constexpr Sizes kBlocks{1, kMiB};
constexpr Sizes kFloats{4, kMiB};
constexpr Sizes kNone{};
constexpr Better kHigher = Better::higher;
constexpr Better kLower = Better::lower;

// clang-format off: a table
constexpr Benchmark kBenchmarks[] = {
    {"latency", Group::point_to_point, "Ping-pong of 2 ranks: half the round trip", "Latency Test", "Latency",
     "us", kLower, kMessages, 2, 2},
    {"bw", Group::point_to_point, "Bandwidth from rank 0 to rank 1, windows of isend (MB = 10^6 bytes)",
     "Bandwidth Test", "Bandwidth", "MB/s", kHigher, kMessages, 2, 2, "", "Size", 2},
    {"bibw", Group::point_to_point, "Bandwidth of both directions at once", "Bi-Directional Bandwidth Test",
     "Bandwidth", "MB/s", kHigher, kMessages, 2, 2, "", "Size", 2},
    {"rate",
     Group::point_to_point,
     "Messages a second from rank 0 to rank 1, windows of isend",
     "Message Rate Test",
     "Messages/s",
     "1/s",
     kHigher,
     {8, 8},
     2,
     2,
     "",
     "Size",
     2},
    {"ring",
     Group::ring,
     "A token goes round all ranks: time of a round / ranks",
     "Ping-pong Ring Test (time of a round / ranks)",
     "Latency",
     "us",
     kLower,
     {8, 8},
     2},
    {"matching", Group::matching,
     "Time of a message when many receives are posted, or many messages unexpected", "Matching Test",
     "Latency", "us", kLower, kNone, 2, 0, "", "Depth"},
    {"idle", Group::idle, "CPU seconds that a rank uses while it waits in recv",
     "Idle Test (CPU time of a rank that waits in recv)", "CPU Time", "s", kLower, kNone, 2, 0, "", "Seconds",
     4},
    {"reduce-op",
     Group::reduction,
     "Reduction kernels of one rank: bytes read and written, and the ratio to a plain copy's",
     "Reduction Kernel Test (bytes read and written)",
     "Bandwidth",
     "GB/s",
     kHigher,
     {8192, 32 * kMiB, 64},
     1,
     0,
     "",
     "Size",
     2},
};
// clang-format on

struct CollectiveEntry {
    Collective collective;
    const char* name;
    const char* osu_name;  // where another
    const char* title;
    const char* description;
};

// In three forms each.
constexpr CollectiveEntry kCollectives[] = {
    {Collective::barrier, "barrier", "", "Barrier", "Barriers, one after the other"},
    {Collective::broadcast, "broadcast", "bcast", "Broadcast", "Bytes of rank 0 to all"},
    {Collective::reduce, "reduce", "", "Reduce", "Sum at rank 0"},
    {Collective::allreduce, "allreduce", "", "Allreduce", "Sum, everywhere"},
    {Collective::reduce_scatter, "reduce_scatter", "reduce_scatter_block", "Reduce-scatter",
     "Sums, a block to every rank"},
    {Collective::reduce_scatterv, "reduce_scatterv", "", "Reduce-scatterv",
     "Sums, dealt out in blocks that may differ"},
    {Collective::scan, "scan", "", "Scan", "Sum of the ranks up to each"},
    {Collective::exscan, "exscan", "", "Exscan", "Sum of the ranks below each"},
    {Collective::gather, "gather", "", "Gather", "A block of every rank to rank 0"},
    {Collective::gatherv, "gatherv", "", "Gatherv", "The same, told each block's size"},
    {Collective::scatter, "scatter", "", "Scatter", "A block of rank 0's to every rank"},
    {Collective::scatterv, "scatterv", "", "Scatterv", "The same, told each block's size"},
    {Collective::allgather, "allgather", "", "Allgather", "A block of every rank to all"},
    {Collective::allgatherv, "allgatherv", "", "Allgatherv", "The same, told each block's size"},
    {Collective::alltoall, "alltoall", "", "All-to-All", "A block of every rank to every other"},
    {Collective::alltoallv, "alltoallv", "", "All-to-Allv", "The same, told each block's size"},
    {Collective::neighbor_allgather, "neighbor_allgather", "", "Neighborhood Allgather",
     "A block of every rank to both neighbours in a ring"},
    {Collective::neighbor_allgatherv, "neighbor_allgatherv", "", "Neighborhood Allgatherv",
     "The same, told each block's size"},
    {Collective::neighbor_alltoall, "neighbor_alltoall", "", "Neighborhood All-to-All",
     "A block of every rank to each neighbour in a ring"},
    {Collective::neighbor_alltoallv, "neighbor_alltoallv", "", "Neighborhood All-to-Allv",
     "The same, told each block's size"},
};

// What entries that are made at run time point to; lives as long as the program.
const char* kept(std::string text)
{
    static std::deque<std::string> texts;
    return texts.emplace_back(std::move(text)).c_str();
}

Benchmark collective_benchmark(const CollectiveEntry& entry, Group group)
{
    const char* const before = group == Group::overlap ? "i" : "";
    const char* const after = group == Group::persistent ? "_persistent" : "";
    const std::string_view form = group == Group::overlap      ? "Non-blocking "
                                  : group == Group::persistent ? "Persistent "
                                                               : "";
    const std::string description =
        group == Group::overlap ? fmt::format("How much of {} hides behind computing", entry.name)
        : group == Group::persistent
            ? fmt::format("{}, described once and started again and again", entry.name)
            : entry.description;
    Benchmark benchmark{kept(fmt::format("{}{}{}", before, entry.name, after)), group, kept(description),
                        kept(fmt::format("{}{} Latency Test", form, entry.title)),
                        group == Group::overlap ? "Overall" : "Avg Latency"};
    if (*entry.osu_name != '\0')
        benchmark.alias = kept(fmt::format("{}{}{}", before, entry.osu_name, after));
    if (entry.collective == Collective::barrier)
        benchmark.key = "";
    else
        benchmark.sizes = is_reduction(entry.collective) ? kFloats : kBlocks;
    benchmark.collective = entry.collective;
    return benchmark;
}

std::vector<Benchmark> all_benchmarks()
{
    std::vector<Benchmark> all(std::begin(kBenchmarks), std::end(kBenchmarks));
    for (const Group group : {Group::collective, Group::overlap, Group::persistent}) {
        for (const CollectiveEntry& entry : kCollectives)
            all.push_back(collective_benchmark(entry, group));
    }
    return all;
}

}  // namespace

std::span<const Benchmark> catalogue() noexcept
{
    static const std::vector<Benchmark> all = all_benchmarks();
    return all;
}

const Benchmark* find_benchmark(std::string_view name) noexcept
{
    const std::span<const Benchmark> all = catalogue();
    const auto found = std::find_if(all.begin(), all.end(), [name](const Benchmark& one) {
        return name == one.name || (!name.empty() && name == one.alias);
    });
    return found == all.end() ? nullptr : &*found;
}

const char* to_string(Group group) noexcept
{
    switch (group) {
        case Group::point_to_point:
            return "point-to-point";
        case Group::ring:
            return "ring";
        case Group::collective:
            return "collective";
        case Group::overlap:
            return "non-blocking";
        case Group::persistent:
            return "persistent";
        case Group::matching:
            return "matching";
        case Group::idle:
            return "idle";
        case Group::reduction:
            return "reduction";
    }
    return "";
}

const char* to_string(Better better) noexcept
{
    return better == Better::lower ? "lower" : "higher";
}

}  // namespace tutti::bench
