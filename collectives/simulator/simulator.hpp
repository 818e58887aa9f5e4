// The simulator: all ranks of a collective in one process and one thread, in virtual time. It runs the same
// coroutines as a communicator, moves real bytes, and reports costs and leftovers.
//
// Time follows the LogGP model (Alexandrov, Ionescu, Schauser and Scheiman, 1995). A message occupies the
// sender's way out and the receiver's way in for `gap + bytes * ns_per_byte`, one message at a time on each,
// and its head needs `latency` from one to the other. The start of a send or receive, and the end of a
// receive, cost the rank `overhead`. If costs between nodes are given, messages between nodes use the nodes'
// links, which the ranks of a node share. Nothing else takes time: never copies, and reductions only by
// timed_op(). The same call always gives the same report.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "collectives/framework/group.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives::simulator {

struct Costs {
    double latency_ns = 0;
    double overhead_ns = 0;
    double gap_ns = 0;
    double ns_per_byte = 0;
};

/// One outgoing and one incoming message at a time, one unit each: finish times count steps.
inline constexpr Costs kStepCosts{.latency_ns = 0, .overhead_ns = 0, .gap_ns = 1, .ns_per_byte = 0};

enum class SendMode {
    eager,       // a send is done at once, its data copied
    synchronous  // a send is done when its message has been received; its data is read then
};

struct Settings {
    Costs costs = kStepCosts;
    /// For messages between nodes (placement.nodes); empty: messages cost the same everywhere.
    std::optional<Costs> between_nodes;
    SendMode mode = SendMode::eager;
    Placement placement;
    bool reads_in_place = false;     // Group::reads_in_place() of all data
    bool may_read_in_place = false;  // Group::may_read_in_place(), even if that is false
    std::vector<double> start_ns;    // when each rank makes the call; empty: all at 0
    /// Measures only time: messages carry no data, so ranks may share buffers, and receives that combine call
    /// the operator on the present memory.
    bool only_time = false;
    /// Each byte of a message counts as this many in time and in the counts of bytes.
    std::size_t scale = 1;
    /// The run is given up after more messages than this.
    std::size_t most_messages = std::numeric_limits<std::size_t>::max();
};

struct RankReport {
    bool finished = false;     // the task ended, well or with `error`
    std::exception_ptr error;  // what ended it, or made it fail to start
    double finish_ns = 0;
    std::size_t messages_sent = 0;
    std::size_t bytes_sent = 0;
    std::size_t messages_between_nodes = 0;  // of those sent
    std::size_t bytes_between_nodes = 0;
};

/// A send or receive without an answer from another rank.
struct Unmatched {
    enum class Kind { send, receive } kind;
    int rank;
    int peer;
    std::size_t size_bytes;
};

struct Report {
    std::vector<RankReport> ranks;
    std::vector<Unmatched> unmatched;
    /// Number of operations destroyed before they were done.
    std::size_t abandoned = 0;
    /// Length of the longest sequence of messages, each sent only after the one before had been received.
    int longest_chain = 0;
    /// Empty, or which rank waits for which: "rank 0 waits for a message from rank 1; rank 1 waits ...".
    std::string deadlock;
    /// True if the run was given up: Settings::most_messages.
    bool given_up = false;

    double finish_ns() const noexcept;  // of the last rank
    std::size_t messages_sent() const noexcept;
    std::size_t bytes_sent() const noexcept;
    std::size_t messages_between_nodes() const noexcept;
    std::size_t bytes_between_nodes() const noexcept;
    /// All problems in words; empty if all ranks ended well and nothing was left over.
    std::string problems() const;
};

/// Makes a rank's task. The task may keep the group, but no objects of the program that end before simulate()
/// does; a lambda that is itself a coroutine must not use captures.
using Program = std::function<Task(Group&)>;

/// Runs `program` at `ranks` ranks until no event is left. Throws no exception of a task.
Report simulate(int ranks, const Settings& settings, const Program& program);

/// An operator that combines nothing and takes `ns_per_element` of a rank's time for each element. `group` is
/// the group that simulate() gave to the rank that uses it.
ReduceOp timed_op(Group& group, double ns_per_element, bool commutative);

}  // namespace tutti::collectives::simulator
