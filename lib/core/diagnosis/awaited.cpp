#include "lib/core/diagnosis/awaited.hpp"

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/window_service.hpp"

namespace tutti::detail {

std::vector<Awaited> awaited_by(Process& process)
{
    using enum Awaited::Kind;
    std::vector<Awaited> all;
    process.protocol().for_each_waiting(
        [&](const matching::MatchKey& key, int peer, const protocol::SendRequest* send) {
            all.push_back({send == nullptr ? message : receive, peer, key, send});
        });
    process.waits().for_each_probe([&](const Waits::Probe& probe) {
        all.push_back({probed_message, probe.peer, {probe.context, probe.source, any_tag}});
    });
    process.communicators().for_each([&](const CommunicatorState& state) {
        for (const int member : state.awaited_at_board())
            all.push_back({board, state.world_rank(member), {state.collective_context(), member, 0}});
    });
    process.windows().for_each_awaited([&](std::uint64_t context, int peer) {
        all.push_back({window, peer, {context, 0, 0}});
    });
    return all;
}

}  // namespace tutti::detail
