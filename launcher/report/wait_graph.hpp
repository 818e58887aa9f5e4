// Who waits for whom.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/report/analysis.hpp"

namespace tutti::launcher {

class WaitGraph {
public:
    struct Edge {
        int to = 0;
        bool must = false;  // only `to` can end the wait, by a call that it has not made
        std::string why;    // the call that waits
    };

    explicit WaitGraph(const JobStatus& job);

    /// A shortest circle, as ranks of which each waits for the next and the last for the first; empty if
    /// there is none. `must`: of such edges only.
    std::vector<int> circle(bool must) const;
    const Edge* edge(int from, int to) const;
    const std::map<int, std::vector<Edge>>& edges() const noexcept { return edges_; }

private:
    void add_messages(const JobStatus& job);
    bool add_lock(const JobStatus& job, const WaitEdge& wait, const RankGroup& group);
    void add_collectives(const JobStatus& job);

    std::map<int, std::vector<Edge>> edges_;
};

}  // namespace tutti::launcher
