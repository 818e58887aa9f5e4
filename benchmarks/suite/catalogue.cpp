#include "benchmarks/suite/catalogue.hpp"

#include <algorithm>

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
constexpr Benchmark kCatalogue[] = {
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
    {"barrier", Group::collective, "Barriers, one after the other", "Barrier Latency Test", "Avg Latency",
     "us", kLower, kNone, 1, 0, "", ""},
    {"allreduce", Group::collective, "Sum of floats, everywhere", "Allreduce Latency Test", "Avg Latency",
     "us", kLower, kFloats},
    {"broadcast", Group::collective, "Bytes of rank 0 to all", "Broadcast Latency Test", "Avg Latency", "us",
     kLower, kBlocks, 1, 0, "bcast"},
    {"reduce", Group::collective, "Sum of floats at rank 0", "Reduce Latency Test", "Avg Latency", "us",
     kLower, kFloats},
    {"allgather", Group::collective, "A block of every rank to all", "Allgather Latency Test", "Avg Latency",
     "us", kLower, kBlocks},
    {"alltoall", Group::collective, "A block of every rank to every other", "All-to-All Latency Test",
     "Avg Latency", "us", kLower, kBlocks},
    {"gather", Group::collective, "A block of every rank to rank 0", "Gather Latency Test", "Avg Latency",
     "us", kLower, kBlocks},
    {"scatter", Group::collective, "A block of rank 0's to every rank", "Scatter Latency Test", "Avg Latency",
     "us", kLower, kBlocks},
    {"reduce_scatter", Group::collective, "Sums of floats, a block to every rank",
     "Reduce-scatter Latency Test", "Avg Latency", "us", kLower, kFloats},
    {"iallreduce", Group::overlap, "How much of a sum of floats hides behind computing",
     "Iallreduce Overlap Test", "Overall", "us", kLower, kFloats},
    {"ibroadcast", Group::overlap, "How much of a broadcast hides behind computing",
     "Ibroadcast Overlap Test", "Overall", "us", kLower, kBlocks, 1, 0, "ibcast"},
    {"iallgather", Group::overlap, "How much of an allgather hides behind computing",
     "Iallgather Overlap Test", "Overall", "us", kLower, kBlocks},
    {"ialltoall", Group::overlap, "How much of an alltoall hides behind computing", "Ialltoall Overlap Test",
     "Overall", "us", kLower, kBlocks},
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

}  // namespace

std::span<const Benchmark> catalogue() noexcept
{
    return kCatalogue;
}

const Benchmark* find_benchmark(std::string_view name) noexcept
{
    const auto found = std::find_if(
        std::begin(kCatalogue), std::end(kCatalogue),
        [name](const Benchmark& one) { return name == one.name || (!name.empty() && name == one.alias); });
    return found == std::end(kCatalogue) ? nullptr : found;
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
