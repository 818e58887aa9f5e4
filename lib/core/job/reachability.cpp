#include "lib/core/job/reachability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti {

namespace {

// The lowest rank of each node, ascending.
std::vector<int> leaders_of(std::span<const int> node_of_rank)
{
    std::set<int> nodes;
    std::vector<int> leaders;
    for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank)
        if (nodes.insert(node_of_rank[static_cast<std::size_t>(rank)]).second)
            leaders.push_back(rank);
    return leaders;
}

// All these ranks have published their contacts and make the same checks; none computes yet. So a peer that
// is silent for this time is stopped, or is no rank.
constexpr std::int64_t kSilenceNs = 10'000'000'000;

// Waits until all requests are complete, but at most kSilenceNs.
bool are_complete_soon(detail::Process& process, std::span<const Request> requests)
{
    progress::Engine::Lock lock = process.engine().lock();
    const std::int64_t until_ns = base::now_ns() + kSilenceNs;
    const auto is_done = [](const Request& request) {
        return !request.active() || RequestAccess::state(request)->done;
    };
    const auto are_done = [&] { return std::ranges::all_of(requests, is_done); };
    process.engine().wait(lock, [&] { return are_done() || base::now_ns() >= until_ns; });
    return are_done();
}

void report_silent_peer(detail::Process& process, int peer)
{
    for (const auto& transport : process.engine().transports()) {
        if (const std::string where = transport->silent_at(peer); !where.empty())
            base::say(
                fmt::format("tutti: rank {} waits for rank {} on host {}: the process that took the "
                            "connection says nothing at "
                            "{}; somebody else has that address, or the process is stopped\n",
                            process.rank(), peer, process.bootstrap().host_of(peer), where));
    }
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

void detail::prove_reachability(Process& process)
{
    const std::vector<int> leaders = leaders_of(process.bootstrap().node_of_rank());
    const auto own = std::ranges::find(leaders, process.rank());
    if (leaders.size() < 2 || own == leaders.end())
        return;
    const auto node = static_cast<int>(own - leaders.begin());
    const Communicator among = CommunicatorAccess::handle_of(std::make_shared<CommunicatorState>(
        process, kLeadersContext, std::make_shared<const std::vector<int>>(leaders), node));
    std::span<std::byte> nothing;
    std::vector<Request> requests;
    const std::vector<int> asked = detail::nodes_asked(node, static_cast<int>(leaders.size()));
    for (const int other : asked) {
        requests.push_back(among.irecv(nothing, other, 0));
        requests.push_back(among.isend(nothing, other, 0));
    }
    if (!are_complete_soon(process, requests)) {
        const auto lock = process.engine().lock();
        for (const int other : asked)
            report_silent_peer(process, leaders[static_cast<std::size_t>(other)]);
    }
    wait_all(requests);
}

}  // namespace tutti
