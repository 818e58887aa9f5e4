// Messages about the job and its ranks.
#pragma once

#include <string>
#include <vector>

#include "launcher/job/job.hpp"
#include "launcher/wire/codec.hpp"
#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

enum class Channel : std::uint8_t { standard_output = 1, standard_error = 2 };

/// All that a daemon needs to start its ranks.
struct LaunchOrder {
    std::string job_name;  // PMIx namespace, with 128 random bits that nobody can guess
    std::vector<Node> nodes;
    std::vector<AppContext> apps;
    std::vector<Placement> ranks;          // of the whole job
    std::vector<std::string> environment;  // NAME=value, of the head, for ranks of other hosts
    std::string working_directory;         // of the head, also for ranks of other hosts
    StdinTarget stdin_target = StdinTarget::none;
    int stdin_rank = 0;
    bool merge_stderr = false;    // one pipe for both, so that their order stays
    bool shows_status = false;    // stderr of ranks goes to a terminal, and nowhere else
    bool rank_variables = false;  // RANK, WORLD_SIZE and their like for each rank

    /// The numbers of a node's ranks, ascending.
    std::vector<int> ranks_of(int node) const;
    /// Checks that each rank has its number, its program and its node.
    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.job_name, self.nodes, self.apps, self.ranks, self.environment,
                        self.working_directory, self.stdin_target, self.stdin_rank, self.merge_stderr,
                        self.shows_status, self.rank_variables);
    }
};

struct ExitReport {
    int rank = 0;
    int pid = 0;
    int wait_status = 0;   // as waitpid() gave it
    bool joined = false;   // it was part of the job: a Tutti program, or another PMIx client
    bool left = false;     // it has left the job before it ended
    std::string farewell;  // the call by which its program leaves; empty: unknown

    bool ended_well() const noexcept { return wait_status == 0 && (!joined || left); }

    static auto fields(auto& self)
    {
        return std::tie(self.rank, self.pid, self.wait_status, self.joined, self.left, self.farewell);
    }
};

}  // namespace tutti::launcher
