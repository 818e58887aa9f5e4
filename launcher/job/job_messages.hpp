// Messages about the job and its ranks, about daemons, and between the PMIx servers of a job's nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/job_plan.hpp"
#include "launcher/stacks/crash_report.hpp"
#include "launcher/wire/codec.hpp"
#include "launcher/wire/wire.hpp"
#include "lib/foundation/base/version.hpp"

namespace tutti::launcher {

using base::kVersion;

enum class Channel : std::uint8_t { standard_output = 1, standard_error = 2 };

/// All that a daemon needs to start its ranks.
struct LaunchOrder {
    std::string job_name;  // PMIx namespace, with 128 random bits that nobody can guess
    std::vector<Node> nodes;
    std::vector<AppContext> apps;
    std::vector<RankPlacement> ranks;      // of the whole job
    std::vector<std::string> environment;  // NAME=value, of the head, for ranks of other hosts
    std::string working_directory;         // of the head, also for ranks of other hosts
    StdinTarget stdin_target = StdinTarget::none;
    int stdin_rank = 0;
    MpiLibraries mpi = MpiLibraries::automatic;
    bool merge_stderr = false;     // one pipe for both, so that their order stays
    bool shows_status = false;     // stderr of ranks goes to a terminal, and nowhere else
    bool rank_variables = false;   // RANK, WORLD_SIZE and their like for each rank
    bool mpirun_variables = true;  // OMPI_COMM_WORLD_RANK, PMI_RANK and their like
    bool must_bind = false;        // the user has said how: a rank that cannot be bound does not start
    std::vector<int> debugged;     // these begin below a gdbserver
    bool reports_processes = false;  // daemons tell which process each rank is

    /// The numbers of a node's ranks, ascending.
    std::vector<int> ranks_of(int node) const;
    /// Checks that each rank has its number, its program and its node.
    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.job_name, self.nodes, self.apps, self.ranks, self.environment,
                        self.working_directory, self.stdin_target, self.stdin_rank, self.mpi,
                        self.merge_stderr, self.shows_status, self.rank_variables, self.mpirun_variables,
                        self.must_bind, self.debugged, self.reports_processes);
    }
};

struct ExitReport {
    int rank = 0;
    int pid = 0;
    int wait_status = 0;       // as waitpid() gave it
    bool joined = false;       // it was part of the job: a Tutti program, or another PMIx client
    bool left = false;         // it has left the job before it ended
    std::string leaving_call;  // the call by which its program leaves; empty: unknown
    CrashReport crash = {};    // what it has said of its crash

    bool ended_well() const noexcept { return wait_status == 0 && (!joined || left); }

    static auto fields(auto& self)
    {
        return std::tie(self.rank, self.pid, self.wait_status, self.joined, self.left, self.leaving_call,
                        self.crash);
    }
};

/// A rank waits for its debugger.
struct DebugServer {
    int rank = 0;
    int port = 0;         // on the loopback interface of its host
    std::string program;  // path

    static auto fields(auto& self) { return std::tie(self.rank, self.port, self.program); }
};

/// A rank has called abort.
struct AbortReport {
    int rank = 0;
    int pid = 0;
    int status = 0;
    std::string message;
    CrashReport place = {};  // of the call

    static auto fields(auto& self)
    {
        return std::tie(self.rank, self.pid, self.status, self.message, self.place);
    }
};

/// The first frame of every daemon. The version is always its first field, so that different releases can
/// recognise each other.
struct Hello {
    std::string version;       // of Tutti
    std::string architecture;  // of the processor, as uname has it
    std::string host_name;     // of the machine itself
    int pid = 0;
    std::string topology;  // for map_job(), from MachineTopology::to_wire()

    /// The Hello of this process, without its topology.
    static Hello of_this_process();

    static auto fields(auto& self)
    {
        return std::tie(self.version, self.architecture, self.host_name, self.pid, self.topology);
    }
};

/// The daemons below a daemon. It has all hosts of the job but the head's, since their order decides which
/// daemon starts which (starter_of()).
struct StartOrder {
    StartMethod method;
    std::string interface;  // to which daemons connect; empty: choose
    std::vector<RemoteHost> hosts;
    int index = 0;                      // of the host that the order goes to
    double daemon_timeout_seconds = 0;  // see Children::watch_for_silence()

    /// Checks that it has an agent, and that its index is a host.
    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.method, self.interface, self.hosts, self.index, self.daemon_timeout_seconds);
    }
};

/// Daemons that are missing, and why.
struct MissingDaemons {
    std::vector<int> nodes;
    std::string reason;  // whole sentences

    static auto fields(auto& self) { return std::tie(self.nodes, self.reason); }
};

/// Reads only the version where that differs. Throws WireError.
Hello decode_hello(std::string_view payload);

/// Why a daemon with this `hello` cannot take part, as the rest of a sentence about its host; empty when it
/// can.
std::string judge_hello(const Hello& hello);

/// The contribution of one node's ranks to a fence, or of all nodes. Its ranks identify a fence: they all
/// call the same fences in the same order.
struct FenceFrame {
    std::vector<int> ranks;   // ascending; kAllRanks alone for the whole job, twice for a barrier of PMI-1
    std::int32_t status = 0;  // pmix_status_t
    std::string data;         // from libpmix, or from PmiServer

    static auto fields(auto& self) { return std::tie(self.ranks, self.status, self.data); }
};

/// One node asks for values that a rank of another node has published.
struct ModexRequest {
    std::uint32_t number = 0;  // by which the asker recognises the answer
    std::uint16_t asker = 0;   // node
    std::int32_t rank = 0;
    std::string key;         // that must be among them
    bool deposited = false;  // over the control channel, not PMIx: to be answered at once

    static auto fields(auto& self)
    {
        return std::tie(self.number, self.asker, self.rank, self.key, self.deposited);
    }
};

struct ModexAnswer {
    std::uint32_t number = 0;
    std::uint16_t asker = 0;
    std::int32_t status = 0;  // pmix_status_t, or a ControlChannels::Deposit
    std::string data;

    static auto fields(auto& self) { return std::tie(self.number, self.asker, self.status, self.data); }
};

// In messages of many fields the codec is large: it is compiled once.
extern template void put<LaunchOrder>(WireWriter& writer, const LaunchOrder& value);
extern template LaunchOrder take<LaunchOrder>(WireReader& reader);
extern template void put<StartOrder>(WireWriter& writer, const StartOrder& value);
extern template StartOrder take<StartOrder>(WireReader& reader);
extern template void put<ExitReport>(WireWriter& writer, const ExitReport& value);
extern template ExitReport take<ExitReport>(WireReader& reader);

}  // namespace tutti::launcher
