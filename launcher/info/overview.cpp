#include "launcher/info/print.hpp"

#include <fmt/format.h>

#include "collectives/catalogue.hpp"
#include "lib/foundation/reduction/kernels.hpp"

namespace tutti::info {

namespace {

struct Known {
    const char* name;
    const char* meaning;
};

constexpr Known kVariables[] = {
    {"TUTTI_EAGER_LIMIT", "bytes up to which a message leaves without asking the receiver (8K)"},
    {"TUTTI_UNEXPECTED_LIMIT",
     "bytes that one sender may leave with a receiver (64M / ranks, at least 256K, at most 8M)"},
    {"TUTTI_PROGRESS", "calls (operations move on within calls) or thread (a thread of its own moves them)"},
    {"TUTTI_CHECK", "mistakes to look for: on, all, or a list (none); tuttirun --check sets it"},
    {"TUTTI_SHARED_CORES", "1 or 0: whether ranks share cores; tuttirun sets it"},
    {"TUTTI_CORES",
     "cores that each rank has to itself (its mask's, at most an equal share of the machine's)"},
    {"TUTTI_REDUCE_THREADS", "threads of a reduction of 4M or more (the rank's cores, at most 8)"},
    {"TUTTI_HEAP", "on, off or auto: malloc from memory that other ranks of the host can read (auto)"},
    {"TUTTI_FABRIC", "between machines: tcp, ofi or ofi:PROVIDER (ofi where there is RDMA, else tcp)"},
    {"TUTTI_INTERFACE", "networks to use, by name or subnet: eth0,10.1.0.0/16 (what others may reach)"},
    {"TUTTI_FABRIC_RMA",
     "on or off: whether libfabric reads and writes memory of other machines' ranks (on)"},
    {"TUTTI_LAUNCH_AGENT", "what tuttirun starts its daemons with on other machines (ssh)"},
    {"TUTTI_TCP_CONGESTION", "congestion control between ranks, or system (the system's, but never bbr)"},
    {"TUTTI_CONF",
     "files of settings in place of the site's and the user's, or none: see tutti-info --config"},
    {"TUTTI_RULES", "JSON file of rules that come before the built-in ones (none)"},
    {"TUTTI_CRASH_STACKS", "1 or 0: whether it is told where a rank crashes or aborts (1)"},
    {"TUTTI_VERBOSE", "where it is set, ranks tell which network they talk over; tuttirun -v sets it"},
    {"TUTTI_LOCAL_RANK", "the rank's number among those of its machine, from 0; tuttirun sets it"},
    {"TUTTI_LOCAL_SIZE", "how many ranks of the job its machine has; tuttirun sets it"},
    {"TUTTI_TERMINAL", "the pipe behind which somebody sees what ranks write; tuttirun sets it"},
    {"TUTTI_HANG_REPORT", "seconds without a move after which tuttirun tells what ranks wait for (10)"},
    {"MPIEXEC_TIMEOUT", "seconds after which tuttirun ends the job (none)"},
    {"OMP_NUM_THREADS", "threads of a rank; where it is unset, tuttirun sets it to the rank's cores"},
};

std::string value_of(const char* (*environment)(const char*), const char* name)
{
    const char* const value = environment(name);
    return value != nullptr ? value : "";
}

}  // namespace

Overview overview(const char* (*environment)(const char*))
{
    Overview told;
    told.version = TUTTI_VERSION;
    told.compiler = TUTTI_COMPILER;
    told.instruction_set = to_string(reduction::supported_instruction_sets().back());
    told.transports =
        "self (a rank to itself), shm (ranks of one machine), inproc (ranks that are threads), tcp and ofi "
        "(libfabric; ranks of several machines)";
    for (const auto& [name, meaning] : kVariables)
        told.variables.push_back({name, meaning, value_of(environment, name)});
    for (const collectives::CollectiveEntry& entry : collectives::catalogue()) {
        std::vector<std::string> names;
        for (const collectives::AlgorithmTraits& algorithm : entry.algorithms)
            names.push_back(
                fmt::format("{}{}", algorithm.name, algorithm.has_segments ? "[:SEGMENT_BYTES]" : ""));
        told.variables.push_back({entry.variable,
                                  fmt::format("algorithm of {}: {}", entry.name, fmt::join(names, ", ")),
                                  value_of(environment, entry.variable)});
    }
    return told;
}

}  // namespace tutti::info
