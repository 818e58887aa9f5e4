#include "benchmarks/peers/contender.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace tutti::bench {

namespace {

namespace fs = std::filesystem;

// The full path, or an empty path.
fs::path find_in_path(const std::string& program)
{
    const char* variable = std::getenv("PATH");
    std::istringstream folders(variable != nullptr ? variable : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder) / program;
        if (access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return {};
}

// The first missing part, or nothing.
std::string missing_part(const Contender& contender)
{
    for (const fs::path& part : {contender.launcher, contender.benchmark}) {
        if (part.empty() || access(part.c_str(), X_OK) != 0)
            return part.empty() ? "its launcher" : part.string();
    }
    if (!contender.empty.empty() && access(contender.empty.c_str(), X_OK) != 0)
        return contender.empty.string();
    return {};
}

// "a:2,b:2"
std::string with_slots(const std::vector<std::string>& hosts, int slots)
{
    std::string list;
    for (const std::string& host : hosts)
        list += fmt::format("{}{}:{}", list.empty() ? "" : ",", host, slots);
    return list;
}

// How each library is told the hosts and the interface.
std::vector<std::string> placement(const std::string& library, int ranks_per_host, int cores,
                                   const Hosts& hosts)
{
    std::vector<std::string> words;
    if (hosts.names.empty())
        return words;
    const bool named = !hosts.interface.empty();
    if (library == "mpich") {
        words = {"-hosts", with_slots(hosts.names, ranks_per_host)};
        if (named)
            words.insert(words.end(), {"-env", "UCX_NET_DEVICES", hosts.interface});
    } else if (library == "openmpi") {
        // No more slots than cores. Its own TCP transport is what Tutti's is held against; MPICH has UCX's.
        words = {"-H",    with_slots(hosts.names, std::min(ranks_per_host, cores)),
                 "--mca", "pml",
                 "ob1",   "--mca",
                 "btl",   "tcp,vader,self"};
        if (named)
            words.insert(words.end(), {"--mca", "btl_tcp_if_include", hosts.interface});
    } else {
        words = {"-H", with_slots(hosts.names, ranks_per_host)};
        if (named)
            words.insert(words.end(), {"--interface", hosts.interface});
    }
    return words;
}

// The launcher, and the folder of the programs that are compared: as they are installed, or in a build
// folder.
std::pair<fs::path, fs::path> programs_around(const fs::path& here)
{
    if (fs::exists(here / "tuttirun"))
        return {here / "tuttirun", (here / TUTTI_PROGRAMS_FROM_BIN).lexically_normal()};
    return {here.parent_path() / "launcher" / "tuttirun", here};
}

}  // namespace

int usable_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return std::max(1, CPU_COUNT(&set));
}

std::vector<std::string> Contender::command(int ranks, Binding binding, const Hosts& hosts,
                                            const fs::path& program,
                                            const std::vector<std::string>& arguments) const
{
    std::vector<std::string> words{launcher.string()};
    const int cores = usable_cores();
    const int ranks_per_host = ranks / std::max(1, static_cast<int>(hosts.names.size()));
    const std::string where = binding == Binding::core ? "core" : "none";
    // Tutti takes both dialects; it is asked in Open MPI's.
    words.insert(words.end(), {name == "mpich" ? "-bind-to" : "--bind-to", where});
    // Only where it is needed: with more ranks than cores it must yield when idle, which it does not find out
    // by itself over hosts.
    if (name == "openmpi" && ranks_per_host > cores)
        words.insert(words.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
    const std::vector<std::string> placed = placement(name, ranks_per_host, cores, hosts);
    words.insert(words.end(), placed.begin(), placed.end());
    words.insert(words.end(), {"-n", std::to_string(ranks), program.string()});
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

bool Contender::offers(std::string_view benchmark_name) const
{
    if (benchmark_name == "launch")
        return !empty.empty();
    return only.empty() || std::find(only.begin(), only.end(), benchmark_name) != only.end();
}

std::vector<Contender> find_contenders(const std::optional<std::vector<std::string>>& peers)
{
    // Where this program is, not where it was started: the build folder may be anywhere.
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    const auto& [tuttirun, programs] = programs_around(here);
    const std::vector<Contender> known = {
        {"tutti", "Tutti", tuttirun, here / "tutti-bench", programs / "empty-tutti"},
        {"openmpi", "Open MPI", find_in_path("mpirun.openmpi"), programs / "peer-bench-openmpi",
         programs / "empty-openmpi"},
        {"mpich", "MPICH", find_in_path("mpirun.mpich"), programs / "peer-bench-mpich",
         programs / "empty-mpich"},
        // It has no launcher of its own.
        {"gloo",
         "Gloo",
         tuttirun,
         programs / "peer-bench-gloo",
         {},
         {"barrier", "broadcast", "allreduce", "allgather", "reduce_scatter", "alltoall"}}};
    std::vector<Contender> found;
    for (const Contender& contender : known) {
        const bool named = peers && std::find(peers->begin(), peers->end(), contender.name) != peers->end();
        if (peers && !named && contender.name != "tutti")
            continue;
        const std::string missing = missing_part(contender);
        if (missing.empty())
            found.push_back(contender);
        else if (contender.name == "tutti")
            throw std::runtime_error(
                fmt::format("{} is missing: build, or install, all of Tutti first", missing));
        else if (named)
            throw std::runtime_error(
                fmt::format("{} cannot take part: {} is missing (install it and configure again)",
                            contender.title, missing));
        else
            fmt::print(stderr, "{} is left out: {} is missing (install it and configure again)\n",
                       contender.title, missing);
    }
    return found;
}

const Variables& contender_variables()
{
    static const Variables variables = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    return variables;
}

}  // namespace tutti::bench
