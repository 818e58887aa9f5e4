#include "lib/foundation/settings/known_settings.hpp"

#include <algorithm>

namespace tutti::settings {

namespace {

constexpr std::string_view kOfProgram = "it belongs to one program; give it on the command line";
constexpr std::string_view kUseGenv = "it belongs to one program; for all write 'genv = NAME=VALUE'";
constexpr std::string_view kOfJob = "it is for one job; give it on the command line";
constexpr std::string_view kInstead =
    "it is something else to do than to run a job; give it on the command line";
constexpr std::string_view kByLauncher = "tuttirun sets it for each rank";
constexpr std::string_view kNotTuttis = "it is not Tutti's; write 'genv = NAME=VALUE'";
constexpr std::string_view kByRules = "the rules choose";

constexpr KnownSetting kSettings[] = {
    // What to run.
    {"np", "-n,-c,--np,--n", "N", "number of ranks", "", "one a slot, that is a core", kOfProgram},
    {"wdir", "--wdir,--wd", "DIR", "working directory of the ranks", "", "as here", kOfProgram},
    {"x", "-x", "VAR[=VALUE]", "set VAR; without a value: hand it on, where it is set", "", "none", kUseGenv},
    {"env", "--env", "VAR VALUE", "the same in two words, or as VAR=VALUE", "", "none", kUseGenv},
    {"configfile", "--configfile,--app", "FILE", "read all this from FILE, a program a line", "", "none",
     kOfProgram},
    {"envlist", "--envlist", "A,B", "as -x A -x B, for those that are set", "", "none", kOfProgram},
    // The job.
    {"genv", "--genv", "VAR VALUE", "set VAR for all programs; a program's own -x goes first", "", "none"},
    {"genvlist", "--genvlist", "A,B", "likewise hand on A and B, where they are set", "", "none"},
    {"rank-env", "--rank-env", "", "set RANK, WORLD_SIZE, LOCAL_RANK and more, as torchrun does", "", "no"},
    {"mpirun-env", "--mpirun-env", "", "set OMPI_COMM_WORLD_RANK, PMI_RANK and such", "", "yes"},
    {"mpi", "--mpi", "WHAT", "others' MPI programs: auto, own, preload[=openmpi|mpich]", "", "auto"},
    {"heap", "--heap", "auto|on|off", "malloc from memory that ranks of a host share", "TUTTI_HEAP", "auto"},
    {"check", "--check", "LIST", "find mistakes: in types, buffers, requests, races and more", "TUTTI_CHECK",
     "off"},
    {"stats", "--stats", "FILE", "print at the end where time went, or write FILE.json or .html", "", "no"},
    {"trace", "--trace", "FILE", "write a timeline of all ranks, to FILE.json or FILE.html", "", "none"},
    {"timeout", "--timeout", "SECONDS", "end the job after this time, with status 124", "MPIEXEC_TIMEOUT",
     "none"},
    {"grace", "--grace", "SECONDS", "after Ctrl-C or SIGTERM, before ranks are killed", "", "10"},
    {"hang-report", "--hang-report", "SECONDS", "print what ranks do when all wait for so long; 0: never",
     "TUTTI_HANG_REPORT", "10"},
    {"on-deadlock", "--on-deadlock", "WHAT", "when ranks wait in a circle: report, abort", "", "report"},
    {"report-json", "--report-json", "FILE", "write to FILE how the job went: cause, rank, stack, outcomes",
     "", "none"},
    {"forward-signals", "--forward-signals", "LIST",
     "pass these signals on to the ranks: WINCH,TERM,SIGURG,40", "", "none"},
    // Where ranks go.
    {"host", "-H,--host,--hosts", "LIST", "hosts and their slots: a:2,user@b", "",
     "this machine, or the allocation's"},
    {"hostfile", "-f,--hostfile,--machinefile,--machine,--default-hostfile", "FILE",
     "the same, a host a line: 'a:2' or 'a slots=2 user=me'", "", "none"},
    {"bind-to", "--bind-to", "WHAT", "none, core, core:N, socket, numa, l3cache, hwthread", "",
     "by the numbers of ranks and cores"},
    {"cpus-per-proc", "--cpus-per-proc,--cpus-per-rank", "N", "as --map-by slot:PE=N: N cores for each rank",
     "", "by OMP_NUM_THREADS"},
    {"map-by", "--map-by", "WHAT", "slot|node|core|socket|numa|l3cache|hwthread|seq|ppr:N:WHAT", "", "slot"},
    {"ppn", "-N,--ppn,--perhost,--npernode,--grr", "N", "N ranks on each host, as --map-by ppr:N:node", "",
     "by slots"},
    {"rankfile", "--rankfile,--rf", "FILE", "the host and cores of each rank: 'rank 0=a slot=0-1'", "",
     "none", kOfJob},
    {"cpu-set", "--cpu-set,--cpu-list", "LIST", "only these cores of each host, by number: 0-3,8", "",
     "all cores"},
    {"rank-by", "--rank-by", "WHAT", "number them over: slot, core, socket, numa, l3cache, node", "",
     "as mapped"},
    {"report-bindings", "--report-bindings", "", "print the cores that each rank is bound to", "", "no"},
    {"display-map", "--display-map,--print-rank-map", "", "print which rank goes where", "", "no"},
    {"display", "--display", "LIST", "the same: map, bindings", "", "none"},
    // Other hosts.
    {"interface", "--interface,--iface", "LIST", "networks to use, by name or address: eth0,10.1.0.0/16",
     "TUTTI_INTERFACE", "all that others may reach"},
    {"fabric", "--fabric", "WHAT", "tcp, ofi or ofi:PROVIDER", "TUTTI_FABRIC",
     "ofi with an RDMA adapter, else tcp"},
    {"launcher", "--launcher,--bootstrap", "WHAT", "start by: ssh, slurm", "",
     "slurm in its allocation, else ssh"},
    {"launch-agent", "--launch-agent,--launcher-exec,--bootstrap-exec", "CMD",
     "instead of ssh: 'ssh -p 2222'", "TUTTI_LAUNCH_AGENT", "ssh"},
    {"launcher-exec-args", "--launcher-exec-args,--bootstrap-exec-args", "ARGS",
     "added to this command, as '-p 2222' to ssh", "", "none"},
    {"prefix", "--prefix", "DIR", "Tutti is in DIR on other hosts", "", "the same path as here"},
    {"start-timeout", "--start-timeout", "SECONDS", "how long a host may take to connect", "", "30"},
    {"daemon-timeout", "--daemon-timeout", "SECONDS", "a host's daemon silent for so long is lost; 0: never",
     "", "30"},
    // Input and output.
    {"stdin", "--stdin", "RANK|all|none", "who gets the standard input", "", "0"},
    {"prepend-rank", "-l,--prepend-rank", "", "put the rank in front of each line: '3: '", "", "no"},
    {"tag-output", "--tag-output", "", "put rank and stream in front of each line: '[3]<stderr>: '", "",
     "no"},
    {"timestamp-output", "--timestamp-output", "", "put date and time in front of each line", "", "no"},
    {"merge-stderr-to-stdout", "--merge-stderr-to-stdout", "", "write the ranks' stderr to stdout", "", "no"},
    {"output-filename", "--output-filename", "DIR", "also write DIR/rank.N/stdout and DIR/rank.N/stderr", "",
     "none"},
    {"output", "--output", "LIST", "the same: tag, rank, timestamp, merge, dir=DIR", "", "none"},
    // Debugging, and the rest.
    {"debug", "--debug", "RANKS", "give these ranks to gdb: 1, in this terminal, or 0,3 in others", "",
     "none", kOfJob},
    {"terminal", "--terminal", "tmux|xterm", "a window for each gdb", "", "this one", kOfJob},
    {"gdbserver", "--gdbserver", "", "print the command of each gdb instead, for another shell", "", "no",
     kOfJob},
    {"quiet", "-q,--quiet", "", "print nothing of its own but errors", "", "no"},
    {"verbose", "-v,-vv,--verbose", "", "print what is being done; -vv, or twice: in detail", "", "no"},
    {"doctor", "--doctor", "", "start nothing; check the hosts for what breaks jobs", "", "no", kInstead},
    {"json", "--json", "", "what --doctor finds as a JSON document", "", "no", kInstead},
    {"status", "--status", "", "what the ranks of a running job do; its PID may follow", "", "no", kInstead},
    {"top", "--top", "", "watch the ranks of a running job; its PID may follow", "", "no", kInstead},
    {"version", "-V,--version", "", "print the version and stop", "", "no", kInstead},
    {"help", "-h,--help", "", "print this and stop", "", "no", kInstead},
    // Variables that are no options.
    {"", "", "", "bytes up to which a message leaves without asking the receiver", "TUTTI_EAGER_LIMIT",
     "8K in memory, 256K over TCP, 64K over libfabric"},
    {"", "", "", "bytes that one sender may leave with a receiver", "TUTTI_UNEXPECTED_LIMIT",
     "64M / ranks, from 256K to 8M"},
    {"", "", "", "calls (operations move on within calls) or thread (a thread of its own moves them)",
     "TUTTI_PROGRESS", "what the program says, else calls"},
    {"", "", "", "on or off: record where time goes; --stats and --trace set it", "TUTTI_PROFILE", "off"},
    {"", "", "", "how many calls and messages a profile keeps of each rank", "TUTTI_TRACE_EVENTS",
     "0; 16384 with --trace"},
    {"", "", "", "1 or 0: whether ranks share cores; tuttirun sets it", "TUTTI_SHARED_CORES",
     "whether ranks outnumber cores"},
    {"", "", "", "cores that each rank has to itself", "TUTTI_CORES", "an equal share of the machine's"},
    {"", "", "", "threads of a reduction of 4M or more", "TUTTI_REDUCE_THREADS",
     "the rank's cores, at most 8"},
    {"", "", "", "on or off: whether libfabric reads and writes memory of other machines' ranks",
     "TUTTI_FABRIC_RMA", "on"},
    {"", "", "", "congestion control between ranks, or system", "TUTTI_TCP_CONGESTION",
     "the system's, but never bbr"},
    {"", "", "", "1 or 0: whether the message of a crash or an abort says where it was", "TUTTI_CRASH_STACKS",
     "1"},
    {"", "", "", "where it is set, ranks print which network they use; tuttirun -v sets it", "TUTTI_VERBOSE",
     "not set"},
    {"", "", "", "JSON file of rules that come before the built-in ones", "TUTTI_RULES", "none"},
    {"", "", "", "", "TUTTI_BARRIER", kByRules},
    {"", "", "", "", "TUTTI_BROADCAST", kByRules},
    {"", "", "", "", "TUTTI_REDUCE", kByRules},
    {"", "", "", "", "TUTTI_ALLREDUCE", kByRules},
    {"", "", "", "", "TUTTI_REDUCE_SCATTER", kByRules},
    {"", "", "", "", "TUTTI_SCAN", kByRules},
    {"", "", "", "", "TUTTI_EXSCAN", kByRules},
    {"", "", "", "", "TUTTI_ALLGATHER", kByRules},
    {"", "", "", "", "TUTTI_ALLGATHERV", kByRules},
    {"", "", "", "", "TUTTI_GATHER", kByRules},
    {"", "", "", "", "TUTTI_GATHERV", kByRules},
    {"", "", "", "", "TUTTI_SCATTER", kByRules},
    {"", "", "", "", "TUTTI_SCATTERV", kByRules},
    {"", "", "", "", "TUTTI_ALLTOALL", kByRules},
    {"", "", "", "", "TUTTI_ALLTOALLV", kByRules},
    {"", "", "", "files of settings in place of the site's and the user's, or none; see tutti-info --config",
     "TUTTI_CONF", "the site's file and the user's", "it says which files are read"},
    {"", "", "", "the rank's number among those of its machine, from 0; tuttirun sets it", "TUTTI_LOCAL_RANK",
     "not set", kByLauncher},
    {"", "", "", "how many ranks of the job its machine has; tuttirun sets it", "TUTTI_LOCAL_SIZE", "not set",
     kByLauncher},
    {"", "", "", "the pipe behind which a terminal shows what ranks write; tuttirun sets it",
     "TUTTI_TERMINAL", "not set", kByLauncher},
    {"", "", "", "the rank's channel to its daemon; tuttirun sets it", "TUTTI_CONTROL", "not set",
     kByLauncher},
    {"", "", "", "a mark: other libraries' numbers of ranks are tuttirun's; tuttirun sets it",
     "TUTTI_RANK_NUMBERS", "not set", kByLauncher},
    {"", "", "", "threads of a rank; unset, tuttirun sets it to the rank's cores", "OMP_NUM_THREADS",
     "the rank's cores", kNotTuttis},
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

}  // namespace tutti::settings
