// The rules that choose among algorithms: one table a collective, and nothing else.
//
// The first rule that fits a call names its algorithm. A rule whose algorithm cannot do the call, because it
// needs operands that commute, a board with room for the data, or several nodes, does not fit. The last rule
// of a table fits all calls.
//
// Sources of thresholds: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations
// in MPICH", 2005 (12 KiB and 512 KiB for broadcast, 2 KiB for reduce and allreduce), unless measurements of
// Tutti show better values; for chains Pjesivac-Grbovic and others, "Performance analysis of MPI collective
// operations", 2007. "crowded" rows are measured with 4, 8 and 16 ranks on 2 cores. There the algorithm in
// which the fewest ranks wait wins: flat; where every rank waits for every other, the board, which takes 0.5
// to 0.8 of flat's time for all data that fits its slots; "shared" takes 0.2 to 0.6 of flat's for a broadcast
// and 0.4 to 0.95 for a reduce. "board" needs three ranks: two go on at once by "shared". "shared" rows of
// two ranks hold where they share a core and where each has its own; "read_in_place" rows come before those
// that a message beats. Long data of an allreduce is combined once by "rabenseifner": it takes 0.2 to 0.75 of
// recursive_doubling's time with 2 ranks from 1 MiB up (on 2 hosts from 16 MiB up), and 0.5 to 0.8 of
// binomial's with 4 and 8 ranks on 2 cores. "many_nodes" rows are predicted by the simulator's cost model
// (docs/developing/collectives.md) for 2 and 4 nodes of 2 to 16 ranks and for 64 of 64. Those of up to 8
// ranks are measured on 2 hosts of 2 ranks each.
#pragma once

#include "collectives/choice/rule.hpp"
#include "collectives/framework/streams.hpp"

namespace tutti::collectives {

inline constexpr std::size_t kKiB = 1024;
/// The longest data of each of two ranks that goes in chunks even where messages are read in place.
inline constexpr std::size_t kChunked = kMessageFromBytes - 1;

// clang-format off
inline constexpr Rule kBarrierRules[] = {
    // where             up to ranks  up to bytes  algorithm            segments of
    {Where::anywhere,     2,           kAnyBytes,   "shared"},
    {Where::crowded,      2,           kAnyBytes,   "flat"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "board"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "flat"},
    {Where::many_nodes,   kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "dissemination"},
};

inline constexpr Rule kBroadcastRules[] = {
    {Where::crowded,      kAnyRanks,   512 * kKiB,  "shared"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "flat"},
    {Where::anywhere,     2,           32 * kKiB,   "shared"},
    {Where::anywhere,     2,           kAnyBytes,   "flat"},
    {Where::many_nodes,   kAnyRanks,   12 * kKiB,   "hierarchical"},
    {Where::mixed_nodes,  kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::many_nodes,   128,         128 * kKiB,  "binomial"},
    {Where::many_nodes,   8,           kAnyBytes,   "hierarchical"},
    {Where::many_nodes,   16,          kAnyBytes,   "chain",             32 * kKiB},
    {Where::many_nodes,   128,         2048 * kKiB, "scatter_allgather"},
    {Where::many_nodes,   128,         kAnyBytes,   "chain",             32 * kKiB},
    {Where::many_nodes,   kAnyRanks,   256 * kKiB,  "binomial"},
    {Where::many_nodes,   kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::anywhere,     4,           1 * kKiB,    "flat"},
    {Where::anywhere,     kAnyRanks,   12 * kKiB,   "binomial"},
    {Where::anywhere,     7,           512 * kKiB,  "binomial"},
    {Where::anywhere,     7,           kAnyBytes,   "chain",             128 * kKiB},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "scatter_allgather"},
};

