// What the command line asks for (JobOptions), and where each rank goes (JobMap).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "launcher/job/start_command.hpp"

namespace tutti::launcher {

/// One program of the job. The command line separates several by ':'.
struct AppContext {
    std::vector<std::string> argv;                                 // program first, never empty
    int ranks = 0;                                                 // 0: as many as there are slots
    std::vector<std::pair<std::string, std::string>> environment;  // set on top of the launcher's own
    std::string working_directory;                                 // empty: the launcher's own

    static auto fields(auto& self)
    {
        return std::tie(self.argv, self.ranks, self.environment, self.working_directory);
    }
};

/// What ranks are mapped by, numbered over and bound to: a level of the machine, or what else these options
/// say.
enum class MachineLevel { automatic, none, slot, core, socket, numa, l3cache, hwthread, node, seq };
enum class OnDeadlock { report, abort };
/// Where programs that were linked with another MPI library find it: see ranks/mpi_programs.hpp.
enum class MpiLibraries { automatic, own, preload, preload_openmpi, preload_mpich };
enum class StdinTarget { rank, all, none };

/// As options have it.
inline std::string_view word_of(MachineLevel level)
{
    constexpr std::array<std::string_view, 10> kWords = {"",     "none",    "slot",     "core", "socket",
                                                         "numa", "l3cache", "hwthread", "node", "seq"};
    return kWords.at(static_cast<std::size_t>(level));
}

/// --map-by ppr:N:OBJECT: so many ranks of each program on each object of each host.
struct RanksPer {
    int ranks = 0;  // 0: not said, slots decide
    MachineLevel object = MachineLevel::node;

    bool operator==(const RanksPer&) const = default;
};

/// A rank whose host the user has named, by a rankfile or by --map-by seq.
struct ListedRank {
    int rank = 0;
    std::string slots{};  // its cores, as the rankfile has them; empty: not said
    std::string where{};  // file and line, for messages
};

/// One entry of --host or of a hostfile; or, from job_hosts(), one node of the job.
struct Host {
    std::string name;
    int slots = 0;                     // 0: as many as the host has cores
    int max_slots = 0;                 // more ranks than this are an error; 0: no limit
    std::string user{};                // to log in as; empty: the user of this process
    bool local = false;                // this machine: its daemon needs no agent. Set by job_hosts()
    bool slots_given = false;          // the user gave their number
    std::vector<ListedRank> listed{};  // ranks that the user puts there
};

struct OutputOptions {
    bool tag = false;           // [rank]<stdout>: in front of each line
    bool label = false;         // Hydra's -l: "rank: " in front of each line
    bool timestamp = false;     // the date and time in front of each line
    bool merge_stderr = false;  // ranks' stderr goes to the launcher's stdout
    std::string directory;      // also write files below it: DIR/rank.N/stdout
};

/// Where the gdb of a rank runs: in this terminal, in windows, or where the user starts it.
enum class DebugWhere { here, tmux, xterm, server };

struct DebugOptions {
    std::vector<int> ranks;  // none: no debugging
    DebugWhere where = DebugWhere::here;
};

using Seconds = std::chrono::duration<double>;

/// Between the first signal and SIGKILL when a job is ended, but for JobOptions::grace_seconds.
inline constexpr Seconds kGracePeriod{0.3};

struct JobOptions {
    std::vector<AppContext> apps;
    std::vector<Host> hosts;     // as written; see job_hosts()
    bool hosts_by_file = false;  // a file of configuration names them: an allocation goes before it
    MachineLevel binding = MachineLevel::automatic;
    MachineLevel map_by = MachineLevel::slot;
    RanksPer ranks_per;
    std::vector<Host>
        rankfile;  // one for each rank, in order of rank; named "+n1" for the second host of the job
    std::vector<int> cpu_set;  // numbers of the cores that ranks may use on each host; empty: all
    int cores_per_rank = 0;    // --map-by slot:PE=N; 0: by OMP_NUM_THREADS
    MachineLevel rank_by = MachineLevel::automatic;
    MpiLibraries mpi = MpiLibraries::automatic;
    bool rank_variables = false;   // RANK, WORLD_SIZE and their like for each rank
    bool mpirun_variables = true;  // OMPI_COMM_WORLD_RANK, PMI_RANK and their like
    bool report_bindings = false;
    bool display_map = false;
    OutputOptions output;
    StdinTarget stdin_target = StdinTarget::rank;
    int stdin_rank = 0;
    double timeout_seconds = 0;  // 0: none
    double grace_seconds = 10;   // between the signal that the user sends to tuttirun, and SIGKILL
    std::optional<double> hang_report_seconds;  // without a move of any rank; 0: none comes by itself
    OnDeadlock on_deadlock = OnDeadlock::report;
    std::vector<int> forward_signals;  // on top of USR1; INT, TERM and HUP end the job unless they are here
    std::string interface;  // networks that may be used, as lib/foundation/network reads it; empty: choose
    std::optional<StartMethod::Agent> launcher;  // empty: srun inside a Slurm allocation, else ssh
    std::vector<std::string> launch_agent;       // command instead of ssh; empty: ssh
    std::string prefix;                          // where Tutti is installed on other hosts; empty: as here
    double start_timeout_seconds = 30;           // for a daemon to connect
    double daemon_timeout_seconds = 30;          // for a daemon to answer pings; 0: for ever
    bool doctor = false;                         // check the hosts instead of starting a job
    bool json = false;                           // the doctor's findings as JSON
    std::optional<std::string> status_of;        // start nothing, tell about this job; empty: the only one
    std::optional<std::string> top_of;           // start nothing, watch this job; empty: the only one
    std::string report_json;                     // a file for how the job went; empty: none
    std::optional<std::string> stats;            // where time went: a file; empty: stderr
    std::string trace;                           // a file for the timeline of all ranks; empty: none
    DebugOptions debug;
    bool quiet = false;
    int verbosity = 0;
    std::vector<std::string> settings_files;   // that were read, by their paths
    std::vector<std::string> agent_arguments;  // added to the command that starts daemons
    std::vector<std::string> not_set;          // variables that were to be handed on
    std::vector<std::string> without_effect;   // what was given for other launchers and MPI libraries
};

/// Where one rank runs.
struct RankPlacement {
    int rank = 0;           // in the job
    int app = 0;            // index into JobOptions::apps
    int node = 0;           // index into JobMap::nodes
    int local_rank = 0;     // among the ranks of its node
    std::vector<int> cpus;  // OS numbers of the hardware threads it is bound to; empty: not bound

    static auto fields(auto& self)
    {
        return std::tie(self.rank, self.app, self.node, self.local_rank, self.cpus);
    }
};

/// `cpus` in ascending order in the usual list syntax, "0-1,4"; empty for none.
std::string format_cpu_list(std::vector<int> cpus);

/// A host of the job, with its own daemon. Two names of one machine are two nodes.
struct Node {
    std::string name;           // as the user wrote it, or as this machine calls itself
    bool shares_cores = false;  // some of its ranks take turns on a core

    static auto fields(auto& self) { return std::tie(self.name, self.shares_cores); }
};

/// The whole job.
struct JobMap {
    std::vector<Node> nodes;
    std::vector<RankPlacement> ranks;  // in order of rank
};

}  // namespace tutti::launcher
