#include "lib/foundation/base/known_settings.hpp"

#include <algorithm>

namespace tutti::base {

namespace {

constexpr std::string_view kOfProgram = "it belongs to one program; give it on the command line";
constexpr std::string_view kUseGenv = "it belongs to one program; for all write 'genv = NAME=VALUE'";
constexpr std::string_view kOfJob = "it is for one job; give it on the command line";
constexpr std::string_view kInstead =
    "it is something else to do than to run a job; give it on the command line";
constexpr std::string_view kByLauncher = "tuttirun sets it for each rank";
constexpr std::string_view kByRules = "the rules choose";

constexpr KnownSetting kSettings[] = {
    // What to run.
    {"np", "", "one rank a slot", kOfProgram},
    {"wdir", "", "as here", kOfProgram},
    {"x", "", "none", kUseGenv},
    {"env", "", "none", kUseGenv},
    {"configfile", "", "none", kOfProgram},
    {"envlist", "", "none", kOfProgram},
    // The job.
    {"genv", "", "none"},
    {"genvlist", "", "none"},
    {"rank-env", "", "no"},
    {"mpirun-env", "", "yes"},
    {"mpi", "", "auto"},
    {"heap", "TUTTI_HEAP", "auto"},
    {"check", "TUTTI_CHECK", "off"},
    {"stats", "", "no"},
    {"trace", "", "none"},
    {"timeout", "MPIEXEC_TIMEOUT", "none"},
    {"grace", "", "10"},
    {"hang-report", "TUTTI_HANG_REPORT", "10"},
    {"on-deadlock", "", "report"},
    {"report-json", "", "none"},
    {"forward-signals", "", "none"},
    // Where ranks go.
    {"host", "", "this machine, or the allocation's"},
    {"hostfile", "", "none"},
    {"bind-to", "", "by the numbers of ranks and cores"},
    {"cpus-per-proc", "", "by OMP_NUM_THREADS"},
    {"map-by", "", "slot"},
    {"ppn", "", "by slots"},
    {"rankfile", "", "none", kOfJob},
    {"cpu-set", "", "all cores"},
    {"rank-by", "", "as mapped"},
    {"report-bindings", "", "no"},
    {"display-map", "", "no"},
    {"display", "", "none"},
    // Other hosts.
    {"interface", "TUTTI_INTERFACE", "all that others may reach"},
    {"fabric", "TUTTI_FABRIC", "ofi with an RDMA adapter, else tcp"},
    {"launcher", "", "slurm in its allocation, else ssh"},
    {"launch-agent", "TUTTI_LAUNCH_AGENT", "ssh"},
    {"launcher-exec-args", "", "none"},
    {"prefix", "", "the same path as here"},
    {"start-timeout", "", "30"},
    {"daemon-timeout", "", "30"},
    // Input and output.
    {"stdin", "", "0"},
    {"prepend-rank", "", "no"},
    {"tag-output", "", "no"},
    {"timestamp-output", "", "no"},
    {"merge-stderr-to-stdout", "", "no"},
    {"output-filename", "", "none"},
    {"output", "", "none"},
    // Debugging, and the rest.
    {"debug", "", "none", kOfJob},
    {"terminal", "", "this one", kOfJob},
    {"gdbserver", "", "no", kOfJob},
    {"quiet", "", "no"},
    {"verbose", "", "no"},
    {"doctor", "", "no", kInstead},
    {"json", "", "no", kInstead},
    {"status", "", "no", kInstead},
    {"top", "", "no", kInstead},
    {"version", "", "no", kInstead},
    {"help", "", "no", kInstead},
    // Variables that are no options.
    {"", "TUTTI_EAGER_LIMIT", "8K in memory, 256K over TCP, 64K over libfabric"},
    {"", "TUTTI_UNEXPECTED_LIMIT", "64M / ranks, from 256K to 8M"},
    {"", "TUTTI_PROGRESS", "what the program says, else calls"},
    {"", "TUTTI_PROFILE", "off"},
    {"", "TUTTI_TRACE_EVENTS", "0; 16384 with --trace"},
    {"", "TUTTI_SHARED_CORES", "whether ranks outnumber cores"},
    {"", "TUTTI_CORES", "an equal share of the machine's"},
    {"", "TUTTI_REDUCE_THREADS", "the rank's cores, at most 8"},
    {"", "TUTTI_FABRIC_RMA", "on"},
    {"", "TUTTI_TCP_CONGESTION", "the system's, but never bbr"},
    {"", "TUTTI_CRASH_STACKS", "1"},
    {"", "TUTTI_VERBOSE", "not set"},
    {"", "TUTTI_RULES", "none"},
    {"", "TUTTI_BARRIER", kByRules},
    {"", "TUTTI_BROADCAST", kByRules},
    {"", "TUTTI_REDUCE", kByRules},
    {"", "TUTTI_ALLREDUCE", kByRules},
    {"", "TUTTI_REDUCE_SCATTER", kByRules},
    {"", "TUTTI_SCAN", kByRules},
    {"", "TUTTI_EXSCAN", kByRules},
    {"", "TUTTI_ALLGATHER", kByRules},
    {"", "TUTTI_ALLGATHERV", kByRules},
    {"", "TUTTI_GATHER", kByRules},
    {"", "TUTTI_GATHERV", kByRules},
    {"", "TUTTI_SCATTER", kByRules},
    {"", "TUTTI_SCATTERV", kByRules},
    {"", "TUTTI_ALLTOALL", kByRules},
    {"", "TUTTI_ALLTOALLV", kByRules},
    {"", "TUTTI_CONF", "the site's file and the user's", "it says which files are read"},
    {"", "TUTTI_LOCAL_RANK", "not set", kByLauncher},
    {"", "TUTTI_LOCAL_SIZE", "not set", kByLauncher},
    {"", "TUTTI_TERMINAL", "not set", kByLauncher},
    {"", "TUTTI_CONTROL", "not set", kByLauncher},
    {"", "TUTTI_RANK_NUMBERS", "not set", kByLauncher},
};

}  // namespace

std::span<const KnownSetting> known_settings()
{
    return kSettings;
}

const KnownSetting* find_setting(std::string_view key)
{
    const auto* const found = std::ranges::find_if(kSettings, [key](const KnownSetting& known) {
        return !key.empty() && (known.option == key || known.variable == key);
    });
    return found == std::end(kSettings) ? nullptr : found;
}

}  // namespace tutti::base
