#include "lib/core/diagnosis/failure_detector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/diagnosis/absent_ranks.hpp"
#include "lib/core/diagnosis/awaited.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/process/rank_contact.hpp"
#include "lib/core/windows/window_service.hpp"

namespace tutti::detail {

namespace {

using transport::Presence;

// How many ranks of unknown state are asked at once: each may need a connection.
constexpr int kMostAsked = 8;
// How many ranks a message names.
constexpr int kMostNamed = 4;

}  // namespace

bool FailureDetector::look()
{
    std::set<int> named;
    std::set<std::uint64_t> anybody;         // contexts
    std::map<std::uint64_t, bool> contexts;  // with whether a wait there is one of create_from
    CommunicatorTable& communicators = process_.communicators();
    process_.windows().fail_waits_for_lost();
    for (const Awaited& each : awaited_by(process_)) {
        if (each.kind == Awaited::Kind::board && process_.protocol().is_lost(each.peer))
            communicators.with(each.key.context, [&](const CommunicatorState& state) {
                state.raise_lost_in_latest_call(each.key.source());
            });
        if (each.kind != Awaited::Kind::window)
            contexts[each.key.context] |= each.key.tag() >= CommunicatorState::kCreateTags;
        if (each.peer >= 0)
            named.insert(each.peer);
        else
            anybody.insert(each.key.context);
    }
    for (const auto& [context, in_create_from] : contexts)
        absent_.check(context, in_create_from);
    bool soon = false;
    std::exception_ptr unanswered;
    for (const int peer : named) {
        try {
            soon |= look_after(peer) == Presence::gone;
        } catch (const Error& error) {
            // A program's own bootstrap may have ended with a rank: others that it lost come first.
            if (error.code() != ErrorCode::bootstrap)
                throw;
            unanswered = std::current_exception();
        }
    }
    for (const std::uint64_t context : anybody) {
        communicators.with(collective_context_of(context),
                           [&](const CommunicatorState& state) { soon |= look_for_anybody(state); });
    }
    if (unanswered && !soon)
        std::rethrow_exception(unanswered);
    return soon;
}

Presence FailureDetector::look_after(int peer)
{
    if (peer == process_.rank())
        return Presence::here;
    if (process_.protocol().is_lost(peer))
        return Presence::gone;
    const auto contact = process_.bootstrap().find(peer, kContactKey);
    if (!contact)
        return Presence::unknown;
    for (const auto& transport : process_.engine().transports()) {
        const auto address = find_address(*contact, transport->name());
        if (address && transport->reach(peer, *address))
            return transport->look_after(peer, *address);
    }
    return Presence::unknown;
}

// Begins with the next rank: waiting ranks then ask different ones, and near ranks are the cheapest to ask.
bool FailureDetector::look_for_anybody(const CommunicatorState& state)
{
    bool all_lost = true;
    int asked = 0;
    const std::vector<int>& peers = state.peers();
    const auto next = static_cast<std::size_t>(state.rank()) + 1;
    for (std::size_t i = 0; i < peers.size() && asked < kMostAsked; ++i) {
        const int peer = peers[(next + i) % peers.size()];
        if (peer == process_.rank() || process_.protocol().is_lost(peer))
            continue;
        all_lost = false;
        const Presence presence = look_after(peer);
        if (presence == Presence::here)
            return false;
        asked += presence == Presence::unknown;
    }
    if (all_lost)
        end_hopeless(state);
    return !all_lost;
}

// Nothing came in this pass, so no message of this rank to itself is on its way. Another of its threads may
// still send, even one that waits for something else now.
void FailureDetector::end_hopeless(const CommunicatorState& state)
{
    if (process_.thread_level() == ThreadLevel::multiple)
        return;
    process_.protocol().fail_awaited_from_anybody(state.context());
    process_.waits().for_each_probe([&](Waits::Probe& probe) {
        probe.hopeless |= probe.context == state.context() && probe.source == any_source;
    });
}

namespace {

std::string nobody_left_in(const CommunicatorState& state, int tag)
{
    const std::string wait =
        fmt::format("rank {} waits for a message from any source with {} in {}", state.rank(),
                    tag == any_tag ? "any tag" : fmt::format("tag {}", tag), state.in_words());
    const std::vector<int>& peers = state.peers();
    const int own = state.process().rank();
    const auto others = std::ranges::count_if(peers, [own](int peer) { return peer != own; });
    if (others == 0)
        return wait + ", in which it is alone: nobody else could send one";
    std::string gone;
    for (std::size_t i = 0, named = 0; i < peers.size() && named < kMostNamed; ++i) {
        if (peers[i] == own)
            continue;
        const bool renamed = std::cmp_not_equal(peers[i], i);
        gone += fmt::format("{}rank {}{}: {}", named++ == 0 ? "" : "; ", i,
                            renamed ? fmt::format(" (rank {} of the job)", peers[i]) : "",
                            state.process().protocol().why_lost(peers[i]));
    }
    if (others > kMostNamed)
        gone += fmt::format("; and {} more", others - kMostNamed);
    return fmt::format("{}, and all others of it are gone: {}", wait, gone);
}

}  // namespace

std::string FailureDetector::nobody_left(std::uint64_t context, int tag)
{
    std::string text = "no rank is left that could send the awaited message";
    process_.communicators().with(collective_context_of(context),
                                  [&](const CommunicatorState& state) { text = nobody_left_in(state, tag); });
    return text;
}

}  // namespace tutti::detail
