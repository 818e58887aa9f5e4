#include "launcher/report/wait_graph.hpp"

#include <algorithm>
#include <deque>

#include "collectives/framework/call.hpp"
#include "launcher/report/report_words.hpp"

namespace tutti::launcher {

namespace {

using collectives::CallKind;

/// Of the missing ranks of a collective, or the holders of a lock, as edges of each rank that waits.
constexpr int kMostMissing = 8;
/// From which a circle is looked for.
constexpr std::size_t kMostStarts = 64;

/// Whether every rank is in a call or gone. In a collective of two groups a rank waits for one of them only,
/// so another rank that can still act may end a wait that looks endless.
bool can_nobody_act(const JobStatus& job)
{
    return std::ranges::all_of(job.groups, [](const RankGroup& group) {
        return group.in_call() || group.state == RankState::left || group.state == RankState::ended;
    });
}

/// Whether no rank can end such a call before all have entered it.
bool needs_all(std::uint8_t kind)
{
    switch (static_cast<CallKind>(kind)) {
        case CallKind::barrier:
        case CallKind::allreduce:
        case CallKind::allgather:
        case CallKind::dup:
        case CallKind::split:
        case CallKind::share_memory:
            return true;
        default:
            return false;
    }
}

bool lies_at(const JobStatus& job, const WaitEdge& send)
{
    return std::ranges::any_of(job.messages, [&](const LyingMessage& message) {
        return message.rank == send.peer && message.sender == send.rank && message.tag == send.tag &&
               message.context == send.context;
    });
}

}  // namespace

WaitGraph::WaitGraph(const JobStatus& job)
{
    add_messages(job);
    add_collectives(job);
}

void WaitGraph::add_messages(const JobStatus& job)
{
    for (const WaitEdge& wait : job.edges) {
        const RankGroup* const group = job.group_of(wait.rank);
        if (group == nullptr || add_lock(job, wait, *group) || wait.peer < 0)
            continue;
        const bool must = wait.own && !wait.matched && !group->many_threads && group->in_call() &&
                          (!wait.send || lies_at(job, wait));
        edges_[wait.rank].push_back({wait.peer, must, short_call(*group)});
    }
}

// Whether the wait is for a lock of which the holders are known.
bool WaitGraph::add_lock(const JobStatus& job, const WaitEdge& wait, const RankGroup& group)
{
    const LockHolders* const lock =
        wait.lock_of == WaitEdge::kNoLock ? nullptr : job.holders_of(wait.context, wait.lock_of);
    if (lock == nullptr)
        return false;
    // Nobody else can have a lock that one rank has alone. A rank that shares it need not be in the way.
    const bool must = !lock->shared && count_of(lock->ranks) == 1 && !group.many_threads && group.in_call();
    int left = kMostMissing;
    for (const auto& [first, last] : lock->ranks)
        for (int to = first; to <= last && left > 0; ++to, --left)
            edges_[wait.rank].push_back({to, must, short_call(group)});
    return true;
}

void WaitGraph::add_collectives(const JobStatus& job)
{
    const bool nobody_acts = can_nobody_act(job);
    for (const RankGroup& group : job.groups) {
        if (!group.in_call() || !group.is_collective())
            continue;
        const Ranges missing = job.missing_in(group.context, group.number);
        const bool must = needs_all(group.kind) && !group.many_threads && nobody_acts;
        int left = kMostMissing;
        for (const auto& [first, last] : missing)
            for (int to = first; to <= last && left > 0; ++to, --left)
                for (const auto& [from, end] : group.ranks)
                    for (int rank = from; rank <= end; ++rank)
                        edges_[rank].push_back({to, must, short_call(group)});
    }
}

const WaitGraph::Edge* WaitGraph::edge(int from, int to) const
{
    const auto found = edges_.find(from);
    if (found == edges_.end())
        return nullptr;
    const auto edge = std::ranges::find(found->second, to, &Edge::to);
    return edge == found->second.end() ? nullptr : &*edge;
}

std::vector<int> WaitGraph::circle(bool must) const
{
    std::vector<int> shortest;
    std::size_t starts = 0;
    for (const auto& entry : edges_) {
        const int start = entry.first;
        if (++starts > kMostStarts || shortest.size() == 1)
            break;
        std::map<int, int> came_from;
        std::deque<int> next{start};
        bool closed = false;
        while (!next.empty() && !closed) {
            const int rank = next.front();
            next.pop_front();
            const auto found = edges_.find(rank);
            if (found == edges_.end())
                continue;
            for (const Edge& edge : found->second) {
                if ((must && !edge.must) || !came_from.try_emplace(edge.to, rank).second)
                    continue;
                closed = closed || edge.to == start;
                next.push_back(edge.to);
            }
        }
        if (!closed)
            continue;
        std::vector<int> circle;
        for (int rank = came_from.at(start); rank != start; rank = came_from.at(rank))
            circle.push_back(rank);
        circle.push_back(start);
        std::ranges::reverse(circle);
        if (shortest.empty() || circle.size() < shortest.size())
            shortest = std::move(circle);
    }
    return shortest;
}

}  // namespace tutti::launcher
