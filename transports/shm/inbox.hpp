// Shared memory that a rank owns and its local peers write to: a doorbell and one ring for each peer. A
// ring's pages are allocated by its sender: few when it connects, more when it uses more of the ring. The
// sender maps only the header and its own ring. The rings lie side by side, as separate page tables would
// cost more than the pages.
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

/// How a peer finds and recognises an inbox: the transport's contact. Plain bytes.
struct InboxContact {
    std::uint64_t magic;
    std::uint64_t nonce;  // repeated in the inbox, so that a recycled pid is noticed
    LocalProcess owner;
    std::int32_t descriptor;   // of the memfd in that process
    std::uint32_t rings;       // local ranks
    std::uint32_t local_rank;  // of the owner
    std::uint32_t ring_bytes;

    /// Nothing when the bytes are no contact of this version.
    static std::optional<InboxContact> parse(std::span<const std::byte> bytes) noexcept;
};

/// How an inbox's owner sleeps: on the bell's futex, or in a poll(), which a byte in its pipe also ends.
enum class Sleep : std::uint32_t { awake, on_futex, on_descriptors };

/// At the start of the memfd. Data that different sides write is a line or more apart.
struct InboxHeader {
    std::uint64_t magic;
    std::uint64_t nonce;
    std::uint32_t peers_must_fence;  // the owner uses no membarrier: see `sleeping`
    // Set by the owner before it first sleeps on_descriptors. The store to `sleeping` and the barrier after
    // it publish the value.
    std::atomic<std::int32_t> wake_pipe;

    // Peers change it and wake its futex when `sleeping` is set.
    alignas(kLine) std::atomic<std::uint32_t> bell;
    // Written by the owner only. Dekker's handshake with the ring's words: the owner stores it, makes a full
    // barrier on all threads (membarrier; its own barrier if peers_must_fence), then looks at the rings; a
    // peer publishes into a ring, then (compiler barrier; full fence if peers_must_fence) looks here.
    alignas(kLine) std::atomic<Sleep> sleeping;
    // Number of rings that have a producer: release by the producer, acquire by the owner.
    alignas(kLine) std::atomic<std::uint32_t> connections;
    // Set when the owner has sent its last frame (release); acquire by a peer that has waited for long.
    std::atomic<bool> departed;
    // Local rank + 1 of a peer that copies from the owner's memory and wants its help, or 0. A peer that
    // finds 0 sets it, and resets it to 0 later. Relaxed: SharedCopy orders the rest.
    std::atomic<std::uint32_t> help_wanted;
};

/// One peer's slot in the inbox, in front of its ring.
struct RingSlot {
    RingControl control;
    alignas(kLine) InboxContact producer;  // the peer to wake after space was freed
    SharedCopy copy;                    // from the producer's memory
};

/// The owner's or a peer's mapping of an inbox. The functions that make one throw tutti::Error.
class Inbox {
public:
    /// A new one for `rings` local ranks; this process is number `local_rank`. `peers_must_fence`: the peers
    /// must fence, even if membarrier could replace that.
    static Inbox create(std::uint32_t rings, std::uint32_t local_rank, bool peers_must_fence = false,
                        const LocalProcess& owner = LocalProcess::self(0, false));
    /// A peer's mapping, by its contact: the header, and ring number `ring` if given, with memory for its
    /// slot and the first part of the ring.
    static Inbox open(const InboxContact& contact, std::optional<std::uint32_t> ring,
                      DescriptorExchange* exchange = nullptr);

    const InboxContact& contact() const noexcept { return contact_; }
    InboxHeader& header() const noexcept { return *reinterpret_cast<InboxHeader*>(file_.base()); }
    /// The slot of a ring that has a producer. A peer's mapping has only the one that open() was asked for.
    RingSlot& slot(std::uint32_t index) const noexcept
    {
        return *reinterpret_cast<RingSlot*>(blocks_.base() + block_start(index));
    }
    /// The memory of such a ring.
    RingMemory ring(std::uint32_t index) const noexcept;

    /// For the producer of that ring, once its slot is filled in.
    void announce_producer(std::uint32_t ring) noexcept;
    /// For the owner: whether the ring has a producer; then its slot may be read.
    bool has_producer(std::uint32_t ring) const noexcept
    {
        return connected(ring).load(std::memory_order_acquire) != 0;
    }
    /// For the owner, once the ring's producer has allocated its pages.
    void populate_ring(std::uint32_t index) const noexcept;
    /// For the producer: allocates this much of the ring. Throws (out_of_memory).
    void extend_ring(std::uint32_t index, std::size_t bytes) const;

    /// Wakes the owner if it sleeps or is about to. Call it after something was published for the owner.
    void wake_owner() noexcept
    {
        if (must_fence_) [[unlikely]]
            std::atomic_thread_fence(std::memory_order_seq_cst);
        else
            std::atomic_signal_fence(std::memory_order_seq_cst);
        const Sleep sleep = header().sleeping.load(std::memory_order_acquire);  // pairs with arm(): wake_pipe
        if (sleep != Sleep::awake) [[unlikely]]
            ring_bell(sleep);
    }
    /// Of a peer's mapping: whether only a full fence orders this peer's stores before its look at
    /// `sleeping`.
    bool must_fence() const noexcept { return must_fence_; }

private:
    Inbox(const InboxContact& contact, MemoryFile file, MemoryMap blocks, std::uint32_t first_block) noexcept
        : contact_(contact), file_(std::move(file)), blocks_(std::move(blocks)), first_block_(first_block)
    {
    }
    // Behind the header, one byte for each ring: 1 once it has a producer. Release by the producer after its
    // slot is filled in; acquire by the owner, which must not touch the ring's pages before.
    std::atomic<std::uint8_t>& connected(std::uint32_t ring) const noexcept
    {
        return reinterpret_cast<std::atomic<std::uint8_t>*>(file_.base() + sizeof(InboxHeader))[ring];
    }
    void ring_bell(Sleep sleep) noexcept;
    // Offset in blocks_.
    std::size_t block_start(std::uint32_t index) const noexcept;

    InboxContact contact_;
    MemoryFile file_;                // its header mapped
    MemoryMap blocks_;               // slots with their rings: all in the owner, its own in a producer
    std::uint32_t first_block_ = 0;  // in blocks_
    bool must_fence_ = false;
    DescriptorExchange* exchange_ = nullptr;
    WakeLine line_;  // to the owner's pipe
};

}  // namespace tutti::transport::shm
