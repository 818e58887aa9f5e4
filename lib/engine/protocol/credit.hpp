// Flow control: what a receiver keeps of one sender's unexpected messages is bounded.
//
// A sender has a credit of bytes at each receiver. An eager message uses its cost of it; the receiver gives
// that back once a receive has taken the message. Without credit messages go by rendezvous.
#pragma once

#include <cstddef>
#include <utility>

namespace tutti::protocol {

/// What an unexpected message costs on top of its bytes: the request that keeps it takes memory, too.
inline constexpr std::size_t kEagerOverheadBytes = 384;

/// Between this rank and one peer: `left_` for what this rank sends, `owed_` for what it receives.
class Credit {
public:
    explicit Credit(std::size_t bytes) noexcept : limit_(bytes), left_(bytes) {}

    bool covers(std::size_t message_bytes) const noexcept
    {
        return message_bytes + kEagerOverheadBytes <= left_;
    }
    void use(std::size_t message_bytes) noexcept { left_ -= message_bytes + kEagerOverheadBytes; }
    std::size_t used() const noexcept { return limit_ - left_; }
    void refill(std::size_t bytes) noexcept { left_ += bytes; }

    /// A receive has taken an eager message. Returns what the sender is to get back now: all that is owed
    /// once it is half of the limit, so a frame for each half, not for each message; mostly 0.
    std::size_t taken(std::size_t message_bytes) noexcept
    {
        owed_ += message_bytes + kEagerOverheadBytes;
        return owed_ < limit_ / 2 ? 0 : std::exchange(owed_, 0);
    }

private:
    std::size_t limit_;
    std::size_t left_;
    std::size_t owed_ = 0;
};

}  // namespace tutti::protocol
