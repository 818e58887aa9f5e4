#include "benchmarks/peers/contender.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "benchmarks/peers/installation.hpp"
#include "benchmarks/suite/command_line/benchmark_catalogue.hpp"

namespace tutti::bench {

namespace {

namespace fs = std::filesystem;

std::string title_of(const std::string& library)
{
    return library == "openmpi" ? "Open MPI" : "MPICH";
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
std::vector<std::string> placement(const Contender& contender, int ranks_per_host, int cores,
                                   const Hosts& hosts)
{
    const std::string library = contender.library();
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
        words = {
            "-H",  with_slots(hosts.names, std::min(ranks_per_host, cores)), "--mca", "pml", "ob1", "--mca",
            "btl", contender.major < 5 ? "tcp,vader,self" : "tcp,sm,self"};
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

Contender with_version(Contender peer, const Version& version, const std::string& settings)
{
    peer.major = version.major();
    peer.title += " " + version.number;
    peer.variant = settings;
    if (!settings.empty())
        peer.title += ", " + settings;
    peer.settings = settings_of(version.library, peer.major, settings);
    return peer;
}

// Without its version where a part of it is missing.
Contender built_in(const PeerName& name, const fs::path& tuttirun, const fs::path& programs)
{
    if (name.library == "gloo")  // it has no launcher of its own
        return {"gloo",   "Gloo",
                tuttirun, programs / "peer-bench-gloo",
                {},       {"barrier", "broadcast", "allreduce", "allgather", "reduce_scatter", "alltoall"}};
    const Contender peer{name.text(), title_of(name.library), find_in_path("mpirun." + name.library),
                         programs / ("peer-bench-" + name.library), programs / ("empty-" + name.library)};
    return missing_part(peer).empty() ? with_version(peer, version_of(peer.launcher), name.settings) : peer;
}

Contender at_path(PeerName name, const fs::path& programs)
{
    const Installation installation = installation_at(name);
    name.library = installation.version.library;
    parse_peer(name.text());  // whether this library has such settings
    const fs::path built = built_for(installation, programs);
    return with_version(
        {name.text(), title_of(name.library), installation.launcher, built / "peer-bench", built / "empty"},
        installation.version, name.settings);
}

// Only what has buffers that could come from there.
Contender out_of_own_memory(Contender tutti)
{
    tutti.name = kAllocated;
    tutti.variant = "tutti::allocate";
    tutti.title += ", allocate";
    tutti.suite_arguments = {"--memory", "library"};
    for (const Benchmark& benchmark : catalogue()) {
        if (has_memory(benchmark))
            tutti.only.push_back(benchmark.name);
    }
    return tutti;
}

std::vector<PeerName> usual_peers(bool one_host)
{
    std::vector<PeerName> names;
    for (const char* const library : {"openmpi", "mpich"}) {
        names.push_back({.library = library});
        if (one_host)
            names.push_back({.library = library, .settings = "tuned"});
    }
    names.push_back({.library = "gloo"});
    return names;
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
    words.insert(words.end(), {library() == "mpich" ? "-bind-to" : "--bind-to", where});
    // Only where it is needed: with more ranks than cores it must yield when idle, which it does not find out
    // by itself over hosts.
    if (library() == "openmpi" && ranks_per_host > cores)
        words.insert(words.end(), {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
    const std::vector<std::string> placed = placement(*this, ranks_per_host, cores, hosts);
    words.insert(words.end(), placed.begin(), placed.end());
    words.insert(words.end(), settings.words.begin(), settings.words.end());
    words.insert(words.end(), {"-n", std::to_string(ranks), program.string()});
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

bool Contender::offers(std::string_view benchmark_name) const
{
    if (benchmark_name == "launch")
        return !empty.empty() && name != kAllocated;
    return only.empty() || std::find(only.begin(), only.end(), benchmark_name) != only.end();
}

std::vector<Contender> find_contenders(const Invited& invited)
{
    // Where this program is, not where it was started: the build folder may be anywhere.
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    const auto& [tuttirun, programs] = programs_around(here);
    const Contender tutti{"tutti", "Tutti", tuttirun, here / "tutti-bench", programs / "empty-tutti"};
    if (const std::string missing = missing_part(tutti); !missing.empty())
        throw std::runtime_error(
            fmt::format("{} is missing: build, or install, all of Tutti first", missing));
    std::vector<Contender> found{tutti};
    if (invited.both_memories)
        found.push_back(out_of_own_memory(tutti));
    for (const PeerName& name : invited.peers ? *invited.peers : usual_peers(invited.one_host)) {
        const Contender peer =
            name.path.empty() ? built_in(name, tuttirun, programs) : at_path(name, programs);
        const std::string missing = missing_part(peer);
        const auto same = [&](const Contender& one) { return one.name == peer.name; };
        if (missing.empty() && std::ranges::none_of(found, same))
            found.push_back(peer);
        else if (missing.empty())
            fmt::print(stderr, "{} is named twice, and takes part once\n", peer.name);
        else if (invited.peers)
            throw std::runtime_error(fmt::format(
                "{} cannot take part: {} is missing (install it and configure again)", peer.title, missing));
        else if (name.settings.empty())
            fmt::print(stderr, "{} is left out: {} is missing (install it and configure again)\n", peer.title,
                       missing);
    }
    return found;
}

Variables variables_of(const Contender& contender)
{
    Variables variables = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                           {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                           {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
                           {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    variables.insert(variables.end(), contender.settings.variables.begin(),
                     contender.settings.variables.end());
    return variables;
}

}  // namespace tutti::bench
