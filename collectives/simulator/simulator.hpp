// The simulator: all ranks of a collective in one process and one thread, in virtual time. It runs the very
// coroutines that run on a communicator, moves real bytes, and tells what they cost and what they left
// behind.
//
// Time follows the LogGP model (Alexandrov, Ionescu, Schauser and Scheiman, 1995). A message occupies the
// sender's way out and the receiver's way in for `gap + bytes * ns_per_byte`, one message at a time on each,
// and its head needs `latency` from one to the other. Starting a send or receive, and ending a receive, costs
// the rank `overhead`. Where costs between nodes are given, the ways of messages between nodes are those of
// the nodes' links, which the ranks of a node share. Everything else takes no time: copies never do,
// reductions only by timed_op(). The same call gives the same report, always.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives::simulator {

struct Costs {
    double latency_ns = 0;
    double overhead_ns = 0;
    double gap_ns = 0;
    double ns_per_byte = 0;
};

/// One message in, one message out at a time, each taking one unit: finish times count steps.
inline constexpr Costs kStepCosts{.latency_ns = 0, .overhead_ns = 0, .gap_ns = 1, .ns_per_byte = 0};

enum class SendMode {
    eager,       // a send is done at once, its data copied
    synchronous  // a send is done when its message has been received; its data is read then
};

struct Settings {
    Costs costs = kStepCosts;
    /// Of messages between nodes (placement.nodes); without them a message costs the same everywhere.
    std::optional<Costs> between_nodes;
    SendMode mode = SendMode::eager;
    Placement placement;
    std::vector<double> start_ns;  // when each rank makes the call; empty: all at 0
    /// Only time is wanted: messages are sent without their data, so ranks may share buffers, and those
    /// receives that combine call the operator on what is there.
    bool only_time = false;
    /// Bytes that one byte of a message stands for in time and in the counts of bytes.
    std::size_t scale = 1;
    /// The run is given up when more messages than this were sent.
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

/// A send or receive that no other rank answered.
struct Unmatched {
    enum class Kind { send, receive } kind;
    int rank;
    int peer;
    std::size_t size_bytes;
};

struct Report {
    std::vector<RankReport> ranks;
    std::vector<Unmatched> unmatched;
    /// Operations that were destroyed before they were done.
    std::size_t abandoned = 0;
    /// The most messages in a row of which each could only be sent after the one before had been received.
    int longest_chain = 0;
    /// Empty, or who waits for whom: "rank 0 waits for a message from rank 1; rank 1 waits ...".
    std::string deadlock;
    /// Given up: Settings::most_messages.
    bool given_up = false;

    double finish_ns() const noexcept;  // of the last rank
    std::size_t messages_sent() const noexcept;
    std::size_t bytes_sent() const noexcept;
    std::size_t messages_between_nodes() const noexcept;
    std::size_t bytes_between_nodes() const noexcept;
    /// Everything that is wrong, in words; empty when all ranks ended well and nothing was left over.
    std::string problems() const;
};

/// Makes a rank's task. The task may keep the group, but nothing of the program's own that ends before
/// simulate() does; a lambda that is itself a coroutine must not use captures.
using Program = std::function<Task(Group&)>;

/// Runs `program` at `ranks` ranks until nothing more can happen. Throws nothing that a task throws.
Report simulate(int ranks, const Settings& settings, const Program& program);

/// An operator that combines nothing and takes a rank's time, `ns_per_element` for each element. `group` is
/// what simulate() gave to the rank that is to use it.
ReduceOp timed_op(Group& group, double ns_per_element, bool commutative);

}  // namespace tutti::collectives::simulator
