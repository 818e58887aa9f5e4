// Memory that ranks of one node share in collectives: a slot for each rank's data, a place for the result, a
// count of arrivals and a release; and a stream of chunks from each rank (board_streams.hpp).
//
// When ranks outnumber cores, the cost of a collective is how often each rank must be scheduled. Messages
// need the receiver's turn for every step. Here each rank arrives, and the last one does the rest for all:
// one turn each (the central-counter barrier of Mellor-Crummey and Scott, "Algorithms for scalable
// synchronization on shared-memory multiprocessors", 1991).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transports/shm/board_streams.hpp"
#include "transports/shm/inbox.hpp"
#include "transports/shm/memory_file.hpp"
#include "transports/shm/shared_heap.hpp"

namespace tutti::transport::shm {

/// How the members find the board. Plain bytes.
struct BoardContact {
    std::uint64_t magic;
    std::uint64_t nonce;
    LocalProcess owner;
    std::int32_t descriptor;
    std::uint32_t members;

    /// Nothing when the bytes are no contact of this version.
    static std::optional<BoardContact> parse(std::span<const std::byte> bytes) noexcept;
};

/// A board's share of the memory for all boards of this process; communicators beyond it have no board. Each
/// costs addresses and mappings; a process has 65,530 by default.
class BoardShare {
public:
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    /// Throws tutti::Error (out_of_memory) when no such share is left.
    explicit BoardShare(std::size_t bytes);
    BoardShare(BoardShare&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
    BoardShare& operator=(BoardShare&&) = delete;
    ~BoardShare();

private:
    std::size_t bytes_;
};

/// One member's view. Members make the same calls (begin, arrive, ...) in the same order; a call ends for a
/// member when it is released. The last to arrive must release(), or wake_root() if member 0 releases. Only
/// the functions that make a board and those that wake members throw tutti::Error.
class NodeBoard {
public:
    static constexpr std::size_t kSlotBytes = 16384;
    static constexpr std::size_t kChunkBytes = BoardStreams::kChunkBytes;

    static NodeBoard create(std::uint32_t members, const LocalProcess& owner = LocalProcess::self(0, false),
                            DescriptorExchange* exchange = nullptr);
    static NodeBoard open(const BoardContact& contact, DescriptorExchange* exchange = nullptr);

    const BoardContact& contact() const noexcept { return contact_; }
    /// This process is number `member`; the others wake it through this inbox. Must come before any member's
    /// first begin().
    void join(std::uint32_t member, const InboxContact& inbox) noexcept;
    /// Call it when all have joined: nobody else opens the board.
    void close_descriptor() noexcept;

    /// Describes a member's next call, whether it uses the board or not. Members with different words have
    /// made different calls: a mistake in the program.
    using Signature = std::array<std::uint64_t, 2>;
    void announce(Signature signature) noexcept;
    /// The earliest known call of this member that another one has made with another signature, if there is
    /// one. May be asked at any time.
    struct Disagreement {
        Signature own;
        std::uint32_t member;
        Signature theirs;
    };
    std::optional<Disagreement> disagreement() const noexcept;
    /// Whether `member` has announced as many calls as this one.
    bool is_as_far(std::uint32_t index) const noexcept
    {
        return member(index).announced.load(std::memory_order_relaxed) >= announced_;
    }

    /// Starts the next call that uses slots.
    void begin() noexcept { ++call_; }
    /// Where `member` leaves data in this call: kSlotBytes. Others may read it from the last arrival until
    /// they arrive at the next call. Its owner may already write for the next one, so slots are double.
    std::byte* slot(std::uint32_t member) const noexcept;
    /// Where the last member writes the result; the same rules hold.
    std::byte* result() const noexcept { return slot(contact_.members); }
    /// True for the last one.
    bool arrive() const noexcept;
    /// Releases the others, and wakes those that sleep.
    void release();
    bool released() const noexcept { return header().released.load(std::memory_order_acquire) >= call_; }
    bool all_arrived() const noexcept
    {
        return header().arrived.load(std::memory_order_acquire) >= call_ * contact_.members;
    }
    /// Wakes member 0, if it sleeps, to check all_arrived().
    void wake_root() { wake(0); }

