// Memory that ranks of one node use together in collectives: a slot for each to leave data in, a place for
// the result, a count of arrivals and a release.
//
// Where ranks outnumber cores, what a collective costs is how often each rank must be scheduled. Messages
// need the receiver's turn for every step; here a rank arrives, and the last one to arrive does the rest for
// all: one turn each (the central-counter barrier of Mellor-Crummey and Scott, "Algorithms for scalable
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

/// A board's part of what all boards of this process may take together. Communicators beyond do without a
/// board, as each costs addresses and mappings, of which a process has 65,530 by default.
class BoardShare {
public:
    static constexpr std::size_t kMostBytes = std::size_t{128} << 20;

    /// Throws tutti::Error (out_of_memory) where that is used up.
    explicit BoardShare(std::size_t bytes);
    BoardShare(BoardShare&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
    BoardShare& operator=(BoardShare&&) = delete;
    ~BoardShare();

private:
    std::size_t bytes_;
};

/// One member's view. Members make the same calls (begin, arrive, ...) in the same order; a call is over for
/// a member when it is released. The last to arrive must release(), or wake_root() where member 0 does that.
/// Throws tutti::Error from its makers, release() and wake_root() only.
class NodeBoard {
public:
    static constexpr std::size_t kSlotBytes = 16384;

    static NodeBoard create(std::uint32_t members, const LocalProcess& owner = LocalProcess::self(0, false),
                            DescriptorExchange* exchange = nullptr);
    static NodeBoard open(const BoardCard& card, DescriptorExchange* exchange = nullptr);

    const BoardCard& card() const noexcept { return card_; }
    /// This process is number `member`; the others wake it by this inbox. Before the first begin() of
    /// anybody.
    void join(std::uint32_t member, const InboxCard& inbox) noexcept;
    /// All have joined: nobody else will open it.
    void close_descriptor() noexcept;

    /// What the members' next call is, whether it uses the board or not. Different words at two members are a
    /// mistake of the program's.
    using Signature = std::array<std::uint64_t, 2>;
    void announce(const Signature& signature) noexcept;
    /// A member that has announced something else for the call that this one is in, if there is one; any
    /// time.
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

    /// The next call that uses the board.
    void begin() noexcept { ++call_; }
    /// Where `member` leaves data in this call: kSlotBytes. Others may read it from the last arrival on until
    /// they arrive at the next call, while its owner may already write for that one: hence two sets of slots.
    std::byte* slot(std::uint32_t member) const noexcept;
    /// The last one's place for what it made of the slots; likewise.
    std::byte* result() const noexcept { return slot(card_.members); }
    /// True for the last.
    bool arrive() const noexcept;
    /// Lets the others go, and wakes those that sleep.
    void release();
    bool released() const noexcept;
    bool all_arrived() const noexcept;
    /// Wakes member 0, if it sleeps, for what all_arrived() says now.
    void wake_root();

private:
    struct Header {
        std::uint64_t magic;
        std::uint64_t nonce;
        // Arrivals at all calls so far. acq_rel: the last to arrive sees what all have left in their slots;
        // acquire in all_arrived().
        alignas(kLine) std::atomic<std::uint64_t> arrived;
        // The last call that is over. Release by the last one, acquire by the others.
        alignas(kLine) std::atomic<std::uint64_t> released;
    };
    struct alignas(kLine) Member {
        InboxCard inbox;
        // The number and the signature of the member's latest call. Written by the member: 0, then the
        // signature, then the number (release); a reader that sees the same number before (acquire) and after
        // has the signature that belongs to it.
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
    std::uint64_t call_ = 0;       // that used the board
    std::uint64_t announced_ = 0;  // of any kind
    struct Waking {
        std::optional<Inbox> inbox;  // opened when it first has to be woken
        bool has_left = false;
    };
    std::vector<Waking> inboxes_;  // by member
    bool all_looked_for_ = false;
};

}  // namespace tutti::transport::shm
