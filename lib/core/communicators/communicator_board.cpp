#include "lib/core/communicators/communicator_board.hpp"

#include "lib/core/communicators/call_signature.hpp"
#include "lib/core/communicators/communicator_group.hpp"

namespace tutti::detail {

using collectives::Operation;
using collectives::Rounds;
using transport::shm::NodeBoard;

namespace {

// Most chunks come within some hundred nanoseconds: the rank first looks only for the chunk, some 0.5 us.
constexpr unsigned kLooks = 500;
// All other traffic is not to wait for ever for ranks that find each chunk at once.
constexpr std::uint32_t kCallsPerProgress = 16;

}  // namespace

void compare_calls(const transport::shm::NodeBoard& memory)
{
    if (const auto found = memory.disagreement())
        throw mismatch(CallSignature(found->own), static_cast<int>(found->member),
                       CallSignature(found->theirs));
}

// Rounds of a blocking call go to their end within it, without a coroutine.
bool CommunicatorGroup::runs_at_once(Rounds& rounds)
{
    if (lock_ == nullptr)
        return false;
    if (number_ % kCallsPerProgress == 0) [[unlikely]]
        state_.process().engine().progress();
    transport::shm::BoardStreams& streams = memory_->streams();
    for (;;) {
        if (rounds.leaves) {
            if (!streams.has_room()) [[unlikely]]
                await_at_board(NodeBoard::Event::room, rank());
            rounds.leave(streams.own_chunk(rounds.leaves_bytes));
            memory_->publish(rounds.reader == collectives::Streams::kAllRanks
                                 ? std::nullopt
                                 : std::optional(static_cast<std::uint32_t>(rounds.reader)));
        }
        for (int i = 0; i < rounds.takes; ++i) {
            const Rounds::Source from = rounds.source(i);
            const auto member = static_cast<std::uint32_t>(from.rank);
            if (!streams.has_chunk(member))
                await_at_board(NodeBoard::Event::chunk, from.rank);
            rounds.take(i, streams.chunk(member, from.size_bytes));
        }
        memory_->pass();
        if (rounds.is_last) [[likely]]
            return true;
        rounds.advance();
    }
}

void CommunicatorGroup::await_at_board(NodeBoard::Event event, int rank)
{
    progress::Engine& engine = state_.process().engine();
    if (event == NodeBoard::Event::chunk && engine.spins() &&
        memory_->streams().looks_for_chunk(static_cast<std::uint32_t>(rank), kLooks))
        return;
    CommunicatorBoard& board = *shared_memory();
    Operation come = event == NodeBoard::Event::chunk ? board.published(rank) : board.room();
    const Waits::Blocked blocked(state_.process().waits(), place());
    engine.wait(*lock_, [&] {
        board.poll();
        return come.done();
    });
    come.finish();
}

}  // namespace tutti::detail
