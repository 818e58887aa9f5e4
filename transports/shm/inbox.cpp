#include "transports/shm/inbox.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/base/futex.hpp"
#include "lib/base/unique_fd.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

constexpr std::uint64_t kMagic = 0x36306d6873747574;  // "tutshm06": changes with the layout
constexpr std::size_t kHeaderBytes = (sizeof(InboxHeader) + kLine - 1) / kLine * kLine;

// A rank's rings share this much: large enough that a pipeline of two copies runs at full speed among a few
// ranks, small enough that many ranks that all talk to all stay within a gigabyte.
constexpr std::size_t kInboxBytes = 4u << 20;
constexpr std::size_t kSmallestRing = 32u << 10;
constexpr std::size_t kLargestRing = 256u << 10;

constexpr std::size_t round_to_page(std::size_t bytes)
{
    return (bytes + kPage - 1) / kPage * kPage;
}

std::size_t rings_start(std::uint32_t rings)
{
    return round_to_page(kHeaderBytes + rings * sizeof(RingSlot));
}

// Registered once a process; what it answers decides who pays for the barrier.
bool can_membarrier() noexcept
{
    static const bool registered = base::membarrier_register();
    return registered;
}

}  // namespace

std::optional<InboxCard> InboxCard::parse(std::span<const std::byte> bytes) noexcept
{
    InboxCard card{};
    if (bytes.size() != sizeof card)
        return std::nullopt;
    std::memcpy(&card, bytes.data(), sizeof card);
    const bool sane = card.magic == kMagic && card.rings > 0 && card.local_rank < card.rings &&
                      std::has_single_bit(card.ring_bytes) && card.ring_bytes >= kSmallestRing &&
                      card.ring_bytes <= kLargestRing;
    return sane ? std::optional(card) : std::nullopt;
}

bool InboxCard::here() const noexcept
{
    return host == this_host();
}

bool InboxCard::has_ended() const noexcept
{
    if (kill(pid, 0) != 0)
        return errno == ESRCH;
    // Whom its parent has not yet asked after is no longer there, either.
    const base::UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    pollfd ends{.fd = process.get(), .events = POLLIN, .revents = 0};
    return process && poll(&ends, 1, 0) == 1;
}

Inbox Inbox::create(std::uint32_t rings, std::uint32_t local_rank, bool peers_must_fence)
{
    InboxCard card{};
    card.magic = kMagic;
    card.host = this_host();
    card.nonce = new_nonce();
    card.pid = getpid();
    card.rings = rings;
    card.local_rank = local_rank;
    card.ring_bytes = std::clamp(std::bit_floor(kInboxBytes / rings), kSmallestRing, kLargestRing);

    MemoryFile file = MemoryFile::create("tutti-inbox", rings_start(rings) + rings * card.ring_bytes);
    card.descriptor = file.descriptor();
    file.allocate(0, rings_start(rings));
    Inbox inbox(card, std::move(file));
    inbox.header().nonce = card.nonce;
    inbox.header().peers_must_fence = peers_must_fence || !can_membarrier() ? 1 : 0;
    inbox.header().magic = kMagic;
    return inbox;
}

Inbox Inbox::open(const InboxCard& card, std::optional<std::uint32_t> ring)
{
    const std::size_t start = rings_start(card.rings);
    const std::size_t bytes = start + card.rings * card.ring_bytes;
    MemoryFile file = MemoryFile::open(card.pid, card.descriptor, bytes);
    if (ring)
        file.allocate(start + *ring * card.ring_bytes, card.ring_bytes);
    file.map(ring ? bytes : start);
    if (ring)
        file.populate(start + *ring * card.ring_bytes, card.ring_bytes);
    file.close_descriptor();

    Inbox inbox(card, std::move(file));
    if (inbox.header().magic != kMagic || inbox.header().nonce != card.nonce)
        throw Error(ErrorCode::peer_lost, "shared memory",
                    fmt::format("process {} is no longer the one that announced its inbox", card.pid));
    inbox.must_fence_ = inbox.header().peers_must_fence != 0 || !can_membarrier();
    return inbox;
}

RingSlot& Inbox::slot(std::uint32_t index) const noexcept
{
    return reinterpret_cast<RingSlot*>(file_.base() + kHeaderBytes)[index];
}

void Inbox::populate_ring(std::uint32_t index) const noexcept
{
    file_.populate(rings_start(card_.rings) + index * card_.ring_bytes, card_.ring_bytes);
}

RingMemory Inbox::ring(std::uint32_t index) const noexcept
{
    return {file_.base() + rings_start(card_.rings) + index * card_.ring_bytes, card_.ring_bytes,
            &slot(index).control};
}

void Inbox::wake_owner() noexcept
{
    if (must_fence_) [[unlikely]]
        std::atomic_thread_fence(std::memory_order_seq_cst);
    else
        std::atomic_signal_fence(std::memory_order_seq_cst);
    InboxHeader& shared = header();
    const Sleep sleep = shared.sleeping.load(std::memory_order_acquire);  // acquire: wake_pipe
    if (sleep != Sleep::awake) [[unlikely]] {
        shared.bell.fetch_add(1, std::memory_order_release);
        if (sleep == Sleep::on_futex)
            base::futex_wake_all(shared.bell);
        else
            line_.ring(card_.pid, shared.wake_pipe.load(std::memory_order_relaxed));
    }
}

}  // namespace tutti::transport::shm
