// What the states of all ranks mean together: who waits for whom, and why nothing moves.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/report/node_report.hpp"

namespace tutti::launcher {

/// The reports of all nodes as one.
struct JobStatus {
    bool complete = true;  // every node has answered
    bool quiet = true;     // and says that all its ranks wait and nothing moves
    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;
    std::vector<RankGroup> groups;
    std::vector<WaitEdge> edges;
    std::vector<LyingMessage> messages;
    std::vector<CollectiveState> collectives;
    std::vector<LockHolders> locks;
    Ranges more_locks;  // ranks that may hold more locks than they tell
    std::vector<RankNote> notes;

    void add(const NodeReport& node);
    /// nullptr where no node has reported the rank.
    const RankGroup* group_of(int rank) const;
    /// Of a communicator, the ranks that have not made call `number`.
    Ranges missing_in(std::uint64_t context, std::uint32_t number) const;
    /// Of a window, those of the lock of `target`; none where nobody tells that it holds it.
    const LockHolders* holders_of(std::uint64_t context, int target) const;
    bool any_waits() const;
    bool any_is(RankState state) const;

private:
    std::string holders_in_words(const RankGroup& waiting) const;
};

struct Analysis {
    std::vector<std::string> sentences;
    std::vector<int> culprits;  // a few ranks whose place in the program tells the most
    /// Some ranks wait for each other for ever: each is blocked, by its only thread, in a call that only the
    /// next one can end, and no message of the job is under way.
    bool deadlock = false;
};

Analysis analyse(const JobStatus& job);

/// A line for each group of like ranks, the waiting ones first. `host_of`: where a rank is.
std::vector<std::string> table(const JobStatus& job, const std::function<std::string(int rank)>& host_of);

}  // namespace tutti::launcher
