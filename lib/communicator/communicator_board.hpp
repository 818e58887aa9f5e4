// Board over the memory that a communicator's ranks share.
#pragma once

#include <cstdint>

#include "collectives/board.hpp"
#include "lib/communicator/group_operation.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti::detail {

/// One blocking call's use of the board. Nobody tells a waiting rank of the release: it has to poll().
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
    collectives::Operation released() override
    {
        if (memory_.released())
            return {};
        polled_ = true;
        return collectives::Operation(waiting_);
    }

    /// Runs the coroutine that waits for the release, once that has come. Throws tutti::Error when another
    /// rank is in another call, and would never arrive.
    void poll()
    {
        if (!polled_)
            return;
        if (memory_.released()) {
            polled_ = false;
            waiting_.complete();
        } else if (++polls_ % kPollsPerCheck == 0) {
            check();
        }
    }
    /// The operation was given up.
    void forget() noexcept { polled_ = false; }

private:
    static constexpr unsigned kPollsPerCheck = 64;

    void check() const;

    transport::shm::NodeBoard& memory_;
    GroupRequest waiting_;
    bool polled_ = false;
    unsigned polls_ = 0;
};

}  // namespace tutti::detail
