// Frames from a rank to itself.
#pragma once

#include <deque>
#include <vector>

#include "transports/transport.hpp"

namespace tutti::transport {

/// A queue of copies. Answers `again` when it holds kMaxQueued frames.
class SelfTransport final : public Transport {
public:
    static constexpr std::size_t kMaxQueued = 256;

    explicit SelfTransport(int rank) noexcept : rank_(rank) {}

    std::string_view name() const noexcept override { return "self"; }
    Capabilities capabilities() const noexcept override;
    std::vector<std::byte> address() const override { return {}; }
    bool reach(int peer, std::span<const std::byte> contact) const noexcept override;
    void connect(int, std::span<const std::byte>) override {}
    SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                    Completion& completion) override;
    std::size_t progress(Sink& sink) override;
    void close() noexcept override { frames_.clear(); }

private:
    struct Frame {
        std::vector<std::byte> bytes;  // header, then payload
        std::size_t header_bytes;
    };

    int rank_;
    std::deque<Frame> frames_;
};

}  // namespace tutti::transport
