// The simulated network: virtual time, messages on their way, and the matching of sends with receives.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "collectives/simulator/simulator.hpp"

namespace tutti::collectives::simulator {

struct Message;

/// A started send or receive that was not complete at once.
struct SimulatedOperation : OperationState {
    SimulatedOperation(Group& owner, Unmatched::Kind operation_kind, int own_rank, int peer_rank)
        : OperationState(owner), kind(operation_kind), rank(own_rank), peer(peer_rank)
    {
    }

    Unmatched::Kind kind;
    int rank;
    int peer;
    std::size_t size_bytes = 0;
    Message* message = nullptr;  // once matched, and always of a send
    std::size_t live_index = 0;  // in its rank's list of operations in flight
    double posted_ns = 0;
    // Of receives: where the data goes, and how it is combined where it is.
    Buffer target;
    std::optional<std::pair<ReduceOp, Side>> combine;
};

struct Message {
    int from = 0;
    int to = 0;
    int chain = 0;
    std::span<const std::byte> data;       // the sender's memory, or `copy`
    std::vector<std::byte> copy;           // of eager sends
    SimulatedOperation* sender = nullptr;  // of synchronous sends
    SimulatedOperation* receiver = nullptr;
    bool arrived = false;
};

class Network {
public:
    Network(int ranks, const Settings& settings);

    /// Both are called by the rank's own coroutine, at the rank's own time.
    Operation send(Group& group, int peer, std::span<const std::byte> data);
    Operation receive(std::unique_ptr<SimulatedOperation> operation);
    /// Takes an operation back; an unfinished one is taken out of everything first.
    void release(SimulatedOperation& operation) noexcept;

    /// Calls `action` at a time not before now.
    void at(double time_ns, std::function<void()> action);
    /// Lets time pass until nothing more happens.
    void run();

    double now_ns(int rank) const { return clock(rank).now_ns; }
    void advance_to(int rank, double time_ns);

    /// Fills in what the network knows: sizes sent, chains, leftovers, who waits.
    void describe(Report& report) const;

private:
    struct Clock {
        double now_ns = 0;
        double way_out_free_ns = 0;
        double way_in_free_ns = 0;
        int chain = 0;
        std::size_t messages_sent = 0;
        std::size_t bytes_sent = 0;
        std::vector<SimulatedOperation*> live;
    };
    struct Event {
        double time_ns;
        std::uint64_t sequence;  // events of the same time happen in the order in which they were made
        std::function<void()> action;
        bool operator<(const Event& other) const noexcept
        {
            return time_ns != other.time_ns ? time_ns > other.time_ns : sequence > other.sequence;
        }
    };
    /// Between one pair of ranks, in one direction; at most one of the two is not empty.
    struct Channel {
        std::deque<Message*> messages;
        std::deque<SimulatedOperation*> receives;
    };

    Clock& clock(int rank) { return clocks_[static_cast<std::size_t>(rank)]; }
    const Clock& clock(int rank) const { return clocks_[static_cast<std::size_t>(rank)]; }
    Channel& channel(int from, int to) { return channels_[{from, to}]; }
    double occupied_ns(std::size_t size_bytes) const;
    void keep(SimulatedOperation& operation);
    void match(Message& message, SimulatedOperation& receiver);
    void head_arrives(Message& message);
    void tail_arrived(Message& message);
    void deliver(Message& message);

    Costs costs_;
    SendMode mode_;
    std::vector<Clock> clocks_;
    std::map<std::pair<int, int>, Channel> channels_;
    std::deque<Message> messages_;  // all there ever were: their addresses stay
    std::priority_queue<Event> events_;
    std::uint64_t next_sequence_ = 0;
    double time_ns_ = 0;
    std::size_t abandoned_ = 0;
};

}  // namespace tutti::collectives::simulator
