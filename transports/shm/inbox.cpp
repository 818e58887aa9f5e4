#include "transports/shm/inbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "lib/foundation/base/futex.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

constexpr std::uint64_t kMagic = 0x30316d6873747574;  // "tutshm10": changes with the layout
// The size that all rings use at first: a page each when there are many ranks.
constexpr std::size_t kInboxBytesAtFirst = 512u << 10;

constexpr std::size_t round_to_page(std::size_t bytes)
{
    return (bytes + kPage - 1) / kPage * kPage;
}

constexpr std::size_t header_bytes(std::uint32_t rings)
{
    return round_to_page(sizeof(InboxHeader) + rings);
}

constexpr std::size_t block_bytes(const InboxContact& contact)
{
    return round_to_page(sizeof(RingSlot) + contact.ring_bytes);
}

constexpr std::size_t inbox_bytes(const InboxContact& contact)
{
    return header_bytes(contact.rings) + contact.rings * block_bytes(contact);
}

// A ring's first part and the slot together fill whole pages.
std::size_t first_part(const InboxContact& contact)
{
    const std::size_t share = std::max(std::bit_floor(kInboxBytesAtFirst / contact.rings), kPage);
    return share >= contact.ring_bytes ? contact.ring_bytes : share - sizeof(RingSlot);
}

// Registered once in each process; the result decides which side pays for the barrier.
bool can_membarrier() noexcept
{
    static const bool registered = base::membarrier_register();
    return registered;
}

}  // namespace

std::optional<InboxContact> InboxContact::parse(std::span<const std::byte> bytes) noexcept
{
    InboxContact contact{};
    if (bytes.size() != sizeof contact)
        return std::nullopt;
    std::memcpy(&contact, bytes.data(), sizeof contact);
    const bool sane = contact.magic == kMagic && contact.rings > 0 && contact.local_rank < contact.rings &&
                      std::has_single_bit(contact.ring_bytes) && contact.ring_bytes >= kSmallestRing &&
                      contact.ring_bytes <= kLargestRing;
    return sane ? std::optional(contact) : std::nullopt;
}

Inbox Inbox::create(std::uint32_t rings, std::uint32_t local_rank, bool peers_must_fence,
                    const LocalProcess& owner)
{
    InboxContact contact{};
    contact.magic = kMagic;
    contact.nonce = new_nonce();
    contact.owner = owner;
    contact.rings = rings;
    contact.local_rank = local_rank;
    contact.ring_bytes = static_cast<std::uint32_t>(ring_bytes(rings));

    MemoryFile file = MemoryFile::create("tutti-inbox", inbox_bytes(contact));
    contact.descriptor = file.descriptor();
    file.allocate(0, header_bytes(rings));
    file.map(header_bytes(rings));
    MemoryMap blocks(file, header_bytes(rings), rings * block_bytes(contact));
    Inbox inbox(contact, std::move(file), std::move(blocks), 0);
    inbox.header().nonce = contact.nonce;
    inbox.header().peers_must_fence = peers_must_fence || !can_membarrier() ? 1 : 0;
    inbox.header().magic = kMagic;
    return inbox;
}

Inbox Inbox::open(const InboxContact& contact, std::optional<std::uint32_t> ring,
                  DescriptorExchange* exchange)
{
    MemoryFile file = MemoryFile::open(contact.owner, contact.descriptor, inbox_bytes(contact), exchange);
    file.map(header_bytes(contact.rings));
    MemoryMap block;
    if (ring) {
        const std::size_t start = header_bytes(contact.rings) + *ring * block_bytes(contact);
        // When pages cannot be added later, the whole ring gets its pages now.
        const std::size_t used =
            MemoryMap::can_allocate() ? sizeof(RingSlot) + first_part(contact) : block_bytes(contact);
        file.allocate(start, used);
        block = MemoryMap(file, start, block_bytes(contact));
        block.populate(0, used);
    }
    file.close_descriptor();

    Inbox inbox(contact, std::move(file), std::move(block), ring.value_or(0));
    if (inbox.header().magic != kMagic || inbox.header().nonce != contact.nonce)
        throw Error(
            ErrorCode::peer_lost, "shared memory",
            fmt::format("process {} is no longer the one that announced its inbox", contact.owner.pid));
    inbox.exchange_ = exchange;
    inbox.must_fence_ = inbox.header().peers_must_fence != 0 || !can_membarrier();
    return inbox;
}

std::size_t Inbox::block_start(std::uint32_t index) const noexcept
{
    return (index - first_block_) * block_bytes(contact_);
}

RingMemory Inbox::ring(std::uint32_t index) const noexcept
{
    return {blocks_.base() + block_start(index) + sizeof(RingSlot), contact_.ring_bytes, &slot(index).control,
            first_part(contact_)};
}

void Inbox::announce_producer(std::uint32_t ring) noexcept
{
    connected(ring).store(1, std::memory_order_release);
    header().connections.fetch_add(1, std::memory_order_release);
}

void Inbox::populate_ring(std::uint32_t index) const noexcept
{
    blocks_.populate(block_start(index), sizeof(RingSlot) + first_part(contact_));
}

void Inbox::extend_ring(std::uint32_t index, std::size_t bytes) const
{
    if (MemoryMap::can_allocate())
        blocks_.allocate(block_start(index), sizeof(RingSlot) + bytes);
}

void Inbox::ring_bell(Sleep sleep) noexcept
{
    InboxHeader& shared = header();
    shared.bell.fetch_add(1, std::memory_order_release);
    if (sleep == Sleep::on_futex)
        base::futex_wake_all(shared.bell);
    else
        line_.ring(contact_.owner, shared.wake_pipe.load(std::memory_order_relaxed), exchange_);
}

}  // namespace tutti::transport::shm
