// The state of a communicator: a group of ranks, and a context id that separates its messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/framework/group.hpp"
#include "collectives/framework/nodes.hpp"
#include "lib/core/communicators/call_history.hpp"
#include "lib/core/communicators/communicator_table.hpp"
#include "lib/core/process/contexts.hpp"
#include "lib/core/process/rank_status.hpp"
#include "lib/engine/progress/engine.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti::detail {

class Process;

/// Identifies the messages of create_from, which has no common order: values from kCreateTags on.
struct CreateTag {
    int value;
};

/// The ranks' numbers in the job, by rank in a communicator. Communicators of the same ranks share a list.
using Members = std::shared_ptr<const std::vector<int>>;

/// Constant except for the call counters and the board. All handles of the communicator share it.
class CommunicatorState {
public:
    /// `members` is the local group with this rank as `rank`; collectives run on it. `remote` is the other
    /// group of an intercommunicator, which messages go to and come from; nullptr: there is one group. `both`
    /// has the ranks of one group and then those of the other; the intercommunicator's collectives run on it.
    CommunicatorState(Process& process, std::uint64_t id, Members members, int rank, Members remote = nullptr,
                      std::shared_ptr<CommunicatorState> both = nullptr);
    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;
    ~CommunicatorState();

    Process& process() const noexcept { return process_; }
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return static_cast<int>(members_->size()); }
    const Members& members() const noexcept { return members_; }
    int world_rank(int rank) const noexcept { return members_->data()[rank]; }
    /// The ranks that this one exchanges messages with: the remote group, if there is one.
    const std::vector<int>& peers() const noexcept { return *peers_; }
    int peer_rank(int rank) const noexcept { return peer_ranks_[rank]; }
    const Members& remote() const noexcept { return peers_; }
    /// The ranks of both groups of an intercommunicator; nullptr: this is none.
    const std::shared_ptr<CommunicatorState>& both() const noexcept { return both_; }
    /// Whether the own group of an intercommunicator comes first in both().
    bool comes_first() const noexcept { return both_->rank() == rank_; }
    /// All ranks of a node have one placement from the first collective on.
    collectives::Placement placement() const noexcept { return placement_; }

    /// Context of the user's messages.
    std::uint64_t context() const noexcept { return id_ << 1; }
    /// Context of messages within collectives; CallMark says how they are marked.
    std::uint64_t collective_context() const noexcept { return collective_context_of(context()); }
    /// The number of the next collective; all ranks start collectives in the same order. Under the lock.
    /// Throws if other ranks turn out to have made different calls.
    std::uint32_t next_collective()
    {
        if (next_call_ % kCallsPerReview == 0) [[unlikely]]
            review_calls();
        shown_.number.store(next_call_ + 1, std::memory_order_relaxed);
        return next_call_++;
    }
    std::uint32_t next_number() const noexcept { return next_call_; }
    /// The complete number of a mark, which has its lowest bits: the one nearest to the next number.
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
    /// The board that a blocking collective may use; nullptr if there is none. Collective: the first calls of
    /// all ranks create it. Under the lock.
    transport::shm::NodeBoard* board(progress::Engine::Lock& lock)
    {
        return board_is_settled_ ? board_.get() : settle_board(lock);
    }
    /// The ranks that this rank waits for at the board, in its latest call.
    std::vector<int> awaited_at_board() const;
    /// Throws if other ranks have made other calls, as far as the board knows.
    void compare_at_board() const;
    /// Throws: a rank that this one waits for in `call` (nullptr: only its `name` is known) is lost. Names
    /// the first rank that was lost in a collective here.
    [[noreturn]] void raise_lost(int member, const CallSignature* call, ErrorCode code = ErrorCode::peer_lost,
                                 std::string_view name = "collective") const;
    /// raise_lost() in the latest call, which will never end.
    [[noreturn]] void raise_lost_in_latest_call(int member) const
    {
        raise_lost(member, calls_.find(next_number() - 1));
    }
    /// What it is, in messages: "the world", "self", "a communicator of 3 ranks", "an intercommunicator of 1
    /// and 2 ranks".
    std::string in_words() const;
    /// For reports about the rank. Any thread.
    void set_name(std::string_view name) noexcept { status_->name(shown_, context(), name); }

    /// The owner keeps it beyond the Environment on purpose: --check does not report it. Any thread.
    void let_outlive_environment() noexcept { outlives_environment_ = true; }
    bool outlives_environment() const noexcept { return outlives_environment_; }

    /// Its calls are few, or need no board: it gets none. All ranks say so, before their fourth blocking
    /// collective.
    void do_without_board() noexcept { board_is_settled_ = true; }

    static constexpr int kCreateTags = 1 << 30;  // see CreateTag
    /// The calls since the last but one review are still known.
    static constexpr std::uint32_t kCallsPerReview = CallHistory::kKept / 2;

private:
    void review_calls();
    void agree_on_cores();
    transport::shm::NodeBoard* settle_board(progress::Engine::Lock& lock);
    void make_board(progress::Engine::Lock& lock);

    Process& process_;
    std::shared_ptr<CommunicatorTable> table_;
    std::uint64_t id_;
    Members members_;
    Members peers_;
    std::shared_ptr<CommunicatorState> both_;
    std::shared_ptr<RankStatus> status_;
    observe::StatusCommunicator& shown_;  // on the status page
    const int* peer_ranks_;            // *peers_, without an indirection for each message
    int rank_;
    collectives::Placement placement_;
    bool cores_are_agreed_ = false;              // in placement_
    std::optional<collectives::NodeMap> nodes_;  // if there are several; placement_ refers to it
    std::uint32_t next_call_ = 0;
    CallHistory calls_;
    int blocking_calls_ = 0;  // counted until the board is made
    std::atomic<bool> outlives_environment_{false};  // relaxed would do: nothing else hangs on it
    bool has_two_groups_ = false;    // an intercommunicator's, which make different calls: there is no board
    bool board_is_settled_ = false;  // all ranks have it, or it has failed
    std::unique_ptr<transport::shm::NodeBoard> board_;
};

}  // namespace tutti::detail
