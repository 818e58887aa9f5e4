// Flow control: bounds the memory in which a receiver keeps one sender's unexpected messages.
//
// A sender has a credit of bytes at each receiver. An eager message uses credit; the receiver returns it once
// a receive has taken the message. Without credit, messages go by rendezvous.
#pragma once

#include <cstddef>
#include <utility>

namespace tutti::protocol {

/// Credit that an unexpected message uses on top of its bytes, for the request that keeps it.
inline constexpr std::size_t kEagerOverheadBytes = 384;

/// Between this rank and one peer: `left_` counts for this rank's sends, `owed_` for its receives.
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

    /// A receive has taken an eager message. Returns the credit to send back now: all that is owed once it is
    /// half of the limit, so that not each message needs a credit frame; mostly 0.
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
