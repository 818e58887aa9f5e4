#include "transports/shm/shm_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/foundation/base/futex.hpp"
#include "transports/shm/capabilities.hpp"
#include "transports/shm/shared_heap.hpp"

namespace tutti::transport::shm {

namespace {

// The most frames that one pass takes from a ring: other rings must get their turn.
constexpr std::size_t kFramesAPass = 8;

bool has_departed(const Inbox& inbox) noexcept
{
    return inbox.header().departed.load(std::memory_order_acquire);  // pairs with close()
}

// Works for unconnected peers, too: it looks into the inbox, which a leaving rank removes.
bool has_departed(const Inbox* known, const InboxContact& contact, DescriptorExchange* exchange)
{
    if (known != nullptr)
        return has_departed(*known);
    try {
        return has_departed(Inbox::open(contact, std::nullopt, exchange));
    } catch (const Error& error) {
        return error.code() == ErrorCode::peer_lost;
    }
}

[[noreturn]] void fail_as_departed(int peer, const std::string& how)
{
    throw Error(ErrorCode::peer_lost, "connect",
                fmt::format("rank {} of the job has left it before this rank first needed it: its program "
                            "has ended, or its Environment is gone ({})",
                            peer, how),
                peer);
}

Inbox open_inbox(int peer, const InboxContact& contact, std::uint32_t ring, DescriptorExchange* exchange)
{
    try {
        Inbox inbox = Inbox::open(contact, ring, exchange);
        if (has_departed(inbox))
            fail_as_departed(peer, "its inbox says so");
        return inbox;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::peer_lost || error.peer() == peer)
            throw;
        fail_as_departed(peer, error.what());
    }
}

std::uint32_t local_rank_of(int rank, std::span<const int> local_peers)
{
    const auto found = std::ranges::lower_bound(local_peers, rank);
    if (found == local_peers.end() || *found != rank)
        throw Error(ErrorCode::internal, "shared memory", "this rank is not among its node's ranks");
    return static_cast<std::uint32_t>(found - local_peers.begin());
}

}  // namespace

ShmTransport::ShmTransport(int rank, std::span<const int> local_peers, ShmOptions options)
    : local_peers_(local_peers.begin(), local_peers.end()),
      exchange_(options.exchange),
      shares_copies_(options.shares_copies),
      inbox_(Inbox::create(static_cast<std::uint32_t>(local_peers.size()), local_rank_of(rank, local_peers),
                           options.sleeps_often, LocalProcess::self(rank, exchange_ != nullptr)))
{
    // Stays deposited: a late opener sees there that this rank has left.
    if (exchange_ != nullptr)
        exchange_->deposit(inbox_.contact().descriptor);
    outgoing_.resize(static_cast<std::size_t>(local_peers_.back()) + 1);
    lost_.resize(outgoing_.size());
    credits_.resize(outgoing_.size());
    incoming_.reserve(local_peers_.size());
}

Capabilities ShmTransport::capabilities() const noexcept
{
    Capabilities capabilities = capabilities_of(local_peers_.size());
    if (!shares_copies_)
        capabilities.early_bytes = 0;
    return capabilities;
}

std::vector<std::byte> ShmTransport::address() const
{
    const auto bytes = std::as_bytes(std::span(&inbox_.contact(), 1));
    return {bytes.begin(), bytes.end()};
}

bool ShmTransport::reach(int peer, std::span<const std::byte> contact) const noexcept
{
    const auto parsed = InboxContact::parse(contact);
    return parsed && parsed->owner.within_reach(exchange_) && parsed->rings == local_peers_.size() &&
           local_peers_[parsed->local_rank] == peer;
}

std::string ShmTransport::unreachable(std::span<const std::byte> contact) const
{
    const auto parsed = InboxContact::parse(contact);
    if (!parsed || !parsed->owner.on_this_host() || parsed->owner.within_reach(exchange_))
        return {};
    return "they run in different process namespaces, and no daemon of tuttirun hands their memory over";
}

bool ShmTransport::can_open(std::span<const std::byte> contact) const
{
    const auto parsed = InboxContact::parse(contact);
    if (!parsed || !parsed->owner.within_reach(exchange_))
        return false;
    try {
        static_cast<void>(Inbox::open(*parsed, std::nullopt, exchange_));
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::not_supported && error.code() != ErrorCode::peer_lost)
            throw;
        return error.code() == ErrorCode::peer_lost;
    }
}

void ShmTransport::connect(int peer, std::span<const std::byte> contact)
{
    const auto parsed = InboxContact::parse(contact);
    if (!parsed)
        throw Error(ErrorCode::protocol, "connect",
                    "the peer's shared-memory contact is of another Tutti version", peer);
    const std::uint32_t mine = inbox_.contact().local_rank;
    Inbox theirs = open_inbox(peer, *parsed, mine, exchange_);
    theirs.slot(mine).producer = inbox_.contact();
    theirs.announce_producer(mine);
    RingProducer ring(theirs.ring(mine), credits_[static_cast<std::size_t>(peer)]);
    outgoing_[static_cast<std::size_t>(peer)] =
        std::make_unique<Outgoing>(Outgoing{std::move(theirs), ring, {}});
}

