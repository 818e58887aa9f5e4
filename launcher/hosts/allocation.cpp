#include "launcher/hosts/allocation.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

#include <unistd.h>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/hosts.hpp"

namespace tutti::launcher {
namespace {

/// Where a resource manager writes its hosts. With `counts` a line is "host slots ...", as Grid Engine's;
/// else each line is one slot, as those of PBS and LSF.
struct Manager {
    const char* job;  // a variable that only its jobs have
    const char* file;
    bool counts;
    const char* agent;  // nullptr: ssh
};
constexpr std::array<Manager, 3> kManagers = {{{"PBS_JOBID", "PBS_NODEFILE", false, nullptr},
                                               {"LSB_JOBID", "LSB_DJOB_HOSTFILE", false, "blaunch"},
                                               {"JOB_ID", "PE_HOSTFILE", true, "qrsh -inherit -V"}}};

/// The variables of another launcher: for its hostfile, and for the command that reaches other hosts.
struct OtherLauncher {
    const char* hostfile;
    const char* agent;
    const char* agent_arguments;  // added to ssh's
};
constexpr std::array<OtherLauncher, 4> kOtherLaunchers = {
    {{"OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_agent", "OMPI_MCA_plm_rsh_args"},
     {"PRTE_MCA_prte_default_hostfile", "PRTE_MCA_plm_ssh_agent", "PRTE_MCA_plm_ssh_args"},
     {"HYDRA_HOST_FILE", "HYDRA_LAUNCHER_EXEC", "HYDRA_LAUNCH_EXTRA_ARGS"},
     {"I_MPI_HYDRA_HOST_FILE", "I_MPI_HYDRA_BOOTSTRAP_EXEC", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS"}}};

std::vector<std::string> words_of(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(std::move(word));
    return words;
}

bool is_on_path(const std::string& program)
{
    std::istringstream folders(environment_variable("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + program).c_str(), X_OK) == 0)
            return true;
    return false;
}

/// Words as a command, where this machine has it; empty where not.
std::vector<std::string> command_of(const char* text)
{
    std::vector<std::string> words = text == nullptr ? std::vector<std::string>{} : words_of(text);
    return !words.empty() && is_on_path(words.front()) ? words : std::vector<std::string>{};
}

Host host_with(std::string_view where, const std::string& name, const std::string& slots)
{
    check_host_name(where, name);
    Host host{name};
    host.slots = parse_number(where, "number of slots", slots, 1, kMaxRanks);
    host.slots_given = true;
    return host;
}

/// Slots of a host that is named several times add up later.
std::vector<Host> read_hosts(const Manager& manager, const std::string& path)
{
    std::vector<Host> hosts;
    std::istringstream lines(read_small_file(manager.file, path));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::vector<std::string> words = words_of(line);
        if (words.empty())
            continue;
        const std::string where = fmt::format("{}: {}:{}", manager.file, path, number);
        if (manager.counts && words.size() < 2)
            throw UsageError(
                fmt::format("{}: '{}' has no number of slots; name the hosts by -H", where, line));
        hosts.push_back(host_with(where, words[0], manager.counts ? words[1] : "1"));
    }
    if (hosts.empty())
        throw UsageError(fmt::format("{}: '{}' names no host; name the hosts by -H", manager.file, path));
    return hosts;
}

std::optional<Allocation> of_manager(const Manager& manager)
{
    const std::string path = environment_variable(manager.file);
    if (environment_variable(manager.job).empty() || path.empty())
        return std::nullopt;
    return Allocation{read_hosts(manager, path), command_of(manager.agent)};
}

/// LSF without a file: "a 4 b 2".
std::optional<Allocation> of_lsf_list()
{
    constexpr const char* kList = "LSB_MCPU_HOSTS";
    const std::vector<std::string> words = words_of(environment_variable(kList));
    if (environment_variable("LSB_JOBID").empty() || words.empty())
        return std::nullopt;
    if (words.size() % 2 != 0) {
        throw UsageError(fmt::format("{}: the last host, '{}', has no number of slots; name the hosts by -H",
                                     kList, words.back()));
    }
    Allocation allocation{{}, command_of("blaunch")};
    for (std::size_t i = 0; i < words.size(); i += 2)
        allocation.hosts.push_back(host_with(kList, words[i], words[i + 1]));
    return allocation;
}

/// The hosts of a Flux job, which a command lists. It gives no slots: a rank a core.
std::optional<Allocation> of_flux()
{
    if (environment_variable("FLUX_URI").empty() || !is_on_path("flux"))
        return std::nullopt;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen("flux getattr hostlist", "re"),
                                                                 ::pclose);
    std::array<char, 1 << 16> text{};
    const std::size_t length = output ? std::fread(text.data(), 1, text.size(), output.get()) : 0;
    const std::vector<std::string> words = words_of({text.data(), length});
    if (words.size() != 1)
        throw UsageError("'flux getattr hostlist' gave no list of hosts; name the hosts by -H");
    Allocation allocation;
    for (std::string& name : expand_host_list("flux getattr hostlist", words.front()))
        allocation.hosts.push_back({std::move(name)});
    return allocation;
}

std::optional<Allocation> of_launcher(const OtherLauncher& launcher)
{
    const std::string path = environment_variable(launcher.hostfile);
    if (path.empty())
        return std::nullopt;
    Allocation allocation{read_hostfile(path), words_of(environment_variable(launcher.agent))};
    const std::vector<std::string> arguments = words_of(environment_variable(launcher.agent_arguments));
    if (allocation.agent.empty() && !arguments.empty())
        allocation.agent = {"ssh"};
    allocation.agent.insert(allocation.agent.end(), arguments.begin(), arguments.end());
    return allocation;
}

}  // namespace

std::optional<Allocation> other_allocation()
{
    for (const Manager& manager : kManagers)
        if (std::optional<Allocation> found = of_manager(manager))
            return found;
    for (auto* of : {of_lsf_list, of_flux})
        if (std::optional<Allocation> found = of())
            return found;
    for (const OtherLauncher& launcher : kOtherLaunchers)
        if (std::optional<Allocation> found = of_launcher(launcher))
            return found;
    return std::nullopt;
}

}  // namespace tutti::launcher
