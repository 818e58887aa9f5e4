// The status page of a rank: what the rank does and waits for, in memory that its daemon reads without its
// help, also when the rank is stopped or dead.
//
// The rank stores plain words; all are relaxed unless their comment names a partner. A reader in another
// process may meet half of a change, or the words of a rank that is broken: it checks what it reads and
// believes no number. Call and peer words are those of the message's envelope.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/observe/message_protocol.hpp"

namespace tutti::observe {

using StatusWord = std::atomic<std::uint64_t>;
static_assert(StatusWord::is_always_lock_free);

/// Only the rank itself stores, one thread at a time.
inline void add_to(StatusWord& word, std::uint64_t more) noexcept
{
    word.store(word.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

enum class Operation : std::uint8_t {
    none,
    send,
    isend,
    recv,
    irecv,
    probe,
    wait_send,  // the peer is a rank of the job
    wait_recv,
    wait_any,  // of several requests
    collective,
    wait_collective,
    window_call,  // the peer is the target, the signature a WindowCall
    file_call,    // the rank is in the file system; the signature is a FileCall. Collective accesses are
                  // collectives
};
inline constexpr Operation kLastOperation = Operation::file_call;

// A request begins, or is waited for; the last two are what a rank's thread for files does for requests, and
// for collectives of programs with several threads.
enum class FileCall : std::uint8_t {
    read,
    write,
    open,
    close,
    size,
    sync,
    read_request,
    write_request,
    helper_read,
    helper_write
};
inline constexpr std::array<std::string_view, 10> kFileCallNames = {"read of a file",
                                                                    "write of a file",
                                                                    "opening of a file",
                                                                    "close of a file",
                                                                    "change of a file's size",
                                                                    "sync of a file",
                                                                    "request to read a file",
                                                                    "request to write a file",
                                                                    "read of a file by tutti-files",
                                                                    "write of a file by tutti-files"};

/// Calls of windows that may wait. A fence, and the end of a window, wait for puts and then as collectives.
enum class WindowCall : std::uint8_t {
    put,
    get,
    accumulate,
    get_accumulate,
    fetch_and_op,
    compare_and_swap,
    lock,
    start,
    wait,
    flush,
    flush_all,
    unlock,
    unlock_all,
    fence,
    complete,
    free,
};
inline constexpr std::array<std::string_view, 16> kWindowCallNames = {
    "put",      "get",  "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap", "lock",
    "start",    "wait", "flush",      "flush_all",      "unlock",       "unlock_all",       "fence",
    "complete", "free"};

/// The lowest bits of a collective's signature: what readers outside of the rank understand of it.
struct CollectiveWord {
    static constexpr int kKindBits = 6;
    static constexpr int kBoardShift = kKindBits;
    static constexpr int kAlgorithmShift = kBoardShift + 1;
    static constexpr int kAlgorithmBits = 5;
    static constexpr int kBits = kAlgorithmShift + kAlgorithmBits;

    std::uint64_t word = 0;

    static constexpr CollectiveWord of(std::uint8_t kind, bool on_board, std::uint8_t algorithm) noexcept
    {
        return {kind | std::uint64_t{on_board} << kBoardShift | std::uint64_t{algorithm} << kAlgorithmShift};
    }
    /// collectives::CallKind; any rank may have written it.
    std::uint8_t kind() const noexcept { return field(0, kKindBits); }
    /// Whether the collective runs on a board.
    bool is_on_board() const noexcept { return field(kBoardShift, 1) != 0; }
    /// The number in the collective's list, from 1; 0: there is only one algorithm.
    std::uint8_t algorithm() const noexcept { return field(kAlgorithmShift, kAlgorithmBits); }

private:
    std::uint8_t field(int shift, int bits) const noexcept
    {
        return static_cast<std::uint8_t>(word >> shift & ((1u << bits) - 1));
    }
};

/// One call in the words of the page. `signature` is that of a collective, as the calls of different ranks
/// are compared; its lowest bits are a CollectiveWord.
struct CallWords {
    std::uint64_t context = 0;
    std::uint64_t peer_and_tag = 0;  // of a collective: its number on the communicator
    std::uint64_t what = 0;          // the bytes and, below them, the operation. On the page kPassing, too
    std::uint64_t signature = 0;

    static constexpr int kBytesBits = 48;
    static constexpr int kBytesShift = 64 - kBytesBits;
    static constexpr std::uint64_t kPassing = 0x100;

    static std::uint64_t what_of(Operation operation, std::uint64_t bytes) noexcept
    {
        return bytes << kBytesShift | static_cast<std::uint64_t>(operation);
    }
    static std::uint64_t pack(std::int32_t peer, std::int32_t tag) noexcept
    {
        return std::uint64_t{static_cast<std::uint32_t>(peer)} << 32 | static_cast<std::uint32_t>(tag);
    }

    Operation operation() const noexcept { return static_cast<Operation>(what & 0xff); }
    std::uint64_t bytes() const noexcept { return what >> kBytesShift; }
    std::int32_t peer() const noexcept { return static_cast<std::int32_t>(peer_and_tag >> 32); }
    std::int32_t tag() const noexcept { return static_cast<std::int32_t>(peer_and_tag & 0xffffffff); }
    std::uint32_t number() const noexcept { return static_cast<std::uint32_t>(peer_and_tag); }
    bool is_collective() const noexcept
    {
        return operation() == Operation::collective || operation() == Operation::wait_collective;
    }
    bool has_signature() const noexcept { return is_collective() || operation() >= Operation::window_call; }
    /// Whether it is a message's call that ended at once.
    bool is_passing() const noexcept { return (what & kPassing) != 0; }
    friend bool operator==(const CallWords&, const CallWords&) = default;
};

struct StatusCall {
    StatusWord context, peer_and_tag, what;
    StatusWord signature;  // of a passing call: StatusPage::repeated as it was when the call came

    void store(const CallWords& call) noexcept
    {
        context.store(call.context, std::memory_order_relaxed);
        peer_and_tag.store(call.peer_and_tag, std::memory_order_relaxed);
        what.store(call.what, std::memory_order_relaxed);
        signature.store(call.signature, std::memory_order_relaxed);
    }
    /// Whether all words but the signature are those of `call`.
    bool is_message(const CallWords& call) const noexcept
    {
        return what.load(std::memory_order_relaxed) == call.what &&
               peer_and_tag.load(std::memory_order_relaxed) == call.peer_and_tag &&
               context.load(std::memory_order_relaxed) == call.context;
    }
    CallWords load() const noexcept
    {
        CallWords call{context.load(std::memory_order_relaxed), peer_and_tag.load(std::memory_order_relaxed),
                       what.load(std::memory_order_relaxed)};
        if (call.has_signature() || call.is_passing())
            call.signature = signature.load(std::memory_order_relaxed);
        return call;
    }
};

/// How many messages, and how many bytes they have. A short message costs one store: the latest are counted
/// together in one word, and moved to the totals when it is full.
struct StatusCount {
    struct Values {
        std::uint64_t messages = 0, bytes = 0;
    };
    static constexpr int kBytesBits = 44;
    static constexpr std::uint64_t kMoving = std::uint64_t{1} << 63;
    static constexpr std::uint64_t kLongBytes = std::uint64_t{1} << 24;  // goes to the totals at once

    StatusWord recent;  // messages, and in the kBytesBits lowest bits their bytes; kMoving: see move()
    StatusWord messages, bytes;

    void add(std::uint64_t size_bytes) noexcept
    {
        if (size_bytes >= kLongBytes) [[unlikely]]
            return move(size_bytes);
        add_short(size_bytes);
    }
    /// Less than kLongBytes.
    void add_short(std::uint64_t size_bytes) noexcept
    {
        const std::uint64_t more =
            recent.load(std::memory_order_relaxed) + (std::uint64_t{1} << kBytesBits) + size_bytes;
        if ((more & kMoving) != 0) [[unlikely]]
            return move(size_bytes);
        recent.store(more, std::memory_order_relaxed);
    }
    /// Any process. A rank that died while it moved them may lose the latest.
    Values load() const noexcept;

private:
    /// Moves the latest, and one message more, to the totals.
    void move(std::uint64_t size_bytes) noexcept;
};

/// Messages by their envelopes, to any rank and from any. `pieces`: all other frames that move messages.
struct StatusTraffic {
    StatusCount sent, arrived;
    StatusWord pieces;

    /// Changes whenever a message has moved on.
    std::uint64_t moves() const noexcept
    {
        return sent.load().messages + arrived.load().messages + pieces.load(std::memory_order_relaxed);
    }
};

template <std::size_t count>
using StatusText = std::array<StatusWord, count / 8>;

struct StatusCommunicator {
    static constexpr std::size_t kNameBytes = 32;

    StatusWord context;  // plus 1; 0: a free entry. Of the user's messages
    StatusWord number;   // of the next collective
    StatusWord members;
    StatusWord rank;  // of this process there
    StatusText<kNameBytes> name;
};

/// The call of a thread, where several may be in calls at once. Under the rank's lock.
struct StatusThread {
    StatusWord thread;  // its number for the kernel; 0: a free entry
    StatusCall call;
};

/// The lock of a window that the rank has held at least once: `held` alone changes when it takes it again.
struct StatusLock {
    enum class Held : std::uint64_t { no, alone, shared };

    StatusWord context;  // of the window's communicator, plus 1; 0: a free entry
    StatusWord
        target_and_holder;  // ranks of the window: whose memory it is for, and this one. As pack() has them
    StatusWord held;        // Held
};

/// What a long wait is for. Written when it has lasted 100 ms and then from time to time, so it may be two
/// seconds old; `begun` and `moves` tell whether anything has happened since.
struct StatusSituation {
    static constexpr std::size_t kAwaits = 16;
    static constexpr std::size_t kArrivals = 8;
    static constexpr std::size_t kTextBytes = 128;

    enum class Kind : std::uint8_t { receive = 1, send = 2, window = 3 };
    /// A receive without its message, a send whose receiver has not asked for the data, or a window's call.
    struct Await {
        StatusWord context, peer_and_tag;
        StatusWord peer;                                  // its rank in the job, as 32 bits; -1: any
        StatusWord flags;                                 // Kind, and:
        static constexpr std::uint64_t kOwn = 0x100;      // the call waits for this one only
        static constexpr std::uint64_t kMatched = 0x200;  // and only data is missing
        static constexpr int kProtocolShift = 12;         // of a send: code_of() its protocol
        static std::uint64_t flags_of(MessageProtocol protocol) noexcept
        {
            return code_of(protocol) << kProtocolShift;
        }
    };
    /// An unexpected message.
    struct Arrival {
        StatusWord context, peer_and_tag, sender, bytes;
    };

    StatusWord sequence;  // odd while the rest changes; see write_begins() and the reader's fences
    StatusWord begun, moves;
    StatusWord in_call;   // else the rank tests again and again
    StatusWord since_ns;  // when the wait began, on base::now_ns()'s clock
    StatusWord noted_ns;
    StatusWord posted, unexpected, offered;  // lengths of these queues
    StatusWord awaits_listed, arrivals_listed;
    std::array<Await, kAwaits> awaits;
    std::array<Arrival, kArrivals> arrivals;
    StatusText<kTextBytes> text;  // more about the call
};

struct StatusPage {
    static constexpr std::uint64_t kMagic = 0x7475747469'04;  // "tutti", and the version of this layout
    static constexpr std::size_t kCalls = 16;
    static constexpr std::size_t kCommunicators = 32;
    static constexpr std::size_t kThreads = 8;
    static constexpr std::size_t kLocks = 256;

    StatusWord magic, size_bytes;  // release: stored when the page is there
    StatusWord pid;
    StatusWord many_threads;
    StatusWord left;  // the rank has left the job

    // One cache line for all that short messages change.
    alignas(64) StatusWord entered;  // twice the number of entries in `calls` so far; odd: the rank is in the
                                     // call of the last one, which may block. Release: after the call's words
    StatusWord repeated;  // calls that have no entry: each is like that of the last one, and ended at once
    StatusTraffic traffic;

    alignas(64) std::array<StatusCall, kCalls> calls;  // entry N at N % kCalls
    alignas(64) std::array<StatusCommunicator, kCommunicators> communicators;
    StatusWord communicators_left_out;  // there was no entry for so many
    alignas(64) std::array<StatusThread, kThreads> threads;
    alignas(64) std::array<StatusLock, kLocks> locks;
    StatusWord locks_left_out;  // there was no entry for so many in the life of the rank
    alignas(64) StatusSituation situation;

    /// The entry that is `back` entries before the next one.
    StatusCall& entry(std::uint64_t entered_word, std::uint64_t back) noexcept
    {
        return calls[((entered_word >> 1) - back) % kCalls];
    }
    /// All calls so far.
    std::uint64_t begun() const noexcept
    {
        return (entered.load(std::memory_order_relaxed) >> 1) + repeated.load(std::memory_order_relaxed);
    }
    bool in_call() const noexcept { return (entered.load(std::memory_order_relaxed) & 1) != 0; }
};

/// Memory that holds a page: the rank's own, or a rank's that its daemon has mapped.
class StatusMemory {
public:
    StatusMemory() noexcept = default;
    /// A new page. It has a descriptor to hand to the daemon, or, if there can be none, is private.
    static StatusMemory create();
    /// Maps a rank's page for reading; empty if it is none of this version.
    static StatusMemory open(base::UniqueFd descriptor) noexcept;
    StatusMemory(StatusMemory&& other) noexcept { *this = std::move(other); }
    StatusMemory& operator=(StatusMemory&& other) noexcept;
    ~StatusMemory();

    explicit operator bool() const noexcept { return page_ != nullptr; }
    StatusPage& operator*() const noexcept { return *page_; }
    StatusPage* operator->() const noexcept { return page_; }
    /// Empty when it was taken, or the page is private.
    base::UniqueFd take_descriptor() noexcept { return std::move(descriptor_); }

private:
    StatusPage* page_ = nullptr;
    base::UniqueFd descriptor_;
};

void store_text(StatusWord* words, std::size_t bytes, std::string_view text) noexcept;

}  // namespace tutti::observe
