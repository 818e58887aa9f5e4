#include "benchmarks/suite/command_line/benchmark_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "benchmarks/suite/command_line/file_catalogue.hpp"
#include "benchmarks/suite/command_line/one_sided_catalogue.hpp"

namespace tutti::bench {

namespace {

constexpr std::size_t kMiB = 1024 * 1024;
constexpr Sizes kMessages{1, 4 * kMiB};
constexpr Sizes kBlocks{1, kMiB};
constexpr Sizes kFloats{4, kMiB};

constexpr Benchmark kMessageBenchmarks[] = {
    {.name = "latency",
     .group = Group::point_to_point,
     .description = "Ping-pong of 2 ranks: half the round trip",
     .title = "Latency Test",
     .value = "Latency",
     .sizes = kMessages,
     .min_ranks = 2,
     .max_ranks = 2},
    {.name = "bw",
     .group = Group::point_to_point,
     .description = "Bandwidth from rank 0 to rank 1, windows of isend (MB = 10^6 bytes)",
     .title = "Bandwidth Test",
     .value = "Bandwidth",
     .unit = "MB/s",
     .better = Better::higher,
     .sizes = kMessages,
     .min_ranks = 2,
     .max_ranks = 2,
     .decimals = 2,
     .windows = true},
    {.name = "bibw",
     .group = Group::point_to_point,
     .description = "Bandwidth of both directions at once",
     .title = "Bi-Directional Bandwidth Test",
     .value = "Bandwidth",
     .unit = "MB/s",
     .better = Better::higher,
     .sizes = kMessages,
     .min_ranks = 2,
     .max_ranks = 2,
     .decimals = 2,
     .windows = true},
    {.name = "rate",
     .group = Group::point_to_point,
     .description = "Messages a second from rank 0 to rank 1, windows of isend",
     .title = "Message Rate Test",
     .value = "Messages/s",
     .unit = "1/s",
     .better = Better::higher,
     .sizes = {8, 8},
     .min_ranks = 2,
     .max_ranks = 2,
     .decimals = 2,
     .windows = true},
    {.name = "latency_persistent",
     .group = Group::persistent_messages,
     .description = "latency over persistent requests",
     .title = "Latency Persistent Test",
     .value = "Latency",
     .sizes = kMessages,
     .min_ranks = 2,
     .max_ranks = 2},
    {.name = "bw_persistent",
     .group = Group::persistent_messages,
     .description = "bw over persistent requests",
     .title = "Bandwidth Persistent Test",
     .value = "Bandwidth",
     .unit = "MB/s",
     .better = Better::higher,
     .sizes = kMessages,
     .min_ranks = 2,
     .max_ranks = 2,
     .decimals = 2,
     .windows = true},
    {.name = "bibw_persistent",
     .group = Group::persistent_messages,
     .description = "bibw over persistent requests",
     .title = "Bi-Directional Bandwidth Persistent Test",
     .value = "Bandwidth",
     .unit = "MB/s",
     .better = Better::higher,
     .sizes = kMessages,
     .min_ranks = 2,
     .max_ranks = 2,
     .decimals = 2,
     .windows = true},
    {.name = "multi_lat",
     .group = Group::multi_pair,
     .description = "Ping-pongs of all pairs of ranks at once: half the round trip",
     .title = "Multi Latency Test",
     .value = "Latency",
     .sizes = kMessages,
     .min_ranks = 2},
    {.name = "mbw_mr",
     .group = Group::multi_pair,
     .description = "Bandwidth and message rate of all pairs of ranks together",
     .title = "Multiple Bandwidth / Message Rate Test",
     .value = "Bandwidth",
     .unit = "MB/s",
     .better = Better::higher,
     .sizes = kMessages,
     .min_ranks = 2,
     .decimals = 2,
     .windows = true},
    {.name = "latency_mt",
     .group = Group::threads,
     .description = "Ping-pongs of several threads of 2 ranks at once: half the round trip",
     .title = "Multi-threaded Latency Test",
     .value = "Latency",
     .sizes = kMessages,
     .min_ranks = 2,
     .max_ranks = 2},
    {.name = "fan-in",
     .group = Group::congestion,
     .description = "Bandwidth from all other hosts, or ranks, to the first",
     .title = "Bandwidth Congestion In Test",
     .value = "Bandwidth",
     .unit = "MB/s",
     .better = Better::higher,
     .sizes = kMessages,
     .min_ranks = 2,
     .alias = "bw_fan_in",
     .decimals = 2,
     .windows = true},
    {.name = "fan-out",
     .group = Group::congestion,
     .description = "Bandwidth from the first host, or rank, to all others",
     .title = "Bandwidth Congestion Out Test",
     .value = "Bandwidth",
     .unit = "MB/s",
     .better = Better::higher,
     .sizes = kMessages,
     .min_ranks = 2,
     .alias = "bw_fan_out",
     .decimals = 2,
     .windows = true},
};

constexpr Benchmark kOtherBenchmarks[] = {
    {.name = "ring",
     .group = Group::ring,
     .description = "A token goes round all ranks: time of a round / ranks",
     .title = "Ping-pong Ring Test (time of a round / ranks)",
     .value = "Latency",
     .sizes = {8, 8},
     .min_ranks = 2},
    {.name = "ring_test",
     .group = Group::ring,
     .description = "ring, where ranks call test until the token is there",
     .title = "Ring Test, Polling by Test (time of a round / ranks)",
     .value = "Latency",
     .sizes = {8, 8},
     .min_ranks = 2},
    {.name = "ring_iprobe",
     .group = Group::ring,
     .description = "ring, where ranks call iprobe until the token is there",
     .title = "Ring Test, Polling by Iprobe (time of a round / ranks)",
     .value = "Latency",
     .sizes = {8, 8},
     .min_ranks = 2},
    {.name = "ring_improbe",
     .group = Group::ring,
     .description = "ring, where ranks call improbe until the token is there",
     .title = "Ring Test, Polling by Improbe (time of a round / ranks)",
     .value = "Latency",
     .sizes = {8, 8},
     .min_ranks = 2},
    {.name = "matching",
     .group = Group::matching,
     .description = "Time of a message when many receives are posted, or many messages unexpected",
     .title = "Matching Test",
     .value = "Latency",
     .min_ranks = 2,
     .key = "Depth"},
    {.name = "idle",
     .group = Group::idle,
     .description = "CPU seconds that a rank uses while it waits in recv",
     .title = "Idle Test (CPU time of a rank that waits in recv)",
     .value = "CPU Time",
     .unit = "s",
     .min_ranks = 2,
     .key = "Seconds",
     .decimals = 4},
    {.name = "reduce-op",
     .group = Group::reduction,
     .description =
         "Reduction kernels of one rank: bytes read and written, and the share of what a core can do",
     .title = "Reduction Kernel Test (bytes read and written)",
     .value = "Bandwidth",
     .unit = "GB/s",
     .better = Better::higher,
     .sizes = {8192, 32 * kMiB, 64},
     .decimals = 2},
    {.name = "init",
     .group = Group::startup,
     .description = "How long it takes to join the job, until the library is ready",
     .title = "Init Test",
     .value = "Init",
     .unit = "ms",
     .key = ""},
    {.name = "hello",
     .group = Group::startup,
     .description = "The same, and a first barrier of all ranks",
     .title = "Hello World Test",
     .value = "Hello",
     .unit = "ms",
     .key = ""},
};

constexpr Benchmark kKeyedBenchmarks[] = {
    {.name = "table_push",
     .group = Group::table,
     .description = "All ranks add to rows of a table, a run of them and rows at random",
     .title = "Table Push Test",
     .value = "Latency",
     .sizes = {4, 64 * 1024}},
    {.name = "table_pull",
     .group = Group::table,
     .description = "All ranks read rows of a table, a run of them and rows at random",
     .title = "Table Pull Test",
     .value = "Latency",
     .sizes = {4, 64 * 1024}},
    {.name = "sparse_push",
     .group = Group::sparse_table,
     .description = "All ranks add to rows of a sparse table, by random keys of 64 bits",
     .title = "Sparse Table Push Test",
     .value = "Latency",
     .sizes = {4, 64 * 1024}},
    {.name = "sparse_pull",
     .group = Group::sparse_table,
     .description = "All ranks read rows of a sparse table, by random keys of 64 bits",
     .title = "Sparse Table Pull Test",
     .value = "Latency",
     .sizes = {4, 64 * 1024}},
    {.name = "map_reduce",
     .group = Group::map_reduce,
     .description = "All ranks count the words of a text: text of all ranks a second",
     .title = "MapReduce Word Count Test",
     .value = "Text",
     .unit = "MB/s",
     .better = Better::higher,
     .sizes = {64 * 1024, 4 * kMiB, 8},
     .decimals = 2},
};

struct CollectiveEntry {
    Collective collective;
    const char* name;
    const char* osu_name;  // if OSU has another
    const char* title;
    const char* description;
};

// Each has three forms: blocking, non-blocking and persistent.
constexpr CollectiveEntry kCollectives[] = {
    {Collective::barrier, "barrier", "", "Barrier", "Barriers, one after the other"},
    {Collective::broadcast, "broadcast", "bcast", "Broadcast", "Bytes of rank 0 to all"},
    {Collective::reduce, "reduce", "", "Reduce", "Sum at rank 0"},
    {Collective::allreduce, "allreduce", "", "Allreduce", "Sum, everywhere"},
    {Collective::reduce_scatter, "reduce_scatter", "reduce_scatter_block", "Reduce_scatter_block",
     "Sums, a block to every rank"},
    {Collective::reduce_scatterv, "reduce_scatterv", "", "Reduce_scatter",
     "Sums, dealt out in blocks that may differ"},
    {Collective::scan, "scan", "", "Scan", "Sum of the ranks up to each"},
    {Collective::exscan, "exscan", "", "Exscan", "Sum of the ranks below each"},
    {Collective::gather, "gather", "", "Gather", "A block of every rank to rank 0"},
    {Collective::gatherv, "gatherv", "", "Gatherv", "The same, with each block's size given"},
    {Collective::scatter, "scatter", "", "Scatter", "A block of rank 0's to every rank"},
    {Collective::scatterv, "scatterv", "", "Scatterv", "The same, with each block's size given"},
    {Collective::allgather, "allgather", "", "Allgather", "A block of every rank to all"},
    {Collective::allgatherv, "allgatherv", "", "Allgatherv", "The same, with each block's size given"},
    {Collective::alltoall, "alltoall", "", "All-to-All Personalized Exchange",
     "A block of every rank to every other"},
    {Collective::alltoallv, "alltoallv", "", "All-to-Allv Personalized Exchange",
     "The same, with each block's size given"},
    {Collective::neighbor_allgather, "neighbor_allgather", "", "Neighborhood Allgather",
     "A block of every rank to both neighbours in a ring"},
    {Collective::neighbor_allgatherv, "neighbor_allgatherv", "", "Neighborhood Allgatherv",
     "The same, with each block's size given"},
    {Collective::neighbor_alltoall, "neighbor_alltoall", "", "Neighborhood Alltoall",
     "A block of every rank to each neighbour in a ring"},
    {Collective::neighbor_alltoallv, "neighbor_alltoallv", "", "Neighborhood All-to-Allv",
     "The same, with each block's size given"},
};

// `text` for an entry that is made at run time. It lives as long as the program.
const char* kept(std::string text)
{
    static std::deque<std::string> texts;
    return texts.emplace_back(std::move(text)).c_str();
}

Benchmark collective_benchmark(const CollectiveEntry& entry, Group group)
{
    const char* const before = group == Group::overlap ? "i" : "";
    const char* const after = group == Group::persistent ? "_persistent" : "";
    const std::string_view non_blocking = group == Group::overlap ? "Non-blocking " : "";
    const std::string_view persistent = group == Group::persistent ? "Persistent " : "";
    const std::string description =
        group == Group::overlap ? fmt::format("How much of {} hides behind computing", entry.name)
        : group == Group::persistent
            ? fmt::format("{}, described once and started again and again", entry.name)
            : entry.description;
    Benchmark benchmark{kept(fmt::format("{}{}{}", before, entry.name, after)), group, kept(description),
                        kept(fmt::format("{}{} {}Latency Test", non_blocking, entry.title, persistent)),
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
    std::vector<Benchmark> all(std::begin(kMessageBenchmarks), std::end(kMessageBenchmarks));
    all.insert(all.end(), std::begin(kOneSidedBenchmarks), std::end(kOneSidedBenchmarks));
    all.insert(all.end(), std::begin(kKeyedBenchmarks), std::end(kKeyedBenchmarks));
    all.insert(all.end(), std::begin(kFileBenchmarks), std::end(kFileBenchmarks));
    all.insert(all.end(), std::begin(kOtherBenchmarks), std::end(kOtherBenchmarks));
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
        case Group::persistent_messages:
        case Group::multi_pair:
        case Group::threads:
            return "point-to-point";
        case Group::congestion:
            return "congestion";
        case Group::startup:
            return "startup";
        case Group::one_sided:
        case Group::atomics:
        case Group::counter:
        case Group::window_pattern:
        case Group::passive_put:
            return "one-sided";
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
        case Group::table:
            return "table";
        case Group::sparse_table:
            return "sparse_table";
        case Group::map_reduce:
            return "map_reduce";
        case Group::file_call:
        case Group::file_access:
        case Group::shared_pointer:
            return "file";
    }
    return "";
}

const char* to_string(Better better) noexcept
{
    return better == Better::lower ? "lower" : "higher";
}

}  // namespace tutti::bench
