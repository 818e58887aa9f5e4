// Board and streams over memory that a communicator's ranks share.
#pragma once

#include <cstdint>
#include <optional>

#include "collectives/framework/board.hpp"
#include "collectives/framework/streams.hpp"
#include "lib/core/process/group_operation.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti::detail {

/// Throws tutti::Error if another rank has made another call than this one, as far as the board knows.
void compare_calls(const transport::shm::NodeBoard& memory);

/// One blocking call's use of the memory. Nothing wakes a waiting rank but its own looks: it has to poll().
class CommunicatorBoard final : public collectives::Board, public collectives::Streams {
    using Event = transport::shm::NodeBoard::Event;

public:
    CommunicatorBoard(transport::shm::NodeBoard& memory, collectives::Group& group) noexcept
        : memory_(memory), group_(group)
    {
    }

    /// Comes before this call's first use of slots.
    void begin() noexcept
    {
        if (!begun_)
            memory_.begin();
        begun_ = true;
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
    collectives::Operation released() override { return when(Event::released); }
    collectives::Operation all_arrived() override { return when(Event::all_arrived); }
    void arrive_at_root() override
    {
        check();
        memory_.wake_root();
    }

    collectives::Operation room() override { return when(Event::room); }
    static_assert(kAnySize == transport::shm::BoardStreams::kAnySize);
    std::byte* own_chunk(std::size_t size_bytes) noexcept override
    {
        return memory_.streams().own_chunk(size_bytes);
    }
    void publish(int reader) override
    {
        memory_.publish(reader == kAllRanks ? std::nullopt
                                            : std::optional(static_cast<std::uint32_t>(reader)));
    }
    collectives::Operation published(int rank) override { return when(Event::chunk, rank); }
    const std::byte* chunk(int rank, std::size_t size_bytes) noexcept override
    {
        return memory_.streams().chunk(static_cast<std::uint32_t>(rank), size_bytes);
    }
    void pass() override { memory_.pass(); }

    /// Resumes the coroutine that waits for the board once its condition holds. Throws tutti::Error if
    /// another rank is in another call and would never do its part.
    void poll()
    {
        if (!waits_)
            return;
        if (memory_.has_come()) {
            waits_ = false;
            waiting_->complete();
        } else if (++polls_ % kPollsPerCheck == 0) {
            check();
        }
    }
    /// Abandons the operation.
    void forget() noexcept
    {
        if (waits_)
            memory_.forget();
        waits_ = false;
    }

private:
    static constexpr unsigned kPollsPerCheck = 64;

    collectives::Operation when(Event event, int rank = 0)
    {
        if (memory_.await(event, static_cast<std::uint32_t>(rank)))
            return {};
        waits_ = true;
        return collectives::Operation(waiting_.emplace(group_, GroupRequest::Direction::board));
    }
    void check() const { compare_calls(memory_); }

    transport::shm::NodeBoard& memory_;
    collectives::Group& group_;
    std::optional<GroupRequest> waiting_;  // of the latest wait
    bool begun_ = false;
    bool waits_ = false;
    unsigned polls_ = 0;
};

}  // namespace tutti::detail