SendResult ShmTransport::send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                              Completion&)
{
    Outgoing& to = *outgoing_[static_cast<std::size_t>(peer)];
    if (!to.ring.try_write(header, payload)) [[unlikely]]
        return send_to_full_ring(peer, header, payload);
    if (to.full) [[unlikely]]
        note_room(to);
    to.inbox.wake_owner();
    return SendResult::done;
}

SendResult ShmTransport::send_to_full_ring(int peer, std::span<const std::byte> header,
                                           std::span<const std::byte> payload)
{
    Outgoing& to = *outgoing_[static_cast<std::size_t>(peer)];
    if (!write_to_larger_part(to, header, payload)) {
        if (lost_[static_cast<std::size_t>(peer)])
            return SendResult::done;
        full_count_ += !to.full;
        to.full = true;
        return SendResult::again;
    }
    if (to.full)
        note_room(to);
    to.inbox.wake_owner();
    return SendResult::done;
}

void ShmTransport::note_room(Outgoing& to) noexcept
{
    to.full = false;
    --full_count_;
}

bool ShmTransport::write_to_larger_part(Outgoing& to, std::span<const std::byte> header,
                                        std::span<const std::byte> payload)
{
    while (const std::size_t part = to.ring.wanted_part()) {
        to.inbox.extend_ring(inbox_.contact().local_rank, part);
        to.ring.use_part(part);
        if (to.ring.try_write(header, payload))
            return true;
    }
    return false;
}

RemoteRegion ShmTransport::expose(std::span<const std::byte> data) const noexcept
{
    const auto region = SharedHeap::instance().find(data.data(), data.size());
    if (!region)
        return RemoteMemory::expose(data);
    if (exchange_ != nullptr && std::ranges::find(deposited_, region->key) == deposited_.end()) {
        exchange_->deposit(arena_descriptor(region->key));
        deposited_.push_back(region->key);
    }
    return *region;
}

std::span<std::byte> ShmTransport::map(int peer, const RemoteRegion& region, std::size_t bytes)
{
    const auto index = static_cast<std::size_t>(peer);
    if (index >= outgoing_.size() || outgoing_[index] == nullptr)
        return {};
    Outgoing& to = *outgoing_[index];
    return to.arenas.view(to.inbox.contact().owner, region, bytes, exchange_);
}

std::size_t ShmTransport::progress(Sink& sink)
{
    if (inbox_.header().connections.load(std::memory_order_acquire) != known_connections_) [[unlikely]]
        accept_connections();
    std::size_t events = 0;
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
        Incoming& incoming = incoming_[i];
        const int peer = incoming.peer;
        std::size_t frames = 0;
        for (; frames < kFramesAPass; ++frames) {
            const auto result = incoming.ring.poll(
                [&sink, peer](auto header, auto payload) { sink.frame(peer, header, payload); });
            if (result == RingConsumer::Poll::empty) [[likely]]
                break;
            if (result == RingConsumer::Poll::corrupt) [[unlikely]]
                throw Error(ErrorCode::protocol, "progress", "a shared-memory ring holds no valid frame",
                            peer);
        }
        events += frames;
        if (frames != 0 && incoming.ring.report())
            wake_producer(incoming);
    }
    if (!copies_.empty()) [[unlikely]]
        events += end_copies();
    if (events != 0)
        return events;
    if (const auto wanted = inbox_.header().help_wanted.load(std::memory_order_relaxed)) [[unlikely]]
        events += help(wanted - 1);
    // The loss of a dead peer follows its last frame: only report it when the rings are empty.
    if (!losses_.empty()) [[unlikely]]
        events += report_losses(sink);
    return events;
}

void ShmTransport::accept_connections()
{
    known_connections_ = inbox_.header().connections.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < local_peers_.size(); ++i) {
        const int peer = local_peers_[i];
        const bool known =
            std::ranges::any_of(incoming_, [&](const Incoming& other) { return other.peer == peer; });
        if (!known && inbox_.has_producer(i)) {
            inbox_.populate_ring(i);
            incoming_.push_back({peer, RingConsumer(inbox_.ring(i), credits_[static_cast<std::size_t>(peer)]),
                                 &inbox_.slot(i), nullptr});
        }
    }
}

