#include "lib/core/diagnosis/absent_ranks.hpp"

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/process/rank_contact.hpp"

namespace tutti::detail {

using protocol::FrameKind;

struct AbsentRanks::Header {
    protocol::Lead lead;
    std::uint32_t rank;          // the sender's, in the communicator
    std::uint32_t number;        // of the call; the lost member in call_lost
    std::uint64_t has_left = 0;  // this and the next in call_lost
    std::uint64_t has_withdrawn = 0;
};

AbsentRanks::Loss AbsentRanks::lost(const CommunicatorState& state, int member)
{
    const auto [loss, is_first] = losses_.try_emplace(state.collective_context());
    if (is_first) {
        const int lost = state.world_rank(member);
        loss->second = {member, process_.why_lost(lost), process_.protocol().has_left(lost), false};
        tell(state, loss->second);
    }
    return loss->second;
}

void AbsentRanks::withdraw(const CommunicatorState& state, std::string_view why)
{
    const auto [loss, is_first] = losses_.try_emplace(state.collective_context());
    if (!is_first)
        return;
    loss->second = {state.rank(), std::string(why), false, true};
    tell(state, loss->second);
}

void AbsentRanks::tell(const CommunicatorState& state, const Loss& loss)
{
    send_all(state,
             {protocol::Lead::of(FrameKind::call_lost, state.collective_context()),
              static_cast<std::uint32_t>(state.rank()), static_cast<std::uint32_t>(loss.member),
              std::uint64_t{loss.has_left}, std::uint64_t{loss.has_withdrawn}},
             std::as_bytes(std::span(loss.why)));
}

void AbsentRanks::check(std::uint64_t collective_context, bool in_create_from)
{
    const auto loss = losses_.find(collective_context);
    if (loss != losses_.end())
        process_.communicators().with(collective_context, [&](const CommunicatorState& state) {
            if (in_create_from)
                state.raise_lost(loss->second.member, nullptr, ErrorCode::peer_lost, "create_from");
            state.raise_lost_in_latest_call(loss->second.member);
        });
}

AbsentRanks::Presence& AbsentRanks::presence(std::uint64_t context, std::uint32_t number)
{
    Presence& latest = presences_[context];
    if (latest.number != number)
        latest = {number, {}};
    return latest;
}

std::vector<int> AbsentRanks::absent(progress::Engine::Lock& lock, const CommunicatorState& state,
                                     std::uint32_t number, std::int64_t until_ns)
{
    const std::uint64_t context = state.collective_context();
    presence(context, number).ranks.insert(state.rank());
    send_all(state, {protocol::Lead::of(FrameKind::call_presence_inquiry, context),
                     static_cast<std::uint32_t>(state.rank()), number});
    const auto size = static_cast<std::size_t>(state.size());
    process_.engine().wait(
        lock, [&] { return presence(context, number).ranks.size() == size; }, until_ns);
    std::vector<int> absent;
    for (int member = 0; member < state.size(); ++member)
        if (!presence(context, number).ranks.contains(member))
            absent.push_back(member);
    return absent;
}

void AbsentRanks::frame(int peer, std::span<const std::byte> bytes, std::span<const std::byte> payload)
{
    const Header header = protocol::header_in<Header>(bytes, peer);
    const std::uint64_t context = header.lead.context();
    process_.communicators().with(context, [&](const CommunicatorState& state) {
        const auto rank = static_cast<int>(header.rank);
        if (rank < 0 || rank >= state.size() || state.world_rank(rank) != peer)
            return;
        if (header.lead.kind() == FrameKind::call_lost) {
            const auto member = static_cast<int>(header.number);
            if (member >= 0 && member < state.size())
                losses_.try_emplace(context,
                                    Loss{member,
                                         {reinterpret_cast<const char*>(payload.data()), payload.size()},
                                         header.has_left != 0,
                                         header.has_withdrawn != 0});
            // Before a notice of the other rank's next wait comes, which would be taken for a circle.
            if (header.has_withdrawn != 0 && process_.thread_level() != ThreadLevel::multiple &&
                process_.waits().call().context == context)
                state.raise_lost_in_latest_call(losses_.at(context).member);
            return;
        }
        const bool is_made = static_cast<std::int32_t>(header.number - state.next_number()) < 0;
        presence(context, header.number).ranks.insert(rank);
        if (header.lead.kind() == FrameKind::call_presence_inquiry && is_made)
            send(peer, {protocol::Lead::of(FrameKind::call_presence, context),
                        static_cast<std::uint32_t>(state.rank()), header.number});
    });
}

void AbsentRanks::send(int peer, const Header& header, std::span<const std::byte> payload)
{
    try {
        // A rank that has published no address yet is not connected, and waits for nobody.
        if (peer != process_.rank() && process_.bootstrap().find(peer, kContactKey))
            process_.protocol().notify_if_reachable(peer, header, payload);
    } catch (const Error&) {
        // The bootstrap does not answer any more: it may have ended with the lost rank.
    }
}

void AbsentRanks::send_all(const CommunicatorState& state, const Header& header,
                           std::span<const std::byte> payload)
{
    for (int member = 0; member < state.size(); ++member)
        send(state.world_rank(member), header, payload);
}

}  // namespace tutti::detail