inline constexpr Rule kReduceRules[] = {
    {Where::crowded,      kAnyRanks,   64 * kKiB,   "shared"},
    {Where::crowded,      kAnyRanks,   64 * kKiB,   "flat"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "binomial"},
    {Where::anywhere,     2,           32 * kKiB,   "shared"},
    {Where::anywhere,     2,           512 * kKiB,  "flat"},
    {Where::many_nodes,   2,           kAnyBytes,   "flat"},
    {Where::anywhere,     2,           16384 * kKiB, "rabenseifner"},
    {Where::anywhere,     2,           kAnyBytes,   "flat"},
    {Where::many_nodes,   kAnyRanks,   2 * kKiB,    "hierarchical"},
    {Where::mixed_nodes,  kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::anywhere,     4,           1 * kKiB,    "flat"},
    {Where::anywhere,     kAnyRanks,   2 * kKiB,    "binomial"},
    {Where::anywhere,     kAnyRanks,   64 * kKiB,   "rabenseifner"},
    {Where::anywhere,     8,           kAnyBytes,   "chain",             32 * kKiB},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "rabenseifner"},
};

inline constexpr Rule kAllreduceRules[] = {
    {Where::anywhere,     2,           kChunked,    "shared"},
    {Where::read_in_place, 2,          16 * kKiB,   "recursive_doubling"},
    {Where::anywhere,     2,           16 * kKiB,   "shared"},
    {Where::crowded,      2,           32 * kKiB,   "shared"},
    {Where::anywhere,     2,           512 * kKiB,  "recursive_doubling"},
    {Where::many_nodes,   2,           8192 * kKiB, "recursive_doubling"},
    {Where::anywhere,     2,           kAnyBytes,   "rabenseifner"},
    {Where::crowded,      kAnyRanks,   16 * kKiB,   "board"},
    {Where::crowded,      kAnyRanks,   64 * kKiB,   "flat"},
    {Where::crowded,      8,           kAnyBytes,   "rabenseifner"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "binomial"},
    {Where::many_nodes,   8,           64 * kKiB,   "hierarchical"},
    {Where::many_nodes,   kAnyRanks,   16 * kKiB,   "hierarchical"},
    {Where::mixed_nodes,  kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::anywhere,     kAnyRanks,   2 * kKiB,    "recursive_doubling"},
    {Where::many_nodes,   8,           kAnyBytes,   "rabenseifner"},
    {Where::anywhere,     kAnyRanks,   512 * kKiB,  "rabenseifner"},
    {Where::anywhere,     128,         kAnyBytes,   "ring"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "rabenseifner"},
};

inline constexpr Rule kReduceScatterRules[] = {
    {Where::anywhere,     2,           2 * kKiB,    "shared"},
    {Where::anywhere,     2,           kAnyBytes,   "flat"},
    {Where::crowded,      kAnyRanks,   16 * kKiB,   "board"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "flat"},
    {Where::many_nodes,   kAnyRanks,   2 * kKiB,    "hierarchical"},
    {Where::mixed_nodes,  kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::anywhere,     kAnyRanks,   512 * kKiB,  "recursive_halving"},
    {Where::anywhere,     128,         kAnyBytes,   "ring"},
    {Where::anywhere,     128,         kAnyBytes,   "flat"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "recursive_halving"},
};

// Also for exscan.
inline constexpr Rule kScanRules[] = {
    {Where::anywhere,     2,           kChunked,    "shared"},
    {Where::read_in_place, 2,          kAnyBytes,   "flat"},
    {Where::anywhere,     2,           32 * kKiB,   "shared"},
    {Where::anywhere,     2,           kAnyBytes,   "flat"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "board"},
    {Where::many_nodes,   kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "flat"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "recursive_doubling"},
};

// Also for allgatherv. Recursive doubling is Bruck's algorithm if the ranks are no power of two.
inline constexpr Rule kAllgatherRules[] = {
    {Where::anywhere,     2,           2 * kChunked,"shared"},
    {Where::read_in_place, 2,          kAnyBytes,   "flat"},
    {Where::anywhere,     2,           32 * kKiB,   "shared"},
    {Where::crowded,      2,           64 * kKiB,   "shared"},
    {Where::anywhere,     2,           kAnyBytes,   "flat"},
    {Where::crowded,      kAnyRanks,   16 * kKiB,   "board"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "flat"},
    {Where::mixed_nodes,  kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::many_nodes,   32,          128 * kKiB,  "hierarchical"},
    {Where::anywhere,     32,          80 * kKiB,   "recursive_doubling"},
    {Where::many_nodes,   32,          kAnyBytes,   "ring"},
    {Where::many_nodes,   kAnyRanks,   512 * kKiB,  "hierarchical"},
    {Where::anywhere,     kAnyRanks,   80 * kKiB,   "recursive_doubling"},
    {Where::anywhere,     128,         kAnyBytes,   "ring"},
    {Where::many_nodes,   kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "ring"},
};

