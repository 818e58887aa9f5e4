// Groups of ranks as daemons report them, and what the head makes of them.
#pragma once

#include <cstdint>
#include <utility>

#include "launcher/report/analysis.hpp"

namespace tutti::launcher {

inline constexpr std::uint64_t kBarrier = 1;  // tutti::collectives::CallKind
inline constexpr std::uint64_t kAllreduce = 4;

inline RankGroup calls(Ranges ranks, std::uint64_t kind, std::uint32_t number)
{
    RankGroup group;
    group.state = RankState::waiting;
    group.operation = observe::Operation::collective;
    group.kind = static_cast<std::uint8_t>(kind);
    group.communicator = "world";
    group.number = number;
    group.ranks = std::move(ranks);
    group.least_seconds = 29.9;
    group.most_seconds = 31.2;
    return group;
}

inline RankGroup receives(int rank, int from, int tag)
{
    RankGroup group;
    group.state = RankState::waiting;
    group.operation = observe::Operation::recv;
    group.communicator = "world";
    group.peer = from;
    group.tag = tag;
    group.ranks = {{rank, rank}};
    group.least_seconds = group.most_seconds = 44.4;
    return group;
}

/// Two ranks that both receive from the other.
inline NodeReport both_receive()
{
    NodeReport node;
    node.quiet = true;
    node.groups = {receives(0, 1, 5), receives(1, 0, 5)};
    node.edges = {{0, 1, 5, 0, false, true, false}, {1, 0, 5, 0, false, true, false}};
    return node;
}

inline Analysis analysis_of(const NodeReport& node)
{
    JobStatus job;
    job.add(node);
    return analyse(job);
}

}  // namespace tutti::launcher
