// Puts frames that arrive out of order back into the order of sending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tutti::transport::ofi {

/// Counts the frames of one peer. Numbers are 32 bits and wrap around.
class ReorderQueue {
public:
    enum class Order {
        next,   // deliver it, then what ready() has
        early,  // it is kept
        absurd  // a duplicate, or beyond the window
    };

    /// `window`: how many frames a peer may have sent beyond received().
    explicit ReorderQueue(std::uint32_t window) : window_(window) {}

    /// What to do with the frame of this number. The bytes of an early one are kept. The first number is 0.
    Order take(std::uint32_t number, std::span<const std::byte> frame)
    {
        const std::uint32_t ahead = number - received_;
        if (ahead == 0) [[likely]] {
            ++received_;
            return Order::next;
        }
        if (ahead >= window_ || !early_.emplace(number, std::vector(frame.begin(), frame.end())).second)
            return Order::absurd;
        return Order::early;
    }

    bool none_early() const noexcept { return early_.empty(); }
    /// The next frame in order, if it came early; otherwise empty.
    std::vector<std::byte> ready()
    {
        const auto found = early_.find(received_);
        if (found == early_.end())
            return {};
        std::vector<std::byte> frame = std::move(found->second);
        early_.erase(found);
        ++received_;
        return frame;
    }

    /// Number of frames that are delivered, or are being delivered.
    std::uint32_t received() const noexcept { return received_; }

private:
    std::uint32_t window_;
    std::uint32_t received_ = 0;
    std::map<std::uint32_t, std::vector<std::byte>> early_;
};

}  // namespace tutti::transport::ofi
