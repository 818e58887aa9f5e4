#include "lib/core/diagnosis/call_diagnosis.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/diagnosis/absent_ranks.hpp"
#include "lib/core/diagnosis/awaited.hpp"
#include "lib/core/process/process.hpp"

namespace tutti::detail {

namespace {

using collectives::CallKind;
using protocol::FrameKind;

// The oldest messages to look at: a message of a wrong call stays unexpected, so it soon is among them.
constexpr std::size_t kMostMessages = 256;
// After this time a message of another call is proof enough, even if its sender has not answered.
constexpr std::int64_t kAnswerNs = 1'500'000'000;

// A call of this rank, and a message of another call with the same number.
struct Contradiction {
    int rank;  // in the communicator
    std::uint32_t number;
    CallSignature mine;
    CallMark theirs;
    std::size_t message_bytes;
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
    return Contradiction{CallMark::rank_of(message.envelope.source()), number, *mine, mark,
                         message.total_bytes};
}

// The error of a rank that has not reported its call.
Error error_of(const Contradiction& other)
{
    const std::string come = fmt::format("(a message of {} bytes of it has arrived)", other.message_bytes);
    const CallKind kind = other.theirs.kind();
    if (kind != other.mine.kind())
        return mismatch(other.mine, other.rank, fmt::format("{} {}", name_of(kind), come));
    if (const std::uint8_t algorithm = other.theirs.algorithm_beside(other.mine); algorithm != 0)
        return algorithm_mismatch(other.mine, other.rank, algorithm, come);
    return mismatch(
        other.mine, other.rank,
        fmt::format("another {}, with other arguments or by another algorithm {}", name_of(kind), come));
}

// Checks that `peer` is the communicator's rank that its frame names.
void check_speaker(const CommunicatorState& state, int peer, std::uint32_t rank)
{
    if (rank < static_cast<std::uint32_t>(state.size()) && state.world_rank(static_cast<int>(rank)) == peer)
        return;
    throw Error(ErrorCode::protocol, "progress",
                fmt::format("rank {} of the job sends as rank {} of a communicator, but has another number; "
                            "check that all ranks run the same version of Tutti",
                            peer, rank),
                peer);
}

CallHeader header_of(FrameKind kind, const CommunicatorState& state, std::uint32_t number,
                     const CallSignature& signature) noexcept
{
    return {protocol::Lead::of(kind, state.collective_context()), static_cast<std::uint32_t>(state.rank()),
            number, signature.words()};
}

}  // namespace

template <class Found>
void CallDiagnosis::for_each_contradiction(Found&& found)
{
    process_.protocol().for_each_unexpected(kMostMessages, [&](const protocol::UnexpectedRequest& message) {
        process_.communicators().with(message.envelope.context, [&](const CommunicatorState& state) {
            if (const auto other = contradiction(state, message))
                found(state, *other);
        });
    });
}

void CallDiagnosis::look(std::int64_t waited_ns)
{
    Questions questions;
    for_each_awaited([&](const CommunicatorState& state, int peer, std::uint32_t number) {
        add(questions, state, peer, number);
    });
    for_each_contradiction([&](const CommunicatorState& state, const Contradiction& other) {
        if (waited_ns >= kAnswerNs)
            throw reported(error_of(other));
        add(questions, state, state.world_rank(other.rank), other.number);
    });
    ask(questions);
    if (is_blocked()) {
        chain_began_in_ = process_.waits().call();
        pass_on_wait(static_cast<std::uint32_t>(process_.rank()), ++chains_);
    }
}

void CallDiagnosis::review()
{
    if (process_.protocol().unexpected_count() == 0)
        return;
    Questions questions;
    for_each_contradiction([&](const CommunicatorState& state, const Contradiction& other) {
        // The last review asked already.
        if (state.next_number() - other.number > CommunicatorState::kCallsPerReview)
            throw reported(error_of(other));
        add(questions, state, state.world_rank(other.rank), other.number);
    });
    ask(questions);
}

void CallDiagnosis::conclude()
{
    if (is_reported_)
        return;
    for_each_contradiction(
        [&](const CommunicatorState&, const Contradiction& other) { throw reported(error_of(other)); });
    process_.communicators().for_each([](const CommunicatorState& state) { state.compare_at_board(); });
}

void CallDiagnosis::check_reuse(const CommunicatorState& state)
{
    constexpr std::uint32_t kHalf = (CallMark::kNumberMask + 1) / 2;
    process_.protocol().for_each_waiting([&](const matching::MatchKey& key, int, const auto*) {
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

// Calls visit(communicator, peer, number) for each rank of the job that this one waits for in call `number`.
template <class Visit>
void CallDiagnosis::for_each_awaited(Visit&& visit)
{
    for (const Awaited& each : awaited_by(process_)) {
        const matching::MatchKey& key = each.key;
        if (each.peer < 0 || key.tag() >= CommunicatorState::kCreateTags)
            continue;
        // Only contexts of collectives are found.
        process_.communicators().with(key.context, [&](const CommunicatorState& state) {
            visit(state, each.peer,
                  each.kind == Awaited::Kind::board
                      ? state.next_number() - 1
                      : state.whole_number(CallMark::of(key.source(), key.tag()).number()));
        });
    }
}

// In a call without a rank that has withdrawn, this one is about to fail.
bool CallDiagnosis::is_blocked() const noexcept
{
    const CallPlace call = process_.waits().call();
    return process_.thread_level() != ThreadLevel::multiple && call.is_call() &&
           !absent_.is_without(call.context, call.number);
}

// Tells all ranks that this one waits for which call it blocks in.
void CallDiagnosis::pass_on_wait(std::uint32_t origin, std::uint32_t chain)
{
    const CallPlace place = process_.waits().call();
    std::set<int> awaited;
    for_each_awaited([&](const CommunicatorState& state, int peer, std::uint32_t number) {
        if (state.collective_context() == place.context && number == place.number && peer != process_.rank())
            awaited.insert(peer);
    });
    process_.communicators().with(place.context, [&](const CommunicatorState& own) {
        const CallSignature* const call = own.calls().find(place.number);
        const CallWaitHeader wait{
            protocol::Lead::of(FrameKind::call_wait, place.context),
            static_cast<std::uint32_t>(own.rank()),
            place.number,
            origin,
            chain,
            static_cast<std::uint64_t>(call != nullptr ? call->kind() : CallKind::unnamed)};
        for (const int peer : awaited)
            process_.protocol().notify_if_reachable(peer, wait);
    });
}

void CallDiagnosis::raise_circle(int sender, std::uint64_t kind) const
{
    const CallPlace place = process_.waits().call();
    std::string mine = "a collective";
    process_.communicators().with(place.context, [&](const CommunicatorState& state) {
        if (const CallSignature* const call = state.calls().find(place.number))
            mine = call->describe();
    });
    throw Error(
        ErrorCode::invalid_argument, "collective",
        fmt::format(
            "this rank calls {} of one communicator, which cannot end before rank {} of the job has "
            "ended {} of another communicator; that rank waits for this one: ranks must call collectives "
            "of different communicators in the same order",
            mine, sender, name_of(static_cast<CallKind>(kind))),
        sender);
}

void CallDiagnosis::ask(const Questions& questions)
{
    for (const auto& [whom, number] : questions) {
        process_.communicators().with(whom.first,
                                      [&, peer = whom.second, what = number](const CommunicatorState& state) {
                                          send(FrameKind::call_inquiry, state, peer, what);
                                      });
    }
}

void CallDiagnosis::send(FrameKind kind, const CommunicatorState& state, int peer, std::uint32_t number)
{
    const CallSignature* const mine = state.calls().find(number);
    if (mine != nullptr)
        process_.protocol().notify_if_reachable(peer, header_of(kind, state, number, *mine));
}

void CallDiagnosis::check_other_call(const CommunicatorState& of, int rank, std::uint32_t number)
{
    for_each_contradiction([&](const CommunicatorState& state, const Contradiction& other) {
        if (&state == &of && other.rank == rank && other.number == number)
            throw reported(error_of(other));
    });
}

void CallDiagnosis::frame(int peer, std::span<const std::byte> header, std::span<const std::byte>)
{
    if (protocol::kind_of(header) == FrameKind::call_wait)
        handle(peer, protocol::header_in<CallWaitHeader>(header, peer));
    else
        handle(peer, protocol::header_in<CallHeader>(header, peer));
}

void CallDiagnosis::handle(int peer, const CallHeader& call)
{
    process_.communicators().with(call.lead.context(), [&](const CommunicatorState& state) {
        check_speaker(state, peer, call.rank);
        const CallSignature theirs(call.signature);
        const CallSignature* const mine = state.calls().find(call.number);
        if (mine == nullptr || *mine == theirs)
            return;
        if (call.lead.kind() == FrameKind::call_inquiry)
            send(FrameKind::call_differs, state, peer, call.number);
        throw reported(mismatch(*mine, static_cast<int>(call.rank), theirs));
    });
}

void CallDiagnosis::handle(int peer, const CallWaitHeader& wait)
{
    bool stands = false;
    process_.communicators().with(wait.lead.context(), [&](const CommunicatorState& state) {
        check_speaker(state, peer, wait.rank);
        const bool made = static_cast<std::int32_t>(wait.number - state.next_number()) < 0;
        stands = !made && is_blocked();
    });
    if (!stands)
        return;
    if (wait.origin == static_cast<std::uint32_t>(process_.rank())) {
        if (wait.chain == chains_ && process_.waits().call() == chain_began_in_)
            raise_circle(peer, wait.kind);
        return;
    }
    const auto [passed, is_new] = passed_.try_emplace(wait.origin, wait.chain);
    if (!is_new && static_cast<std::int32_t>(wait.chain - passed->second) <= 0)
        return;  // each chain passes once, so that none runs in a circle for ever
    passed->second = wait.chain;
    pass_on_wait(wait.origin, wait.chain);
}

}  // namespace tutti::detail
