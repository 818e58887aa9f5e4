// Two protocols in one process, connected by a transport whose frames the test can hold back, refuse and
// forge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/engine/protocol/protocol.hpp"
#include "tests/fault/fault_transport.hpp"

namespace tutti::test {

using protocol::Protocol;
using protocol::ProtocolOptions;
using protocol::ReceiveRequest;
using protocol::SendRequest;
using Bytes = std::vector<std::byte>;

struct WireOptions {
    ProtocolOptions protocol{};
    transport::FaultOptions faults{};
    std::size_t frame_bytes = 64;
    std::size_t queue_frames = 1000000;   // then `again`
    std::size_t piece_bytes = 64u << 10;  // a frame has no more of a collected message
    std::size_t early_bytes = 0;          // so much of a long message goes with its envelope
    bool gathers = false;                 // sends from several places at once
    bool unites = false;                  // keeps what is sent soon until the next pass or later frames
    // Asks where payloads belong, and brings each in two passes: half of it, then the rest.
    bool asks_destination = false;
    // What RemoteMemory::get does, on both sides; empty: the transport cannot read remote memory.
    std::function<transport::SendResult(transport::RemoteRegion, std::span<std::byte> local,
                                        transport::Completion&)>
        get{};
    // What RemoteMemory::abandon is called for, on both sides.
    std::function<void(const transport::Completion&)> abandon{};
    // What RemoteMemory::view gives, on both sides; empty: no memory can be viewed.
    std::function<std::span<const std::byte>(const transport::RemoteRegion&, std::size_t)> view{};
};

/// Byte i of message `number`.
Bytes message(std::uint64_t number, std::size_t size);

/// Ranks 0 and 1 of a job of two. Nothing moves but by step().
class Wire {
public:
    explicit Wire(WireOptions options = {});
    ~Wire();

    Protocol& at(int rank) { return *protocols_[static_cast<std::size_t>(rank)]; }
    /// One pass of what the engine does, on both sides. The number of events.
    std::size_t step();
    /// One pass of one side only.
    std::size_t step(int rank);
    /// Tells `rank` that its peer is gone, in the middle of whatever was arriving.
    void lose_peer_of(int rank, std::string_view reason);
    /// Steps until nothing happens any more.
    void settle();

    void send(SendRequest& request, int from, const Bytes& data, int tag, bool synchronous = false);
    void receive(ReceiveRequest& request, int at, int source, int tag, Bytes& buffer);
    /// A message from rank 0 to rank 1 with tag 5, to its end. The receive is posted before it is sent
    /// (`expected`), or once all has moved that can.
    void exchange(SendRequest& send, const Bytes& data, ReceiveRequest& receive, Bytes& buffer, bool expected,
                  bool synchronous = false);

    /// Hands a frame to rank `to` as if its peer had sent it.
    template <class Header>
    void forge(int to, const Header& header, std::span<const std::byte> payload = {})
    {
        at(to).frame(1 - to, protocol::bytes_of(header), payload);
    }
    /// Frames that wait for `rank` to take them.
    std::size_t in_flight(int rank) const { return queues_[static_cast<std::size_t>(rank)].size(); }
    /// The kind of each frame that was ever accepted from rank `from`.
    const std::vector<protocol::FrameKind>& sent_kinds(int from) const
    {
        return kinds_[static_cast<std::size_t>(from)];
    }
    /// Payloads that went where they belong at once, at both ranks.
    std::size_t placed_count() const noexcept { return placed_; }
    /// Frames that went out of several places, from both ranks, and the most places of one.
    std::size_t gathered_count() const noexcept { return gathered_; }
    std::size_t most_parts() const noexcept { return most_parts_; }
    void limit_queue(std::size_t frames) { options_.queue_frames = frames; }

private:
    class Link;
    struct Frame {
        Bytes header;
        Bytes payload;
    };

    WireOptions options_;
    std::array<std::deque<Frame>, 2> queues_;  // by receiver
    std::array<std::vector<protocol::FrameKind>, 2> kinds_;
    std::array<Link*, 2> links_{};
    std::size_t placed_ = 0;
    std::size_t gathered_ = 0;
    std::size_t most_parts_ = 0;
    std::array<std::unique_ptr<transport::Transport>, 2> transports_;
    std::array<std::unique_ptr<Protocol>, 2> protocols_;
};

}  // namespace tutti::test