// Dekker's handshake with arm(): the producer stores producer_waits, makes a barrier on all threads, then
// checks for room; here the room is published (report), then producer_waits is checked.
void ShmTransport::wake_producer(Incoming& incoming) noexcept
{
    std::atomic_thread_fence(std::memory_order_seq_cst);  // once in a quarter of the ring
    if (incoming.slot->control.producer_waits.load(std::memory_order_relaxed) == 0) [[likely]]
        return;
    incoming.slot->control.producer_waits.store(0, std::memory_order_relaxed);
    try {
        if (incoming.producer == nullptr)
            incoming.producer =
                std::make_unique<Inbox>(Inbox::open(incoming.slot->producer, std::nullopt, exchange_));
        incoming.producer->wake_owner();
    } catch (const Error&) {
        // The producer is gone and needs no wake. Its frames are still delivered.
    }
}

void ShmTransport::arm()
{
    const Sleep how = wake_pipe_.reading_end() >= 0 ? Sleep::on_descriptors : Sleep::on_futex;
    inbox_.header().sleeping.store(how, std::memory_order_release);  // pairs with wake_owner(): wake_pipe
    find_absent_peers();
    if (full_count_ != 0) {
        for (const auto& to : outgoing_)
            if (to != nullptr && to->full)
                to->ring.control().producer_waits.store(1, std::memory_order_relaxed);
    }
    if (inbox_.header().peers_must_fence != 0 || !base::membarrier_all())
        std::atomic_thread_fence(std::memory_order_seq_cst);
}

void ShmTransport::disarm() noexcept
{
    inbox_.header().sleeping.store(Sleep::awake, std::memory_order_relaxed);
    if (wake_pipe_.reading_end() >= 0)
        wake_pipe_.drain();
}

int ShmTransport::wait_fd()
{
    if (wake_pipe_.reading_end() < 0 && wake_pipe_.open()) {
        if (exchange_ != nullptr)
            exchange_->deposit(wake_pipe_.writing_end());
        inbox_.header().wake_pipe.store(wake_pipe_.writing_end(), std::memory_order_relaxed);
    }
    return wake_pipe_.reading_end();
}

// A peer that died or left never makes room in a full ring, and never finishes its piece of a copy.
void ShmTransport::find_absent_peers()
{
    const auto look_after_one = [this](int peer) {
        const Inbox& inbox = outgoing_[static_cast<std::size_t>(peer)]->inbox;
        if (has_departed(inbox))
            lose(peer, true);
        else if (inbox.contact().owner.has_ended())
            lose(peer, false);
    };
    for (std::size_t peer = 0; full_count_ != 0 && peer < outgoing_.size(); ++peer)
        if (outgoing_[peer] != nullptr && outgoing_[peer]->full)
            look_after_one(static_cast<int>(peer));
    for (const Copy& copy : copies_)
        look_after_one(copy.peer);
}

void ShmTransport::lose(int peer, bool has_left)
{
    if (lost_[static_cast<std::size_t>(peer)])
        return;
    lost_[static_cast<std::size_t>(peer)] = true;
    if (Outgoing* to = outgoing_[static_cast<std::size_t>(peer)].get(); to != nullptr && to->full) {
        to->full = false;
        --full_count_;
    }
    // The peer may have died while it wanted help.
    std::uint32_t lost = local_rank_of(peer, local_peers_) + 1;
    inbox_.header().help_wanted.compare_exchange_strong(lost, 0, std::memory_order_relaxed);
    losses_.emplace_back(peer, has_left);
}

// Shared memory does not show that a peer has left or died.
Presence ShmTransport::look_after(int peer, std::span<const std::byte> contact)
{
    if (lost_[static_cast<std::size_t>(peer)])
        return Presence::gone;
    const auto parsed = InboxContact::parse(contact);
    if (!parsed)
        return Presence::here;
    const Outgoing* to = outgoing_[static_cast<std::size_t>(peer)].get();
    const Inbox* const inbox = to != nullptr ? &to->inbox : nullptr;
    const bool ended = parsed->owner.has_ended();
    if (!ended && !has_departed(inbox, *parsed, exchange_))
        return Presence::here;
    // A peer without a connection that has ended leaves no reason.
    lose(peer, !ended || (inbox != nullptr && has_departed(*inbox)));
    return Presence::gone;
}

std::size_t ShmTransport::report_losses(Sink& sink)
{
    const auto losses = std::exchange(losses_, {});
    for (const auto& [peer, has_left] : losses)
        sink.peer_lost(peer,
                       {has_left ? "it has left the job" : "its process has ended on this host", has_left});
    return losses.size();
}

void ShmTransport::close() noexcept
{
    for (const Copy& copy : std::exchange(copies_, {})) {
        outlast_helper(copy);
        copy.completion->fire(*copy.completion, ErrorCode::cancelled);
    }
    inbox_.header().departed.store(true, std::memory_order_release);  // pairs with has_departed()
    outgoing_.clear();
    incoming_.clear();
    full_count_ = 0;
}

}  // namespace tutti::transport::shm
