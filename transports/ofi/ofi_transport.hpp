// Frames over libfabric: TCP, InfiniBand, EFA, Slingshot and all other networks that it has a provider for.
//
// Frames are sent to an unconnected endpoint and received into a pool of buffers. Each carries a token, which
// shows the receiver that it comes from a rank of the job (link.hpp), and a number, as some providers do not
// keep the order. At most kWindow frames to a peer are under way; then the sender waits for an
// acknowledgement. So no sender can flood a receiver's buffers, and two ranks that flood each other both
// answer `again` and go on receiving.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/foundation/network/interface_choice.hpp"
#include "lib/foundation/security/key.hpp"
#include "transports/ofi/endpoint.hpp"
#include "transports/ofi/fabric_contact.hpp"
#include "transports/ofi/fabric_frame.hpp"
#include "transports/ofi/fabric_memory.hpp"
#include "transports/ofi/frame_buffers.hpp"
#include "transports/ofi/links.hpp"
#include "transports/ofi/peer.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::ofi {

struct OfiOptions {
    int rank;
    int ranks;              // in the job
    security::Key key;      // of the job
    std::string host = {};  // the name of this rank's host, for messages
    network::InterfaceChoice interfaces = {};
    std::string provider = {};  // name of a libfabric provider; empty: the best one
    bool adapter = false;       // only a provider on a network adapter
    /// A peer whose host does not answer for so long is lost. The same time bounds the wait for an address
    /// and for the first bytes of a connection.
    std::chrono::milliseconds timeout{10'000};
    /// How long close() waits for living but busy peers to take what was sent to them. Without a value it
    /// waits as long as they live.
    std::optional<std::chrono::milliseconds> linger = {};
    /// All memory is registered as adapters need it, even with providers that need no registration (tests).
    bool as_adapter = false;
    /// Whether the provider's reads and writes of peers' memory are used.
    bool remote_memory = true;
    /// At the end it prints how often it has read and written peers' memory.
    bool prints_copies = false;
    /// Gets the message about the first connection from outside the job; default: standard error.
    std::function<void(const std::string& line)> log = {};
};

class OfiTransport final : public Transport, public Doorbell, LinkUser {
public:
    /// Loads libfabric and opens an endpoint. Takes 0.3 s. Throws.
    explicit OfiTransport(OfiOptions options);
    ~OfiTransport() override { close(); }

    /// The provider and its network: "net 117.0 (protocol 25.0) over eth0".
    std::string describe() const;
    /// Whether frames can be sent to this rank.
    bool is_connected(int peer) const noexcept;
    const MemoryModes& memory_modes() const noexcept { return modes_; }

    std::string_view name() const noexcept override { return "ofi"; }
    Capabilities capabilities() const noexcept override;
    std::vector<std::byte> address() const override { return contact_.bytes(); }
    bool reach(int peer, std::span<const std::byte> contact) const noexcept override;
    std::string unreachable(std::span<const std::byte> contact) const override;
    void connect(int peer, std::span<const std::byte> contact) override;
    SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                    Completion& completion) override;
    RemoteMemory* memory() noexcept override
    {
        return options_.remote_memory && (endpoint_.info().caps & FI_RMA) != 0 ? &memory_ : nullptr;
    }
    Presence look_after(int peer, std::span<const std::byte> contact) override;
    std::string silent_at(int peer) const override { return links_.silent_at(peer); }
    std::size_t progress(Sink& sink) override;
    Doorbell* doorbell() noexcept override { return this; }
    void arm() override;
    void disarm() noexcept override { armed_ = false; }
    int wait_fd() noexcept override { return links_.descriptor(); }
    void close() noexcept override;

private:
    class Nobody;  // sink of close()

    // ofi_transport.cpp
    std::size_t frame_bytes() const noexcept
    {
        return sizeof(FrameHead) + kMaxHeaderBytes + max_payload_bytes_;
    }
    bool send_frame(Peer& to, const FrameHead& head, std::span<const std::byte> header,
                    std::span<const std::byte> payload, int peer);

    // receiving.cpp
    void post_receives();
    std::size_t serve_all(Sink& sink);
    std::size_t poll_fabric(Sink& sink);
    void ended(const Completed& completed, Sink& sink, std::size_t& frames);
    void failed(const FailedOperation& failure);
    void on_frame(std::span<const std::byte> bytes, Sink& sink, std::size_t& frames);
    void deliver(int peer, const Frame& frame, Sink& sink, std::size_t& frames);

    // sessions.cpp: links, acknowledgements, timeouts
    bool wants(int rank) override;
    void linked(Link& link) override;
    void take_message(Link& link, const LinkMessage& message) override;
    void ended(Link& link) override;
    void unreachable(int rank, Loss loss) override { lose(rank, std::move(loss)); }
    void outsider(const std::string& what) override;
    void acknowledge(Peer& from, std::uint32_t count);
    void acknowledge_by_link(Link& link, Peer& to);
    void acknowledge_all();
    void be_patient(std::int64_t now_ns);
    bool owes(int rank, const Peer& to) const;
    std::int64_t sleep_until(std::int64_t now_ns) const;

    // ends.cpp
    void lose(int rank, Loss loss);
    void lose_by_fabric(int rank, const std::string& words);
    void let_go(Peer& with);
    void see_off_leavers();
    std::size_t report_losses(Sink& sink);
    void linger() noexcept;

    OfiOptions options_;
    std::vector<network::LocalAddress> addresses_;
    const std::int64_t timeout_ns_;
    Endpoint endpoint_;
    MemoryModes modes_;
    FabricContact contact_;
    Links links_;
    EndpointRegistrar frame_registrar_;
    const std::size_t max_payload_bytes_;
    BufferPool receive_buffers_;
    BufferPool send_buffers_;
    PeerTable peers_;
    FabricMemory memory_;
    std::deque<FrameBuffer*> unposted_;         // receive buffers that the provider has refused for now
    std::vector<int> unacknowledged_;           // ranks that wait for an acknowledgement
    std::vector<int> losses_;                   // lost, not reported
    std::vector<int> leavers_;                  // leaving, not departed
    bool armed_ = false;
    bool quiet_ = false;  // the last poll of the fabric found nothing
    bool closed_ = false;
    bool reported_outsider_ = false;
    unsigned unsure_ = 0;  // how often in a row the provider did not allow us to sleep
    std::int64_t looked_ns_ = 0;
    std::int64_t patience_ns_ = 0;
};

}  // namespace tutti::transport::ofi
