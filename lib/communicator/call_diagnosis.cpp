#include "lib/communicator/call_diagnosis.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "lib/communicator/communicator_state.hpp"

namespace tutti::detail {

namespace {

using protocol::CallHeader;
using protocol::FrameKind;

// Unexpected messages looked at: one of a wrong call is never taken, so it is among the oldest before long.
constexpr std::size_t kMostMessages = 256;
// After this a message of another call is enough, though its sender has not said what it calls.
constexpr std::int64_t kAnswerNs = 1'500'000'000;

// A call of this rank, and what has come of another one with its number.
struct Contradiction {
    int rank;  // in the communicator
    std::uint32_t number;
    CallSignature mine;
    std::string theirs;
};

std::optional<Contradiction> contradiction(const CommunicatorState& state,
                                           const protocol::UnexpectedRequest& message)
{
    const CallMark mark = CallMark::of(message.envelope.source(), message.envelope.tag());
    if (mark.tag >= CommunicatorState::kCreateTags)
        return std::nullopt;
    const std::uint32_t number = state.whole_number(mark.number());
    const CallSignature* const mine = state.calls().find(number);
    if (mine == nullptr || mark == CallMark(number, *mine))
        return std::nullopt;
    std::string theirs =
        mark.kind() == mine->kind()
            ? fmt::format("another {}, with other arguments (a message of {} bytes of it has come)",
                          name_of(mark.kind()), message.total_bytes)
            : fmt::format("{} (a message of {} bytes of it has come)", name_of(mark.kind()),
                          message.total_bytes);
    return Contradiction{CallMark::rank_of(message.envelope.source()), number, *mine, std::move(theirs)};
}

CallHeader header_of(FrameKind kind, const CommunicatorState& state, std::uint32_t number,
                     const CallSignature& signature) noexcept
{
    return {protocol::Lead::of(kind, state.collective_context()), static_cast<std::uint32_t>(state.rank()),
            number, signature.words()};
}

}  // namespace

void CommunicatorTable::add(CommunicatorState& state)
{
    const std::lock_guard lock(mutex_);
    states_[state.collective_context()] = &state;
}

void CommunicatorTable::remove(const CommunicatorState& state) noexcept
{
    const std::lock_guard lock(mutex_);
    states_.erase(state.collective_context());
}

template <class Found>
void CallDiagnosis::for_each_contradiction(Found&& found)
{
    protocol_.for_each_unexpected(kMostMessages, [&](const protocol::UnexpectedRequest& message) {
        communicators_->with(message.envelope.context, [&](const CommunicatorState& state) {
            if (const auto other = contradiction(state, message))
                found(state, *other);
        });
    });
}

void CallDiagnosis::look(std::int64_t waited_ns)
{
    Questions questions;
    add_awaited(questions);
    for_each_contradiction([&](const CommunicatorState& state, const Contradiction& other) {
        if (waited_ns >= kAnswerNs)
            throw mismatch(other.mine, other.rank, other.theirs);
        add(questions, state, state.world_rank(other.rank), other.number);
    });
    ask(questions);
}

void CallDiagnosis::review()
{
    if (protocol_.unexpected_count() == 0)
        return;
    Questions questions;
    for_each_contradiction([&](const CommunicatorState& state, const Contradiction& other) {
        // Asked at the last review.
        if (state.next_number() - other.number > CommunicatorState::kCallsPerReview)
            throw mismatch(other.mine, other.rank, other.theirs);
        add(questions, state, state.world_rank(other.rank), other.number);
    });
    ask(questions);
}

void CallDiagnosis::conclude()
{
    for_each_contradiction([&](const CommunicatorState&, const Contradiction& other) {
        throw mismatch(other.mine, other.rank, other.theirs);
    });
}

void CallDiagnosis::check_reuse(const CommunicatorState& state)
{
    constexpr std::uint32_t kHalf = (CallMark::kNumberMask + 1) / 2;
    protocol_.for_each_waiting([&](const matching::MatchKey& key, int) {
        if (key.context != state.collective_context() || key.tag() >= CommunicatorState::kCreateTags)
            return;
        const std::uint32_t number = CallMark::of(key.source(), key.tag()).number();
        if ((number & kHalf) == (state.next_number() & kHalf))
            throw Error(ErrorCode::not_supported, "collective",
                        fmt::format("a collective is still under way after {} later ones on its "
                                    "communicator: wait for its request first",
                                    kHalf));
    });
}

void CallDiagnosis::add(Questions& questions, const CommunicatorState& state, int peer, std::uint32_t number)
{
    const auto [entry, is_new] = questions.try_emplace({state.collective_context(), peer}, number);
    if (!is_new && state.next_number() - number > state.next_number() - entry->second)
        entry->second = number;
}

// The ranks that this one waits for: for messages, for their taking one, or at the board.
void CallDiagnosis::add_awaited(Questions& questions)
{
    protocol_.for_each_waiting([&](const matching::MatchKey& key, int peer) {
        if (key.tag() >= CommunicatorState::kCreateTags || peer < 0)
            return;
        communicators_->with(key.context, [&](const CommunicatorState& state) {
            add(questions, state, peer, state.whole_number(CallMark::of(key.source(), key.tag()).number()));
        });
    });
    communicators_->for_each([&](const CommunicatorState& state) {
        for (const int rank : state.awaited_at_board())
            add(questions, state, state.world_rank(rank), state.next_number() - 1);
    });
}

void CallDiagnosis::ask(const Questions& questions)
{
    for (const auto& [whom, number] : questions) {
        communicators_->with(whom.first,
                             [&, peer = whom.second, what = number](const CommunicatorState& state) {
                                 tell(FrameKind::call_inquiry, state, peer, what);
                             });
    }
}

void CallDiagnosis::tell(FrameKind kind, const CommunicatorState& state, int peer, std::uint32_t number)
{
    const CallSignature* const mine = state.calls().find(number);
    if (mine == nullptr)
        return;
    try {
        protocol_.tell_call(peer, header_of(kind, state, number, *mine));
    } catch (const Error&) {
        // It has left, or cannot be reached: then this rank hears of that.
    }
}

std::string CallDiagnosis::other_call(const CommunicatorState& of, int rank, std::uint32_t number)
{
    std::string text;
    for_each_contradiction([&](const CommunicatorState& state, const Contradiction& other) {
        if (&state == &of && other.rank == rank && other.number == number)
            text = other.theirs;
    });
    return text;
}

void CallDiagnosis::heard(int peer, const CallHeader& call)
{
    communicators_->with(call.lead.context(), [&](const CommunicatorState& state) {
        if (call.rank >= static_cast<std::uint32_t>(state.size()) ||
            state.world_rank(static_cast<int>(call.rank)) != peer)
            throw Error(
                ErrorCode::protocol, "progress",
                fmt::format("rank {} of the job speaks for rank {} of a communicator, which it is not; "
                            "check that all ranks run the same version of Tutti",
                            peer, call.rank),
                peer);
        const CallSignature theirs(call.signature);
        const CallSignature* const mine = state.calls().find(call.number);
        if (mine == nullptr || *mine == theirs)
            return;
        if (call.lead.kind() == FrameKind::call_inquiry)
            tell(FrameKind::call_differs, state, peer, call.number);
        throw mismatch(*mine, static_cast<int>(call.rank), theirs.describe());
    });
}

}  // namespace tutti::detail
