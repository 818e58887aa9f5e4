#include "lib/core/diagnosis/absent_ranks.hpp"

#include "lib/core/communicators/call_signature.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/diagnosis/awaited.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/process/rank_contact.hpp"

namespace tutti::detail {

using protocol::FrameKind;

struct AbsentRanks::Header {
    protocol::Lead lead;
    std::uint32_t rank;          // the sender's, in the communicator
    std::uint32_t number;        // of the call; the lost member in call_lost
    std::uint64_t has_left = 0;  // this and the next in call_lost
    std::uint64_t withdrawn_from = 0;  // a call's number plus 1; 0: the member is lost
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
    withdrawn_from_[state.collective_context()] = state.next_number();
    tell(state, loss->second);
}

void AbsentRanks::tell(const CommunicatorState& state, const Loss& loss)
{
    send_all(state,
             {protocol::Lead::of(FrameKind::call_lost, state.collective_context()),
              static_cast<std::uint32_t>(state.rank()), static_cast<std::uint32_t>(loss.member),
              std::uint64_t{loss.has_left},
              loss.has_withdrawn ? std::uint64_t{withdrawn_from_.at(state.collective_context())} + 1 : 0},
             std::as_bytes(std::span(loss.why)));
}

void AbsentRanks::check(std::uint64_t collective_context, bool in_create_from)
{
    const auto loss = losses_.find(collective_context);
    if (loss != losses_.end() && !loss->second.has_withdrawn)
        process_.communicators().with(collective_context, [&](const CommunicatorState& state) {
            if (in_create_from)
                state.raise_lost(loss->second.member, nullptr, ErrorCode::peer_lost, "create_from");
            state.raise_lost_in_latest_call(loss->second.member);
        });
}

bool AbsentRanks::is_without(std::uint64_t context, std::uint32_t number) const
{
    const auto from = withdrawn_from_.find(context);
    return from != withdrawn_from_.end() && static_cast<std::int32_t>(number - from->second) >= 0;
}

// What this rank sends may wait for ever in calls that it has given up itself; only receives count, and the
// call that the program is in. One in the midst of which the other rank has failed ends late.
void AbsentRanks::check_withdrawn(std::int64_t waited_ns)
{
    constexpr std::int64_t kLateNs = 2'000'000'000;
    if (withdrawn_from_.empty())
        return;
    const CallPlace own =
        process_.thread_level() != ThreadLevel::multiple ? process_.waits().call() : CallPlace();
    for (const Awaited& each : awaited_by(process_)) {
        if (!withdrawn_from_.contains(each.key.context) ||
            (each.kind != Awaited::Kind::message && each.kind != Awaited::Kind::receive))
            continue;
        process_.communicators().with(each.key.context, [&](const CommunicatorState& state) {
            const std::uint32_t number =
                state.whole_number(CallMark::of(each.key.source(), each.key.tag()).number());
            const bool counts =
                each.kind == Awaited::Kind::message || own == CallPlace{each.key.context, number};
            if (counts && (is_without(each.key.context, number) || waited_ns >= kLateNs))
                state.raise_lost_in_latest_call(losses_.at(each.key.context).member);
        });
    }
}

void AbsentRanks::note(const CommunicatorState& state, const Header& header, std::span<const std::byte> why)
{
    const std::uint64_t context = state.collective_context();
    const auto member = static_cast<int>(header.number);
    if (member < 0 || member >= state.size())
        return;
    const bool has_withdrawn = header.withdrawn_from != 0;
    const bool is_first =
        losses_
            .try_emplace(context, Loss{member,
                                       {reinterpret_cast<const char*>(why.data()), why.size()},
                                       header.has_left != 0,
                                       has_withdrawn})
            .second;
    if (is_first && has_withdrawn)
        withdrawn_from_[context] = static_cast<std::uint32_t>(header.withdrawn_from - 1);
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
        if (header.lead.kind() == FrameKind::call_lost)
            return note(state, header, payload);
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
