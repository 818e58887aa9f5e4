#include "transports/self/self_transport.hpp"

#include <utility>

namespace tutti::transport {

Capabilities SelfTransport::capabilities() const noexcept
{
    return {.max_payload_bytes = 64u << 10, .inject_below = 64u << 10, .latency_ns = 50, .bytes_per_ns = 10};
}

bool SelfTransport::reach(int peer, std::span<const std::byte>) const noexcept
{
    return peer == rank_;
}

SendResult SelfTransport::send(int, std::span<const std::byte> header, std::span<const std::byte> payload,
                               Completion&)
{
    if (frames_.size() >= kMaxQueued)
        return SendResult::again;
    Frame frame{{}, header.size()};
    frame.bytes.reserve(header.size() + payload.size());
    frame.bytes.insert(frame.bytes.end(), header.begin(), header.end());
    frame.bytes.insert(frame.bytes.end(), payload.begin(), payload.end());
    frames_.push_back(std::move(frame));
    return SendResult::done;
}

std::size_t SelfTransport::progress(Sink& sink)
{
    // Frames that the sink sends from its callback are delivered by the next call.
    const std::size_t waiting = frames_.size();
    for (std::size_t i = 0; i < waiting; ++i) {
        const Frame frame = std::move(frames_.front());
        frames_.pop_front();
        const std::span bytes(frame.bytes);
        sink.frame(rank_, bytes.first(frame.header_bytes), bytes.subspan(frame.header_bytes));
    }
    return waiting;
}

}  // namespace tutti::transport
