#include "lib/communicator/reachability.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "lib/communicator/communicator_state.hpp"
#include "lib/communicator/process.hpp"
#include "tutti/communicator.hpp"
#include "tutti/environment.hpp"

namespace tutti {

namespace {

// The lowest rank of each node, in the order of these ranks.
std::vector<int> leaders_of(std::span<const int> node_of_rank)
{
    std::set<int> seen;
    std::vector<int> leaders;
    for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank) {
        if (seen.insert(node_of_rank[static_cast<std::size_t>(rank)]).second)
            leaders.push_back(rank);
    }
    return leaders;
}

}  // namespace

namespace detail {

std::vector<int> nodes_asked(int node, int nodes)
{
    std::set<int> asked;
    for (int distance = 1; distance < nodes;
         distance = nodes <= kMostNodesAsked ? distance + 1 : 2 * distance) {
        asked.insert((node + distance) % nodes);
        asked.insert((node + nodes - distance) % nodes);
    }
    return {asked.begin(), asked.end()};
}

}  // namespace detail

void Environment::prove_reachability() const
{
    detail::Process& process = *process_;
    const std::vector<int> leaders = leaders_of(process.bootstrap().node_of_rank());
    const auto own = std::ranges::find(leaders, process.rank());
    if (leaders.size() < 2 || own == leaders.end())
        return;
    const auto node = static_cast<int>(own - leaders.begin());
    const Communicator among(
        std::make_shared<detail::CommunicatorState>(process, detail::kLeadersContext, leaders, node));
    std::span<std::byte> nothing;
    std::vector<Request> requests;
    for (const int other : detail::nodes_asked(node, static_cast<int>(leaders.size()))) {
        requests.push_back(among.irecv(nothing, other, 0));
        requests.push_back(among.isend(nothing, other, 0));
    }
    wait_all(requests);
}

}  // namespace tutti
