// The head's part in fences over several nodes: keeps the contributions of nodes until all are there.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "launcher/job/job_messages.hpp"
#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {

class FenceCollector {
public:
    /// Sends `done` to all of `nodes`.
    using Answer = std::function<void(const std::set<int>& nodes, const FenceFrame& done)>;

    FenceCollector(const JobMap& map, Answer answer) : map_(map), answer_(std::move(answer)) {}

    /// Adds the contribution of `node`. A complete fence has the data of all its nodes, one after the
    /// other. Throws WireError for ranks that do not exist.
    void add(int node, FenceFrame part);
    /// The rank has ended: fences that it has not reached fail, now and later.
    void rank_ended(int rank);

private:
    struct Fence {
        std::set<int> nodes;    // all that take part
        std::set<int> missing;  // of these
        FenceFrame done;
    };
    std::set<int> nodes_of(const std::vector<int>& ranks) const;
    bool contains_ended(const std::vector<int>& ranks) const;

    const JobMap& map_;
    Answer answer_;
    /// By the ranks that take part. A node may be in a later fence of the same ranks than the others.
    std::map<std::vector<int>, std::deque<Fence>> fences_;
    std::set<int> ended_;
};

}  // namespace tutti::launcher
