// Frames between ranks of one node through shared memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transports/shm/inbox.hpp"
#include "transports/shm/peer_arenas.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::shm {

struct ShmOptions {
    bool sleeps_often = false;  // makes falling asleep cheap, and the peers' sends more expensive
    // How ranks reach each other's memory when the system does not let them open it; nullptr: not at all. It
    // outlives the transport.
    DescriptorExchange* exchange = nullptr;
    bool shares_copies = true;  // a waiting peer may help with a copy; false when it has no core of its own
};

/// Each rank owns an Inbox with a ring for each local peer. A send is a copy into the peer's inbox; progress
/// delivers the frames of its own inbox. No send is `pending`: a full ring answers `again`.
class ShmTransport final : public Transport, public RemoteMemory, public Doorbell {
public:
    /// `local_peers`: the ranks of this node in ascending order, including `rank`.
    ShmTransport(int rank, std::span<const int> local_peers, ShmOptions options = {});

    std::string_view name() const noexcept override { return "shm"; }
    Capabilities capabilities() const noexcept override;
    const InboxContact& contact() const noexcept { return inbox_.contact(); }
    std::vector<std::byte> address() const override;
    bool reach(int peer, std::span<const std::byte> contact) const noexcept override;
    std::string unreachable(std::span<const std::byte> contact) const override;
    /// Whether the memory of the rank with this contact can be opened. Also true when it has ended: that
    /// shows later.
    bool can_open(std::span<const std::byte> contact) const;
    void connect(int peer, std::span<const std::byte> contact) override;
    SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                    Completion& completion) override;
    RemoteMemory* memory() noexcept override { return this; }
    SendResult get(int peer, const RemoteRegion& remote, std::span<std::byte> local,
                   Completion& completion) override;
    RemoteRegion expose(std::span<const std::byte> data) const noexcept override;
    bool views() const noexcept override { return true; }
    std::span<const std::byte> view(int peer, const RemoteRegion& region, std::size_t bytes) override
    {
        return map(peer, region, bytes);
    }
    /// view() of memory that may be changed as well; also empty when the peer is not connected.
    std::span<std::byte> map(int peer, const RemoteRegion& region, std::size_t bytes);
    SendResult copy_own(int peer, std::span<std::byte> to, std::span<const std::byte> from,
                        Completion& completion) override;
    void abandon(const Completion& completion) noexcept override;
    Presence look_after(int peer, std::span<const std::byte> contact) override;
    std::size_t progress(Sink& sink) override;
    Doorbell* doorbell() noexcept override { return this; }
    std::atomic<std::uint32_t>* word() noexcept override { return &inbox_.header().bell; }
    void arm() override;
    void disarm() noexcept override;
    int wait_fd() override;
    void close() noexcept override;

private:
    struct Outgoing {
        Inbox inbox;  // the peer's
        RingProducer ring;
        PeerArenas arenas;
        bool full = false;  // the last send found no room
        // The kind of copies that the peer cannot help with: into memory of ours that it can map, or cannot.
        bool declines_mapped = false;
        bool declines_unmapped = false;
    };
    struct Incoming {
        int peer;
        RingConsumer ring;
        RingSlot* slot;
        std::unique_ptr<Inbox> producer;  // the peer's, opened at the first wake
    };

    /// A copy into this rank's memory that `peer` may help with.
    struct Copy {
        int peer;
        const std::byte* mapped;  // the source, if this process has mapped it
        std::uint64_t address;    // the source's address in the peer's process, if not mapped
        std::span<std::byte> to;
        Completion* completion;
        bool* declined;  // set when the peer cannot help with such copies
        ErrorCode result = ErrorCode::success;
        bool is_over = false;  // the peer has no part in it any more
        bool is_late = false;  // the peer took longer than a piece takes
    };

    SendResult send_to_full_ring(int peer, std::span<const std::byte> header,
                                 std::span<const std::byte> payload);
    void note_room(Outgoing& to) noexcept;
    bool write_to_larger_part(Outgoing& to, std::span<const std::byte> header,
                              std::span<const std::byte> payload);
    void copy_piece(const Copy& copy, CopyPiece piece) const;
    SendResult copy_together(Copy& copy, const CopyWork& work);
    SharedCopy& shared_with(int peer) const noexcept;
    bool make_free(int peer);
    bool is_helper_done(const Copy& copy) const noexcept;
    void end_copy(Copy& copy);
    void outlast_helper(const Copy& copy) const noexcept;
    std::size_t end_copies();
    std::size_t help(std::uint32_t local_rank);
    bool copy_into(Outgoing& to, const CopyWork& work, CopyPiece piece) const noexcept;
    void accept_connections();
    void wake_producer(Incoming& incoming) noexcept;
    void find_absent_peers();
    void lose(int peer, bool has_left);
    std::size_t report_losses(Sink& sink);

    std::vector<int> local_peers_;
    DescriptorExchange* const exchange_;
    const bool shares_copies_;
    Inbox inbox_;
    std::vector<std::unique_ptr<Outgoing>> outgoing_;  // by rank in the job; nullptr: not connected
    std::vector<Incoming> incoming_;
    std::vector<Credits> credits_;  // by rank in the job
    std::vector<bool> lost_;        // by rank in the job
    std::vector<std::pair<int, bool>> losses_;  // peers, and whether they have left: to report
    std::vector<Copy> copies_;      // waiting for the piece that their peer has started
    unsigned looks_at_copies_ = 0;
    WakePipe wake_pipe_;  // open once the engine sleeps on descriptors
    std::uint32_t known_connections_ = 0;
    std::size_t full_count_ = 0;
    mutable std::vector<std::uint64_t> deposited_;  // arenas, by key
};

}  // namespace tutti::transport::shm
