// Memory that ranks of one node share in collectives: a slot for each rank's data, a place for the result, a
// count of arrivals and a release.
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

#include "transports/shm/inbox.hpp"
#include "transports/shm/memory_file.hpp"

namespace tutti::transport::shm {

/// How the members find the board. Plain bytes.
struct BoardCard {
    std::uint64_t magic;
    std::uint64_t nonce;
    LocalProcess owner;
    std::int32_t descriptor;
    std::uint32_t members;

    /// Nothing when the bytes are no card of this version.
    static std::optional<BoardCard> parse(std::span<const std::byte> bytes) noexcept;
};

/// A board's share of the memory for all boards of this process; communicators beyond it have no board. Each
/// costs addresses and mappings; a process has 65,530 by default.
class BoardShare {
public:
    static constexpr std::size_t kMostBytes = std::size_t{128} << 20;

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
/// the functions that make a board, release() and wake_root() throw tutti::Error.
class NodeBoard {
public:
    static constexpr std::size_t kSlotBytes = 16384;

    static NodeBoard create(std::uint32_t members, const LocalProcess& owner = LocalProcess::self(0, false),
                            DescriptorExchange* exchange = nullptr);
    static NodeBoard open(const BoardCard& card, DescriptorExchange* exchange = nullptr);

    const BoardCard& card() const noexcept { return card_; }
    /// This process is number `member`; the others wake it through this inbox. Must come before any member's
    /// first begin().
    void join(std::uint32_t member, const InboxCard& inbox) noexcept;
    /// Call it when all have joined: nobody else opens the board.
    void close_descriptor() noexcept;

    /// Describes a member's next call, whether it uses the board or not. Members with different words have
    /// made different calls: a mistake in the program.
    using Signature = std::array<std::uint64_t, 2>;
    void announce(const Signature& signature) noexcept;
    /// A member that has announced another call than this one, if there is one. May be asked at any time.
    struct Other {
        std::uint32_t member;
        Signature signature;
    };
    std::optional<Other> disagreement() const noexcept;
    Signature signature() const noexcept { return read(member(own_)); }
    /// Whether `member` has announced as many calls as this one.
    bool is_as_far(std::uint32_t index) const noexcept
    {
        return member(index).announced.load(std::memory_order_relaxed) == announced_;
    }

    /// Starts the next call that uses the board.
    void begin() noexcept { ++call_; }
    /// Where `member` leaves data in this call: kSlotBytes. Others may read it from the last arrival until
    /// they arrive at the next call. Its owner may already write for the next one, so slots are double.
    std::byte* slot(std::uint32_t member) const noexcept;
    /// Where the last member writes the result; the same rules hold.
    std::byte* result() const noexcept { return slot(card_.members); }
    /// True for the last one.
    bool arrive() const noexcept;
    /// Releases the others, and wakes those that sleep.
    void release();
    bool released() const noexcept;
    bool all_arrived() const noexcept;
    /// Wakes member 0, if it sleeps, to check all_arrived().
    void wake_root();

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
    struct alignas(kLine) Member {
        InboxCard inbox;
        // The number and the signature of the member's latest call. The member writes 0, then the signature,
        // then the number (release). A reader that sees the same number before (acquire) and after has the
        // signature that belongs to it.
        alignas(kLine) std::atomic<std::uint64_t> announced;
        std::array<std::atomic<std::uint64_t>, 2> signature;
    };

    NodeBoard(const BoardCard& card, BoardShare share, MemoryFile file, DescriptorExchange* exchange) noexcept
        : card_(card), share_(std::move(share)), file_(std::move(file)), exchange_(exchange)
    {
    }
    static std::size_t slots_start(std::uint32_t members) noexcept;
    static std::size_t size_bytes(std::uint32_t members) noexcept;
    Inbox* inbox_of(std::uint32_t index);
    Header& header() const noexcept { return *reinterpret_cast<Header*>(file_.base()); }
    Member& member(std::uint32_t index) const noexcept;
    static Signature read(const Member& member) noexcept
    {
        return {member.signature[0].load(std::memory_order_relaxed),
                member.signature[1].load(std::memory_order_relaxed)};
    }

    BoardCard card_;
    BoardShare share_;
    MemoryFile file_;
    DescriptorExchange* exchange_;
    std::uint32_t own_ = 0;
    std::uint64_t call_ = 0;       // the latest that used the board
    std::uint64_t announced_ = 0;  // the latest of any kind
    struct Waking {
        std::optional<Inbox> inbox;  // opened at the first wake
        bool has_left = false;
    };
    std::vector<Waking> inboxes_;  // by member
    bool all_looked_for_ = false;
};

}  // namespace tutti::transport::shm
