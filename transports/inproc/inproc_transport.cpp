#include "transports/inproc/inproc_transport.hpp"

#include <cstring>
#include <utility>

#include "lib/foundation/base/futex.hpp"
#include "lib/foundation/base/job_aborted.hpp"

namespace tutti::transport {

InprocHub::InprocHub(int ranks)
{
    for (int rank = 0; rank < ranks; ++rank) {
        inboxes_.push_back(std::make_unique<Inbox>());
        inboxes_.back()->queued_by_source.resize(static_cast<std::size_t>(ranks));
    }
}

void InprocHub::abort(std::string reason) noexcept
{
    {
        const std::lock_guard nobody_reads(reading_);
        abort_reason_ = std::move(reason);
        aborted_.store(true, std::memory_order_release);
    }
    for (const auto& inbox : inboxes_) {
        inbox->bell.fetch_add(1, std::memory_order_release);
        base::futex_wake_all(inbox->bell);
    }
}

InprocTransport::InprocTransport(std::shared_ptr<InprocHub> hub, int rank)
    : hub_(std::move(hub)), rank_(rank), inbox_(&inbox_of(rank)), loss_reported_(hub_->inboxes_.size())
{
}

Capabilities InprocTransport::capabilities() const noexcept
{
    return {.max_payload_bytes = 32u << 10, .inject_below = 32u << 10, .latency_ns = 200, .bytes_per_ns = 5};
}

std::vector<std::byte> InprocTransport::address() const
{
    const InprocHub* hub = hub_.get();
    const auto bytes = std::as_bytes(std::span(&hub, 1));
    return {bytes.begin(), bytes.end()};
}

bool InprocTransport::reach(int peer, std::span<const std::byte> contact) const noexcept
{
    const InprocHub* theirs = nullptr;
    if (contact.size() != sizeof theirs || peer < 0 || peer >= hub_->size())
        return false;
    std::memcpy(&theirs, contact.data(), sizeof theirs);
    return theirs == hub_.get();
}

SendResult InprocTransport::send(int peer, std::span<const std::byte> header,
                                 std::span<const std::byte> payload, Completion&)
{
    InprocHub::Inbox& to = inbox_of(peer);
    {
        const std::lock_guard lock(to.mutex);
        if (to.closed) {
            lose(peer);
            return SendResult::done;
        }
        auto& queued = to.queued_by_source[static_cast<std::size_t>(rank_)];
        if (queued >= kMaxQueued)
            return SendResult::again;
        ++queued;
        InprocHub::Frame frame{rank_, header.size(), {}};
        frame.bytes.reserve(header.size() + payload.size());
        frame.bytes.insert(frame.bytes.end(), header.begin(), header.end());
        frame.bytes.insert(frame.bytes.end(), payload.begin(), payload.end());
        to.frames.push_back(std::move(frame));
        to.waiting.store(to.frames.size(), std::memory_order_release);
    }
    ring(to);
    return SendResult::done;
}

// Always rings, not only while armed: a futex wake without sleepers is cheap enough and needs no protocol.
void InprocTransport::ring(InprocHub::Inbox& inbox) noexcept
{
    inbox.bell.fetch_add(1, std::memory_order_release);
    base::futex_wake_all(inbox.bell);
}

// The peer's memory belongs to this process as long as the peer runs.
SendResult InprocTransport::get(int peer, const RemoteRegion& remote, std::span<std::byte> local, Completion&)
{
    const std::shared_lock reading(hub_->reading_);
    bool ended = hub_->aborted_.load(std::memory_order_relaxed);
    {
        InprocHub::Inbox& theirs = inbox_of(peer);
        const std::lock_guard lock(theirs.mutex);
        ended = ended || theirs.closed;
    }
    if (ended)
        throw Error(ErrorCode::peer_lost, "get", "its thread has ended, and its memory with it", peer);
    std::memcpy(local.data(), reinterpret_cast<const std::byte*>(remote.address), local.size());
    return SendResult::done;
}

void InprocTransport::lose(int peer)
{
    if (loss_reported_[static_cast<std::size_t>(peer)])
        return;
    loss_reported_[static_cast<std::size_t>(peer)] = true;
    lost_.push_back(peer);
}

Presence InprocTransport::look_after(int peer, std::span<const std::byte>)
{
    InprocHub::Inbox& theirs = inbox_of(peer);
    const std::lock_guard lock(theirs.mutex);
    if (theirs.closed)
        lose(peer);
    return theirs.closed ? Presence::gone : Presence::here;
}

std::size_t InprocTransport::progress(Sink& sink)
{
    if (hub_->aborted_.load(std::memory_order_acquire)) [[unlikely]]
        throw base::JobAborted(ErrorCode::peer_lost, "progress",
                               "the job was aborted: " + hub_->abort_reason_);
    // A peer that is known to have closed sends nothing more: its loss is reported after the frames below.
    const std::vector<int> losses = std::exchange(lost_, {});
    std::size_t events = losses.size();
    if (inbox_->waiting.load(std::memory_order_acquire) !=
        0)  // pairs with send's store; a missed one is found later
        events += deliver(sink);
    for (const int peer : losses)
        sink.peer_lost(peer, {"its thread has ended"});
    return events;
}

std::size_t InprocTransport::deliver(Sink& sink)
{
    std::deque<InprocHub::Frame> arrived;
    std::vector<int> was_full;
    {
        const std::lock_guard lock(inbox_->mutex);
        arrived.swap(inbox_->frames);
        inbox_->waiting.store(0, std::memory_order_relaxed);
        for (std::size_t source = 0; source < inbox_->queued_by_source.size(); ++source)
            if (std::exchange(inbox_->queued_by_source[source], 0u) >= kMaxQueued)
                was_full.push_back(static_cast<int>(source));
    }
    for (const int source : was_full)
        ring(inbox_of(source));
    for (const InprocHub::Frame& frame : arrived) {
        const std::span bytes(frame.bytes);
        sink.frame(frame.source, bytes.first(frame.header_bytes), bytes.subspan(frame.header_bytes));
    }
    return arrived.size();
}

void InprocTransport::close() noexcept
{
    {
        const std::lock_guard lock(inbox_->mutex);
        inbox_->closed = true;
        inbox_->frames.clear();
        inbox_->waiting.store(0, std::memory_order_relaxed);
    }
    for (const auto& other : hub_->inboxes_)
        ring(*other);
}

}  // namespace tutti::transport
