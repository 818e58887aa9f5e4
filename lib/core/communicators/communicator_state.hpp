// What a communicator is: a group of ranks and a context id, which keeps its messages apart.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "collectives/group.hpp"
#include "collectives/nodes.hpp"
#include "lib/core/calls/call_history.hpp"
#include "lib/engine/progress/engine.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti::detail {

class CommunicatorTable;
class Process;

/// Marks the messages of create_from, which has no common order: values from kCreateTags on.
struct CreateTag {
    int value;
};

/// Ranks in the job, by rank in a communicator. Communicators of the same ranks share one list.
using Members = std::shared_ptr<const std::vector<int>>;

/// Constant but for the counters of collectives and the board. Shared by all handles of the communicator.
class CommunicatorState {
public:
    /// `members`: the local group, `rank` in it. `remote`: the other group of an intercommunicator, whose
    /// ranks messages come from and go to; nullptr: there is one group. Collectives are the local group's.
    CommunicatorState(Process& process, std::uint64_t id, Members members, int rank,
                      Members remote = nullptr);
    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;
    ~CommunicatorState();

    Process& process() const noexcept { return process_; }
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return static_cast<int>(members_->size()); }
    const Members& members() const noexcept { return members_; }
    int world_rank(int rank) const noexcept { return members_->data()[rank]; }
    /// Whom this rank exchanges messages with: the remote group where there is one.
    const std::vector<int>& peers() const noexcept { return *peers_; }
    int peer_rank(int rank) const noexcept { return peer_ranks_[rank]; }
    /// As all ranks of a node have it from the first collective on.
    collectives::Placement placement() const noexcept { return placement_; }

    /// Context of user messages.
    std::uint64_t context() const noexcept { return id_ << 1; }
    /// Context of messages within collectives; CallMark says how they are marked.
    std::uint64_t collective_context() const noexcept { return collective_context_of(context()); }
    static constexpr std::uint64_t collective_context_of(std::uint64_t context) noexcept
    {
        return context | 1;
    }
    /// The number of the next collective, which all ranks start in the same order. Under the lock. Throws
    /// where it turns out that other ranks have called others before.
    std::uint32_t next_collective()
    {
        if (next_call_ % kCallsPerReview == 0) [[unlikely]]
            review_calls();
        return next_call_++;
    }
    std::uint32_t next_number() const noexcept { return next_call_; }
    /// The number whose lowest bits are in a mark: the nearest to the next.
    std::uint32_t whole_number(std::uint32_t marked) const noexcept
    {
        constexpr int kAbove = 32 - CallMark::kNumberBits;
        const auto ahead = static_cast<std::int32_t>((marked - next_call_) << kAbove) >> kAbove;
        return next_call_ + static_cast<std::uint32_t>(ahead);
    }
    void note_call(std::uint32_t number, const CallSignature& signature) noexcept
    {
        calls_.note(number, signature);
    }
    const CallHistory& calls() const noexcept { return calls_; }
    /// The memory that a blocking collective may use beside messages; nullptr where there is none.
    /// Collective, as the first calls of all ranks make it. Under the lock.
    transport::shm::NodeBoard* board(progress::Engine::Lock& lock);
    /// The ranks whose arrival at the board this one waits for, in its latest call.
    std::vector<int> awaited_at_board() const;
    /// A rank is lost that this one waits for in `call`; nullptr: one that `name` is all that is known of.
    [[noreturn]] void raise_lost(int member, const CallSignature* call, ErrorCode code = ErrorCode::peer_lost,
                                 std::string_view name = "collective") const;
    /// One that is awaited_at_board() is lost, and will never arrive.
    [[noreturn]] void raise_lost_at_board(int member) const
    {
        raise_lost(member, calls_.find(next_number() - 1));
    }
    static constexpr int kCreateTags = 1 << 30;  // see CreateTag
    /// So that the calls since the last but one review are still known.
    static constexpr std::uint32_t kCallsPerReview = CallHistory::kKept / 2;

private:
    void review_calls();
    void agree_on_cores();
    void make_board(progress::Engine::Lock& lock);

    Process& process_;
    std::shared_ptr<CommunicatorTable> table_;
    std::uint64_t id_;
    Members members_;
    Members peers_;
    const int* peer_ranks_;  // *peers_, one step nearer for each message
    int rank_;
    collectives::Placement placement_;
    bool cores_are_agreed_ = false;              // in placement_
    std::optional<collectives::NodeMap> nodes_;  // where there are several; placement_ refers to it
    std::uint32_t next_call_ = 0;
    CallHistory calls_;
    int blocking_calls_ = 0;  // until the board is made
    std::unique_ptr<transport::shm::NodeBoard> board_;
};

/// The part of `old` whose ranks give the same colour, by their keys; nullptr for those that give none.
/// Collective: `call` says which call it is, with what must be the same at all ranks.
std::shared_ptr<CommunicatorState> split(CommunicatorState& old, const collectives::Call& call,
                                         std::optional<int> colour, std::int64_t key = 0);

}  // namespace tutti::detail
