// What a communicator is: a group of ranks and a context id, which keeps its messages apart.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/group.hpp"
#include "lib/progress/engine.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti::detail {

class Process;

/// Constant but for the counters of collectives and the board. Shared by all handles of the communicator.
class CommunicatorState {
public:
    /// `members`: the ranks in the job, by rank in the communicator.
    CommunicatorState(Process& process, std::uint64_t id, std::vector<int> members, int rank);
    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;

    Process& process() const noexcept { return process_; }
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return static_cast<int>(members_.size()); }
    const std::vector<int>& members() const noexcept { return members_; }
    int world_rank(int rank) const noexcept { return members_[static_cast<std::size_t>(rank)]; }
    collectives::Placement placement() const noexcept { return placement_; }

    /// Context of user messages.
    std::uint64_t context() const noexcept { return id_ << 1; }
    /// Context of messages within collectives; their tag is the collective's number.
    std::uint64_t collective_context() const noexcept { return id_ << 1 | 1; }
    /// Counts the collectives, which all ranks start in the same order. Under the lock.
    int next_collective() noexcept
    {
        const int number = collective_;
        collective_ = (collective_ + 1) & kLastCollective;
        return number;
    }
    /// The memory that a blocking collective may use beside messages; nullptr where there is none.
    /// Collective, as the first calls of all ranks make it. Under the lock.
    transport::shm::NodeBoard* board(progress::Engine::Lock& lock);
    /// Tags from here on are for create_from, which has no common order.
    static constexpr int kCreateTags = 1 << 30;

private:
    void make_board(progress::Engine::Lock& lock);

    static constexpr int kLastCollective = kCreateTags - 1;

    Process& process_;
    std::uint64_t id_;
    std::vector<int> members_;
    int rank_;
    collectives::Placement placement_;
    int collective_ = 0;
    int blocking_calls_ = 0;  // until the board is made
    std::unique_ptr<transport::shm::NodeBoard> board_;
};

}  // namespace tutti::detail
