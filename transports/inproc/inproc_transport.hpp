// Frames between ranks that are threads of one process.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "transports/transport.hpp"

namespace tutti::transport {

/// What the ranks of one in-process job share: an inbox for each. Outlives the transports.
class InprocHub {
public:
    explicit InprocHub(int ranks);

    int size() const noexcept { return static_cast<int>(inboxes_.size()); }

    /// Makes every transport's next progress() throw tutti::Error with this reason, and wakes sleepers. Once.
    void abort(std::string reason) noexcept;

private:
    friend class InprocTransport;

    struct Frame {
        int source;
        std::size_t header_bytes;
        std::vector<std::byte> bytes;  // header, then payload
    };
    struct Inbox {
        std::mutex mutex;
        std::deque<Frame> frames;
        std::vector<std::uint32_t> queued_by_source;
        bool closed = false;
        // Number of waiting frames, readable without the lock: an idle progress() costs one load.
        std::atomic<std::size_t> waiting{0};
        std::atomic<std::uint32_t> bell{0};
    };

    std::vector<std::unique_ptr<Inbox>> inboxes_;
    std::string abort_reason_;
    std::atomic<bool> aborted_{false};  // release after abort_reason_; acquire in progress()
    // Shared for reads of a peer's memory, exclusive for abort(): once a rank knows of the abort, it gives up
    // its buffers, and nobody may read them.
    std::shared_mutex reading_;
};

/// Simple: one mutex for each inbox. Other transports are compared with this one.
class InprocTransport final : public Transport, public RemoteMemory, public Doorbell {
public:
    static constexpr std::uint32_t kMaxQueued =
        64;  // frames of one sender in one inbox; a further one gets `again`

    InprocTransport(std::shared_ptr<InprocHub> hub, int rank);
    ~InprocTransport() override { close(); }

    std::string_view name() const noexcept override { return "inproc"; }
    Capabilities capabilities() const noexcept override;
    std::vector<std::byte> address() const override;
    bool reach(int peer, std::span<const std::byte> contact) const noexcept override;
    void connect(int, std::span<const std::byte>) override {}
    SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                    Completion& completion) override;
    RemoteMemory* memory() noexcept override { return this; }
    SendResult get(int peer, const RemoteRegion& remote, std::span<std::byte> local,
                   Completion& completion) override;
    Presence look_after(int peer, std::span<const std::byte> contact) override;
    std::size_t progress(Sink& sink) override;
    Doorbell* doorbell() noexcept override { return this; }
    std::atomic<std::uint32_t>* word() noexcept override { return &inbox_->bell; }
    void close() noexcept override;

private:
    InprocHub::Inbox& inbox_of(int peer) const { return *hub_->inboxes_[static_cast<std::size_t>(peer)]; }
    void ring(InprocHub::Inbox& inbox) noexcept;
    void lose(int peer);
    std::size_t deliver(Sink& sink);

    std::shared_ptr<InprocHub> hub_;
    int rank_;
    InprocHub::Inbox* inbox_;
    std::vector<int> lost_;            // peers that have closed, to report
    std::vector<bool> loss_reported_;  // by rank
};

}  // namespace tutti::transport