// Also for scatter.
inline constexpr Rule kGatherRules[] = {
    {Where::anywhere,     2,           2 * kChunked,"shared"},
    {Where::read_in_place, 2,          kAnyBytes,   "flat"},
    {Where::anywhere,     2,           16 * kKiB,   "shared"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "flat"},
    {Where::anywhere,     2,           kAnyBytes,   "flat"},
    {Where::many_nodes,   kAnyRanks,   64 * kKiB,   "hierarchical"},
    {Where::anywhere,     4,           kAnyBytes,   "flat"},
    {Where::anywhere,     kAnyRanks,   64 * kKiB,   "binomial"},
    {Where::anywhere,     128,         kAnyBytes,   "flat"},
    {Where::many_nodes,   kAnyRanks,   4096 * kKiB, "hierarchical"},
    {Where::anywhere,     kAnyRanks,   4096 * kKiB, "binomial"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "flat"},
};

// Also for scatterv. Only the root knows the sizes, so they cannot matter.
inline constexpr Rule kGathervRules[] = {
    {Where::anywhere,     2,           kAnyBytes,   "shared"},
    {Where::many_nodes,   kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "flat"},
};

// By the bytes of one block.
inline constexpr Rule kAlltoallRules[] = {
    {Where::anywhere,     2,           kChunked,    "shared"},
    {Where::read_in_place, 2,          kAnyBytes,   "flat"},
    {Where::anywhere,     2,           16 * kKiB,   "shared"},
    {Where::crowded,      2,           32 * kKiB,   "shared"},
    {Where::anywhere,     2,           kAnyBytes,   "flat"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "board"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "flat"},
    {Where::many_nodes,   kAnyRanks,   256,         "hierarchical"},
    {Where::many_nodes,   4,           32 * kKiB,   "hierarchical"},
    {Where::many_nodes,   8,           8 * kKiB,    "hierarchical"},
    {Where::many_nodes,   1024,        1 * kKiB,    "hierarchical"},
    {Where::many_nodes,   16,          64 * kKiB,   "lanes"},
    {Where::many_nodes,   7,           kAnyBytes,   "flat"},
    {Where::anywhere,     7,           32 * kKiB,   "flat"},
    {Where::anywhere,     kAnyRanks,   256,         "bruck"},
    {Where::anywhere,     kAnyRanks,   32 * kKiB,   "flat"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "pairwise"},
};

// No rank knows the sizes of all blocks, so sizes cannot matter. The hierarchical algorithm treats each block
// by its own size. Measured on 2 hosts of a core each, it takes as long as flat with 2 ranks a host. With 4
// and 8 it takes 0.5 to 0.8 of flat's time for short blocks, and 1.1 to 1.6 times flat's from 8 KiB on,
// because the ranks of a host wait for each other to run. With a core for each rank the cost model predicts
// 1.2 times at most from 16 KiB on.
inline constexpr Rule kAlltoallvRules[] = {
    {Where::anywhere,     2,           kAnyBytes,   "shared"},
    {Where::anywhere,     2,           kAnyBytes,   "flat"},
    {Where::crowded,      kAnyRanks,   kAnyBytes,   "board"},
    {Where::many_nodes,   4,           kAnyBytes,   "flat"},
    {Where::many_nodes,   kAnyRanks,   kAnyBytes,   "hierarchical"},
    {Where::anywhere,     64,          kAnyBytes,   "flat"},
    {Where::anywhere,     kAnyRanks,   kAnyBytes,   "pairwise"},
};
// clang-format on

}  // namespace tutti::collectives
