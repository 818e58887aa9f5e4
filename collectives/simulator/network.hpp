// The simulated network: virtual time, messages on their way, and the matching of sends with receives. A run
// of 4,096 ranks may have tens of millions of messages: each costs a few cache lines and no lasting memory.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/framework/nodes.hpp"
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
    Message* message = nullptr;          // set after the match, and always for a send
    SimulatedOperation* next = nullptr;  // in its channel
    std::size_t live_index = 0;          // in its rank's list of operations in flight
    double posted_ns = 0;
    // For receives: the destination of the data and the operand to combine with it there.
    Buffer target;
    struct Combine {
        const std::byte* operand;
        ReduceOp op;
        Side arriving;
    };
    std::optional<Combine> combine;
};

struct Message {
    int from = 0;
    int to = 0;
    int chain = 0;
    bool arrived = false;
    bool between_nodes = false;
    std::span<const std::byte> data;       // the sender's memory, or `copy`
    std::vector<std::byte> copy;           // of eager sends
    SimulatedOperation* sender = nullptr;  // of synchronous sends
    SimulatedOperation* receiver = nullptr;
    Message* next = nullptr;  // in its channel, or in the list of free ones
};

class Network {
public:
    Network(int ranks, const Settings& settings);

    /// A rank's own coroutine calls both, at the rank's own time.
    Operation send(Group& group, int peer, std::span<const std::byte> data);
    Operation receive(std::unique_ptr<SimulatedOperation> operation);
    /// Takes an operation back; first removes an unfinished one from all lists.
    void release(SimulatedOperation& operation) noexcept;

    /// Calls `action` at a time not before now.
    void at(double time_ns, std::function<void()> action);
    /// Lets time pass until no event is left or there were too many messages.
    void run();

    double now_ns(int rank) const { return clock(rank).now_ns; }
    void advance_to(int rank, double time_ns);

    /// Fills in the network's part: sizes sent, chains, leftovers, waiting ranks.
    void describe(Report& report) const;

private:
    /// One direction of a rank's own connection, or of the link that a node's ranks share.
    struct Way {
        double free_ns = 0;
    };
    struct Clock {
        double now_ns = 0;
        Way out;
        Way in;
        int chain = 0;
        std::size_t messages_sent = 0;
        std::size_t bytes_sent = 0;
        std::size_t messages_between_nodes = 0;
        std::size_t bytes_between_nodes = 0;
        std::vector<SimulatedOperation*> live;
    };
    struct Link {
        Way out;
        Way in;
    };
    enum class What : unsigned char { ready, head_arrives, tail_arrives, deliver, action };
    struct Event {
        double time_ns;
        std::uint64_t order;  // events of the same time happen in the order in which they were made
        void* subject;        // the message, or the action
        What what() const noexcept { return static_cast<What>(order % 8); }
        bool operator<(const Event& other) const noexcept
        {
            return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
        }
    };
    template <class Item>
    struct Queue {
        Item* first = nullptr;
        Item* last = nullptr;

        bool empty() const noexcept { return first == nullptr; }
        void push(Item& item) noexcept;
        Item& pop() noexcept;
        void remove(const Item& item) noexcept;
    };
    /// Between a pair of ranks, in one direction; at least one of the two lists is empty.
    struct Channel {
        Queue<Message> messages;
        Queue<SimulatedOperation> receives;
    };
    using Channels = std::unordered_map<std::uint64_t, Channel>;

    Clock& clock(int rank) { return clocks_[static_cast<std::size_t>(rank)]; }
    const Clock& clock(int rank) const { return clocks_[static_cast<std::size_t>(rank)]; }
    Link& link_of(int rank) { return links_[static_cast<std::size_t>(nodes_->node_of(rank))]; }
    Channels::iterator channel(int from, int to);
    void forget_if_empty(Channels::iterator way);
    bool crosses_nodes(int from, int to) const noexcept;
    bool uses_link(const Message& message) const noexcept { return message.between_nodes && !links_.empty(); }
    const Costs& costs(bool between_nodes) const noexcept
    {
        return between_nodes && between_ ? *between_ : inside_;
    }
    /// The time at which a message that may start now leaves, or has arrived, on this way.
    double start_on(Way& way, double from_ns, const Message& message) const noexcept;

    void schedule(double time_ns, What what, void* subject);
    void happen(const Event& event);
    Message& new_message();
    void recycle(Message& message) noexcept;
    void keep(SimulatedOperation& operation);
    void match(Message& message, SimulatedOperation& receiver);
    void ready(Message& message);
    void head_arrives(Message& message);
    void tail_arrives(Message& message);
    void deliver(Message& message);

    Costs inside_;
    std::optional<Costs> between_;
    SendMode mode_;
    bool only_time_;
    std::size_t scale_;
    std::size_t most_messages_;
    const NodeMap* nodes_;
    std::vector<Clock> clocks_;
    std::vector<Link> links_;  // of nodes, if messages between them have separate costs
    Channels channels_;
    std::deque<Message> messages_;  // their addresses stay
    Message* free_messages_ = nullptr;
    std::deque<std::function<void()>> actions_;
    std::priority_queue<Event> events_;
    std::uint64_t next_order_ = 0;
    double time_ns_ = 0;
    std::size_t sent_ = 0;
    std::size_t abandoned_ = 0;
};

}  // namespace tutti::collectives::simulator
