// What a daemon says about its ranks: like ranks folded, so that the report of a node of any size is short.
#pragma once

#include <climits>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "launcher/report/rank_load.hpp"
#include "launcher/wire/codec.hpp"
#include "lib/foundation/observe/status_page.hpp"

namespace tutti::launcher {

/// Ascending, as first and last.
using Ranges = std::vector<std::pair<int, int>>;
void add_rank(Ranges& ranges, int rank);
Ranges merged(const Ranges& one, const Ranges& other);
/// "0-2, 4"; what is too long for a line ends by how many more there are.
std::string ranges_in_words(const Ranges& ranges);
int count_of(const Ranges& ranges);

enum class RankState : std::uint8_t {
    computing,
    waiting,
    polling,   // tests requests again and again
    sleeping,  // in no call, and uses no processor
    stopped,
    traced,  // a debugger holds it
    left,    // has left the job
    ended,
    unknown,  // has not joined the job
};

/// Ranks that do the same for about the same time.
struct RankGroup {
    static constexpr int kVarious = INT_MIN;  // as peer or tag: not the same for all
    static constexpr std::uint64_t kVariousContexts = ~std::uint64_t{0};

    RankState state = RankState::unknown;
    bool many_threads = false;
    observe::Operation operation =
        observe::Operation::none;  // the call; the last one if the ranks are in none
    std::uint8_t kind = 0;         // of a collective, or a observe::WindowCall or FileCall
    std::uint64_t context = 0;
    std::string communicator;
    std::uint32_t number = 0;  // of a collective
    int peer = 0;              // a rank of the communicator; of wait_send, of the job
    int tag = 0;
    std::uint64_t bytes = 0;
    std::string more;     // about the call: "1 MiB, sum of float32", "bytes 16 to 24, in the epoch of lock()"
    std::string holders;  // of the lock that the call is for: "held by 2"; only the head knows
    Ranges ranks;
    double least_seconds = 0;
    double most_seconds = 0;
    int longest = 0;  // the rank with the most seconds
    RankLoad load;

    bool in_call() const noexcept { return state == RankState::waiting; }
    bool is_collective() const noexcept
    {
        return operation == observe::Operation::collective ||
               operation == observe::Operation::wait_collective;
    }
    bool is_at_window() const noexcept { return operation == observe::Operation::window_call; }
    bool is_at_file() const noexcept { return operation == observe::Operation::file_call; }
    bool wants_lock() const noexcept
    {
        return is_at_window() && static_cast<observe::WindowCall>(kind) == observe::WindowCall::lock;
    }
    /// Whether all but ranks, times, load and holders is the same.
    bool is_like(const RankGroup& other) const;
    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.state, self.many_threads, self.operation, self.kind, self.context,
                        self.communicator, self.number, self.peer, self.tag, self.bytes, self.more,
                        self.ranks, self.least_seconds, self.most_seconds, self.longest, self.load);
    }
};

/// Adds a group to others, of which at most `most` remain: then differences count less.
void fold(std::vector<RankGroup>& groups, RankGroup group, std::size_t most);

/// Where there are more than `most`, waits on different communicators count as alike.
void fold_communicators(std::vector<RankGroup>& groups, std::size_t most);

/// A rank of the job that waits for another one to send or to receive, or at a window.
struct WaitEdge {
    static constexpr int kNoLock = -1;

    int rank = 0;
    int peer = 0;  // in the job; -1: any
    int tag = 0;
    std::uint64_t context = 0;
    bool send = false;
    bool own = false;       // the rank waits for nothing else
    bool matched = false;   // and only data is missing
    int lock_of = kNoLock;  // it waits for the lock of this rank of the window
    bool in_mpi = false;    // the program calls MPI's functions

    static auto fields(auto& self)
    {
        return std::tie(self.rank, self.peer, self.tag, self.context, self.send, self.own, self.matched,
                        self.lock_of, self.in_mpi);
    }
};

/// A message that lies unexpected.
struct LyingMessage {
    int rank = 0;    // where
    int sender = 0;  // in the job
    int tag = 0;
    std::uint64_t context = 0;
    std::uint64_t bytes = 0;
    std::string communicator;

    static auto fields(auto& self)
    {
        return std::tie(self.rank, self.sender, self.tag, self.context, self.bytes, self.communicator);
    }
};

/// How far ranks are in the collectives of a communicator.
struct CollectiveState {
    std::uint64_t context = 0;
    std::uint32_t next = 0;  // the number of the next one
    Ranges ranks;

    static auto fields(auto& self) { return std::tie(self.context, self.next, self.ranks); }
};

/// Who holds the lock of a rank of a window.
struct LockHolders {
    std::uint64_t context = 0;
    int target = 0;  // of the window, as are `holders`
    bool shared = false;
    Ranges holders;
    Ranges ranks;  // the holders as ranks of the job

    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.context, self.target, self.shared, self.holders, self.ranks);
    }
};

/// Adds to others, of which at most `most` remain.
void add_holders(std::vector<LockHolders>& locks, const LockHolders& more, std::size_t most);

/// A sentence about a rank that only its node can say.
struct RankNote {
    int rank = 0;
    std::string text;

    static auto fields(auto& self) { return std::tie(self.rank, self.text); }
};

struct NodeReport {
    std::uint32_t number = 0;  // of the question
    bool quiet = false;        // all ranks wait, and nothing moves
    std::uint64_t sent = 0;    // messages of all ranks
    std::uint64_t arrived = 0;
    std::vector<RankGroup> groups;
    std::vector<WaitEdge> edges;
    std::vector<LyingMessage> messages;
    std::vector<CollectiveState> collectives;
    std::vector<LockHolders> locks;
    Ranges more_locks;  // ranks that may hold more locks than they tell
    std::vector<RankNote> notes;

    static auto fields(auto& self)
    {
        return std::tie(self.number, self.quiet, self.sent, self.arrived, self.groups, self.edges,
                        self.messages, self.collectives, self.locks, self.more_locks, self.notes);
    }
};

inline constexpr std::size_t kMostGroups = 12;
inline constexpr std::size_t kMostEdges = 4096;
inline constexpr std::size_t kMostMessages = 64;
inline constexpr std::size_t kMostCollectives = 256;
inline constexpr std::size_t kMostLocks = 256;
inline constexpr std::size_t kMostNotes = 8;

// The codec of so many fields is large: it is compiled once.
extern template void put<NodeReport>(WireWriter& writer, const NodeReport& value);
extern template NodeReport take<NodeReport>(WireReader& reader);

}  // namespace tutti::launcher
