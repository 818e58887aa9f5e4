// The hosts of a Slurm allocation.
#include <fmt/format.h>

#include <stdexcept>

#include "launcher/base/option_values.hpp"
#include "launcher/hosts/hosts.hpp"
#include "lib/foundation/network/host_list.hpp"

namespace tutti::launcher {
namespace {

constexpr const char* kNodes = "SLURM_JOB_NODELIST";
constexpr const char* kTasks = "SLURM_TASKS_PER_NODE";
constexpr const char* kCpus = "SLURM_JOB_CPUS_PER_NODE";

static_assert(network::kMostListed == kMaxRanks);

/// What a list is refused with begins with the variable's name.
template <class Expand>
auto in_the_name_of(std::string_view variable, Expand&& expand)
{
    try {
        return expand();
    } catch (const std::invalid_argument& wrong) {
        throw UsageError(fmt::format("{}: {}", variable, wrong.what()));
    }
}

/// Tasks on each node or, where Slurm does not tell, processors.
std::vector<int> slots_per_node(std::size_t nodes)
{
    for (const char* variable : {kTasks, kCpus}) {
        const std::string text = environment_variable(variable);
        if (text.empty())
            continue;
        std::vector<int> counts = expand_counts(variable, text);
        if (counts.size() != nodes) {
            throw UsageError(
                fmt::format("{} has {} hosts, but {}='{}' counts for {}: was one of them changed "
                            "by hand? Name the hosts by -H",
                            kNodes, nodes, variable, text, counts.size()));
        }
        return counts;
    }
    return std::vector<int>(nodes, 1);
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view variable, std::string_view text)
{
    return in_the_name_of(variable, [&] { return network::expand_host_list(text); });
}

std::vector<int> expand_counts(std::string_view variable, std::string_view text)
{
    return in_the_name_of(variable, [&] { return network::expand_counts(text); });
}

std::optional<std::vector<Host>> slurm_allocation()
{
    const std::string nodes = environment_variable(kNodes);
    if (environment_variable("SLURM_JOB_ID").empty() || nodes.empty())
        return std::nullopt;
    std::vector<Host> hosts;
    for (std::string& name : expand_host_list(kNodes, nodes))
        hosts.push_back({std::move(name)});
    const std::vector<int> slots = slots_per_node(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i)
        hosts[i].slots = slots[i];
    return hosts;
}

bool is_this_slurm_node(std::string_view name)
{
    const std::string own = environment_variable("SLURMD_NODENAME");
    return own.empty() ? is_this_host(name) : name == own;
}

}  // namespace tutti::launcher
