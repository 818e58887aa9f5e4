// The shared memory that a rank owns and its local peers write to: a doorbell and one ring a peer. Pages of a
// ring are allocated by its sender: few when it connects, more when it uses more of the ring. It maps nothing
// of the inbox but the header and its own ring, side by side with those of others, as page tables of their
// own would cost more than the pages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "transports/shm/local_process.hpp"
#include "transports/shm/memory_file.hpp"
#include "transports/shm/ring.hpp"
#include "transports/shm/shared_copy.hpp"
#include "transports/shm/wake_pipe.hpp"

namespace tutti::transport::shm {

/// How a peer finds and recognises an inbox: the transport's business card. Plain bytes.
struct InboxCard {
    std::uint64_t magic;
    std::uint64_t nonce;  // repeated in the inbox: a recycled pid is found out
    LocalProcess owner;
    std::int32_t descriptor;   // of the memfd in that process
    std::uint32_t rings;       // local ranks
    std::uint32_t local_rank;  // of the owner
    std::uint32_t ring_bytes;

    /// Nothing when the bytes are no card of this version.
    static std::optional<InboxCard> parse(std::span<const std::byte> bytes) noexcept;
};

/// How an inbox's owner sleeps: on the bell's futex, or in a poll() that a byte in its pipe ends, too.
enum class Sleep : std::uint32_t { awake, on_futex, on_descriptors };

/// At the start of the memfd, a line or more apart: what different sides write.
struct InboxHeader {
    std::uint64_t magic;
    std::uint64_t nonce;
    std::uint32_t peers_must_fence;  // the owner uses no membarrier: see `sleeping`
    // Set by the owner before it first sleeps on_descriptors: the store to `sleeping` and the barrier after
    // it publish it.
    std::atomic<std::int32_t> wake_pipe;

    // Changed and futex-woken by peers when `sleeping` is set.
    alignas(kLine) std::atomic<std::uint32_t> bell;
    // Written by the owner only. Dekker pair with the ring's words: the owner stores it, makes a full barrier
    // everywhere (membarrier; or one of its own, where peers_must_fence), then looks at the rings; a peer
    // publishes into a ring, then (compiler barrier, or a full fence where peers_must_fence) looks here.
    alignas(kLine) std::atomic<Sleep> sleeping;
    // Number of rings that have a producer: release by the producer, acquire by the owner.
    alignas(kLine) std::atomic<std::uint32_t> connections;
    // Set when the owner has sent its last frame (release); acquire by a peer that has waited for long.
    std::atomic<bool> departed;
    // One of the peers that copy out of the owner's memory and would like its help: its local rank + 1, or 0.
    // Whoever wants it and finds 0 sets it, and 0 again. Relaxed: see SharedCopy for what orders the rest.
    std::atomic<std::uint32_t> help_wanted;
};

/// One peer's way into the inbox, in front of its ring.
struct RingSlot {
    RingControl control;
    alignas(kLine) InboxCard producer;  // whom to wake when space was made
    SharedCopy copy;                    // out of the producer's memory
};

/// The owner's or a peer's mapping of an inbox. Throws tutti::Error from its makers.
class Inbox {
public:
    /// A new one for `rings` local ranks; this process is number `local_rank` of them. `peers_must_fence`:
    /// the peers shall, although membarrier could do it for them.
    static Inbox create(std::uint32_t rings, std::uint32_t local_rank, bool peers_must_fence = false,
                        const LocalProcess& owner = LocalProcess::self(0, false));
    /// A peer's, by its card: the header, and ring number `ring`, with memory for its slot and what is used
    /// of it at first, when that is given.
    static Inbox open(const InboxCard& card, std::optional<std::uint32_t> ring,
                      DescriptorExchange* exchange = nullptr);

    const InboxCard& card() const noexcept { return card_; }
    InboxHeader& header() const noexcept { return *reinterpret_cast<InboxHeader*>(file_.base()); }
    /// Of a ring that has a producer; on a peer's mapping only the one that open() was asked for.
    RingSlot& slot(std::uint32_t index) const noexcept
    {
        return *reinterpret_cast<RingSlot*>(blocks_.base() + block_start(index));
    }
    /// The ring's memory; likewise.
    RingMemory ring(std::uint32_t index) const noexcept;

    /// The producer's of that ring: its slot is filled in.
    void announce_producer(std::uint32_t ring) noexcept;
    /// The owner's: whether the ring has a producer, whose slot may then be read.
    bool has_producer(std::uint32_t ring) const noexcept
    {
        return connected(ring).load(std::memory_order_acquire) != 0;
    }
    /// The owner's, once the ring's producer has given it pages.
    void populate_ring(std::uint32_t index) const noexcept;
    /// The producer's: gives pages to so much of the ring. Throws (out_of_memory).
    void extend_ring(std::uint32_t index, std::size_t bytes) const;

    /// Wakes the owner if it sleeps, or is about to. Called after something was published for it.
    void wake_owner() noexcept;

private:
    Inbox(const InboxCard& card, MemoryFile file, MemoryMap blocks, std::uint32_t first_block) noexcept
        : card_(card), file_(std::move(file)), blocks_(std::move(blocks)), first_block_(first_block)
    {
    }
    // Behind the header, a byte a ring: 1 once it has a producer. Release by the producer after its slot is
    // filled in; acquire by the owner, who must not touch the ring's pages before.
    std::atomic<std::uint8_t>& connected(std::uint32_t ring) const noexcept
    {
        return reinterpret_cast<std::atomic<std::uint8_t>*>(file_.base() + sizeof(InboxHeader))[ring];
    }
    // In blocks_.
    std::size_t block_start(std::uint32_t index) const noexcept;

    InboxCard card_;
    MemoryFile file_;                // its header mapped
    MemoryMap blocks_;               // a slot and a ring each: the owner's all, a producer's its own
    std::uint32_t first_block_ = 0;  // in blocks_
    bool must_fence_ = false;
    DescriptorExchange* exchange_ = nullptr;
    WakeLine line_;  // to the owner's pipe
};

}  // namespace tutti::transport::shm
