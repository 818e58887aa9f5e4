#include "tutti/introspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "collectives/choice/catalogue.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/foundation/network/interface_choice.hpp"
#include "lib/foundation/settings/cores.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti {

std::vector<CollectiveInfo> known_collectives()
{
    std::vector<CollectiveInfo> known;
    for (const collectives::CollectiveEntry& entry : collectives::catalogue())
        known.push_back({entry.name, entry.variable});
    return known;
}

std::vector<AlgorithmInfo> usable_algorithms(std::string_view collective, const CallSituation& call)
{
    const auto entry =
        std::ranges::find(collectives::catalogue(), collective, &collectives::CollectiveEntry::name);
    if (entry == collectives::catalogue().end())
        detail::refuse("usable_algorithms",
                       fmt::format("there is no collective \"{}\"; there is {}", collective,
                                   fmt::join(collectives::names_of_collectives(), ", ")));
    std::optional<collectives::NodeMap> nodes;
    if (!call.node_of_rank.empty())
        nodes.emplace(call.node_of_rank);
    if (nodes && nodes->count() == 1)
        nodes.reset();
    collectives::Situation situation{
        .ranks = call.ranks, .size_bytes = call.size_bytes, .placement = {}, .commutative = call.commutative};
    situation.placement.one_node = !nodes;
    situation.placement.nodes = nodes ? &*nodes : nullptr;
    situation.placement.more_ranks_than_cores = call.more_ranks_than_cores;
    if (!nodes && call.ranks > 1)
        situation.placement.add_board<transport::shm::NodeBoard>();

    const auto usual = std::ranges::find_if(
        entry->rules, [&](const collectives::Rule& rule) { return fits(rule, situation); });
    std::vector<AlgorithmInfo> usable{{usual->algorithm, usual->segment_bytes, needs_board(usual->needs)}};
    for (const collectives::AlgorithmTraits& algorithm : entry->algorithms)
        if (algorithm.name != usual->algorithm && is_met(algorithm.needs, situation))
            usable.push_back({algorithm.name, algorithm.has_segments ? collectives::kDefaultSegmentBytes : 0,
                              needs_board(algorithm.needs)});
    return usable;
}

ProgressInfo progress_of(const Communicator& communicator)
{
    detail::Process& process = CommunicatorAccess::state_of(communicator)->process();
    const int local_ranks = static_cast<int>(process.bootstrap().local_peers().size());
    return {process.engine().has_thread(), settings::cores_owned(local_ranks)};
}

std::vector<std::string> addresses_of_host()
try {
    std::vector<std::string> known;
    for (const network::LocalAddress& local :
         network::InterfaceChoice::from_settings().choose(network::local_addresses(), "this host"))
        known.push_back(local.address.to_string());
    return known;
} catch (const Error&) {
    return {};
}

void outlives_environment(const Communicator& communicator)
{
    CommunicatorAccess::state_of(communicator)->let_outlive_environment();
}

void name_in_reports(const Communicator& communicator, std::string_view name)
{
    CommunicatorAccess::state_of(communicator)->set_name(name);
}

}  // namespace tutti
