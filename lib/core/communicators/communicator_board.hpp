// Board over memory that a communicator's ranks share.
#pragma once

#include <cstdint>

#include "collectives/board.hpp"
#include "lib/core/communicators/group_operation.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti::detail {

/// One blocking call's use of the board. A waiting rank is not told of the release: it has to poll().
class CommunicatorBoard final : public collectives::Board {
public:
    CommunicatorBoard(transport::shm::NodeBoard& memory, collectives::Group& group) noexcept
        : memory_(memory), waiting_(group, GroupRequest::Direction::board)
    {
        memory_.begin();
    }

    std::size_t slot_bytes() const noexcept override { return transport::shm::NodeBoard::kSlotBytes; }
    std::byte* slot(int rank) noexcept override { return memory_.slot(static_cast<std::uint32_t>(rank)); }
    std::byte* result() noexcept override { return memory_.result(); }
    bool arrive() override
    {
        const bool last = memory_.arrive();
        if (last)
            check();
        return last;
    }
    void release() override { memory_.release(); }
    collectives::Operation released() override { return when(&transport::shm::NodeBoard::released); }
    collectives::Operation all_arrived() override { return when(&transport::shm::NodeBoard::all_arrived); }
    void tell_root() override
    {
        check();
        memory_.wake_root();
    }

    /// Resumes the coroutine that waits for the board once its condition holds. Throws tutti::Error if
    /// another rank is in another call and would never arrive.
    void poll()
    {
        if (awaited_ == nullptr)
            return;
        if ((memory_.*awaited_)()) {
            awaited_ = nullptr;
            waiting_.complete();
        } else if (++polls_ % kPollsPerCheck == 0) {
            check();
        }
    }
    /// Abandons the operation.
    void forget() noexcept { awaited_ = nullptr; }

private:
    static constexpr unsigned kPollsPerCheck = 64;

    using Condition = bool (transport::shm::NodeBoard::*)() const noexcept;

    collectives::Operation when(Condition condition)
    {
        if ((memory_.*condition)())
            return {};
        awaited_ = condition;
        return collectives::Operation(waiting_);
    }
    void check() const;

    transport::shm::NodeBoard& memory_;
    GroupRequest waiting_;
    Condition awaited_ = nullptr;  // the condition that poll() checks
    unsigned polls_ = 0;
};

}  // namespace tutti::detail