    /// Their key covers all calls announced so far.
    BoardStreams& streams() noexcept { return streams_; }
    /// Publishes this member's chunk, and wakes `reader`, or all others, if they sleep.
    void publish(std::optional<std::uint32_t> reader)
    {
        if (!all_looked_for_) [[unlikely]]
            look_for_all();
        streams_.publish(SharedHeap::is_lent());
        if (reader)
            wake(*reader);
        else
            wake_others();
    }
    /// Passes a position, and wakes the writers that sleep until they have room.
    void pass()
    {
        if (!all_looked_for_) [[unlikely]]
            look_for_all();
        streams_.pass();
        // Dekker's handshake with a writer, which stores waiting(), makes a barrier, then looks for room.
        if (must_fence_) [[unlikely]]
            std::atomic_thread_fence(std::memory_order_seq_cst);
        else
            std::atomic_signal_fence(std::memory_order_seq_cst);
        if (streams_.waiting().load(std::memory_order_relaxed) != 0) [[unlikely]]
            wake_others();
    }

    enum class Event : std::uint8_t { none, released, all_arrived, chunk, room };
    /// True if it has happened; else this member waits for it until has_come() or forget(). `from`: whose
    /// chunk.
    bool await(Event event, std::uint32_t from = 0) noexcept;
    /// Whether the awaited event has happened, which ends the wait.
    bool has_come() noexcept;
    void forget() noexcept;
    /// Whether this member waits for something that `member` has not done.
    bool waits_for(std::uint32_t index) const noexcept;
    /// Whether this member waits for arrivals, or for the release behind them.
    bool waits_for_arrivals() const noexcept
    {
        return (awaited_ == Event::released && !released()) ||
               (awaited_ == Event::all_arrived && !all_arrived());
    }

private:
    struct Header {
        std::uint64_t magic;
        std::uint64_t nonce;
        // Arrivals at all calls so far. acq_rel: the last one to arrive sees the data in all slots; acquire
        // in all_arrived().
        alignas(kLine) std::atomic<std::uint64_t> arrived;
        // The last call that has ended. Release by the last one to arrive, acquire by the others.
        alignas(kLine) std::atomic<std::uint64_t> released;
    };
    // The number and the signature of a call, and a digest of it and all calls before it. The member writes
    // 0, then the rest, then the number (release). A reader that sees the same number before (acquire) and
    // after has what belongs to it.
    struct alignas(32) Announcement {
        std::atomic<std::uint64_t> number;
        std::array<std::atomic<std::uint64_t>, 2> signature;
        std::atomic<std::uint64_t> digest;
    };
    struct Announced {
        Signature signature;
        std::uint64_t digest;
    };
    static constexpr std::uint64_t kKept = 128;  // announcements
    struct alignas(kLine) Member {
        InboxContact inbox;
        alignas(kLine) std::atomic<std::uint64_t> announced;  // calls; relaxed: their announcements say more
        alignas(kLine) std::array<Announcement, kKept> calls;
    };

    NodeBoard(const BoardContact& contact, BoardShare share, MemoryFile file,
              DescriptorExchange* exchange) noexcept
        : contact_(contact), share_(std::move(share)), file_(std::move(file)), exchange_(exchange)
    {
    }
    static std::size_t slots_start(std::uint32_t members) noexcept;
    static std::size_t size_bytes(std::uint32_t members) noexcept;
    static std::size_t streams_start(std::uint32_t members) noexcept;
    Inbox* inbox_of(std::uint32_t index);
    void look_for_all();
    void wake(std::uint32_t index);
    void wake_others();
    bool happened() noexcept;
    std::optional<Announced> call_of(const Member& member, std::uint64_t number) const noexcept;
    Header& header() const noexcept { return *reinterpret_cast<Header*>(file_.base()); }
    Member& member(std::uint32_t index) const noexcept;

    BoardContact contact_;
    BoardShare share_;
    MemoryFile file_;
    DescriptorExchange* exchange_;
    std::uint32_t own_ = 0;
    std::uint64_t call_ = 0;       // the latest that used slots
    std::uint64_t announced_ = 0;  // the latest of any kind
    std::uint64_t digest_ = 0;     // of all announced calls
    BoardStreams streams_;
    Event awaited_ = Event::none;
    std::uint32_t from_ = 0;
    bool must_fence_ = false;  // some member uses no membarrier
    struct Waking {
        std::optional<Inbox> inbox;  // opened at the first wake
        bool has_left = false;
    };
    std::vector<Waking> inboxes_;  // by member
    bool all_looked_for_ = false;
};

}  // namespace tutti::transport::shm
