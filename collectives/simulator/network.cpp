#include "collectives/simulator/network.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::collectives::simulator {

namespace {

void place(SimulatedOperation& receiver, std::span<const std::byte> data)
{
    std::byte* const target = receiver.target.data;
    if (!receiver.combine) {
        Group::copy({target, data.size()}, data);
        return;
    }
    const auto& [op, arriving] = *receiver.combine;
    const std::byte* const left = arriving == Side::left ? data.data() : target;
    const std::byte* const right = arriving == Side::left ? target : data.data();
    Group::reduce(target, left, right, receiver.target.count, op);
}

}  // namespace

Network::Network(int ranks, const Settings& settings)
    : costs_(settings.costs), mode_(settings.mode), clocks_(static_cast<std::size_t>(ranks))
{
}

Operation Network::send(Group& group, int peer, std::span<const std::byte> data)
{
    const int rank = group.rank();
    Clock& sender = clock(rank);
    sender.now_ns += costs_.overhead_ns;
    sender.messages_sent += 1;
    sender.bytes_sent += data.size();

    Message& message = messages_.emplace_back();
    message.from = rank;
    message.to = peer;
    message.chain = sender.chain + 1;
    if (mode_ == SendMode::eager) {
        message.copy.assign(data.begin(), data.end());
        message.data = message.copy;
    } else {
        message.data = data;
        message.sender = new SimulatedOperation(group, Unmatched::Kind::send, rank, peer);
        message.sender->message = &message;
        message.sender->size_bytes = data.size();
        keep(*message.sender);
    }

    const double leaves_ns = std::max(sender.now_ns, sender.way_out_free_ns);
    sender.way_out_free_ns = leaves_ns + occupied_ns(data.size());
    at(leaves_ns + costs_.latency_ns, [this, &message] { head_arrives(message); });

    Channel& way = channel(rank, peer);
    if (way.receives.empty()) {
        way.messages.push_back(&message);
    } else {
        match(message, *way.receives.front());
        way.receives.pop_front();
    }
    return message.sender != nullptr ? Operation(*message.sender) : Operation();
}

Operation Network::receive(std::unique_ptr<SimulatedOperation> operation)
{
    SimulatedOperation& receiver = *operation.release();
    Clock& own = clock(receiver.rank);
    own.now_ns += costs_.overhead_ns;
    receiver.posted_ns = own.now_ns;
    receiver.size_bytes = receiver.target.size_bytes();
    keep(receiver);

    Channel& way = channel(receiver.peer, receiver.rank);
    if (way.messages.empty()) {
        way.receives.push_back(&receiver);
    } else {
        match(*way.messages.front(), receiver);
        way.messages.pop_front();
    }
    return Operation(receiver);
}

void Network::match(Message& message, SimulatedOperation& receiver)
{
    message.receiver = &receiver;
    receiver.message = &message;
    if (message.arrived) {
        at(receiver.posted_ns, [this, &message] { deliver(message); });
    }
}

void Network::head_arrives(Message& message)
{
    Clock& receiver = clock(message.to);
    receiver.way_in_free_ns = std::max(time_ns_, receiver.way_in_free_ns) + occupied_ns(message.data.size());
    at(receiver.way_in_free_ns, [this, &message] { tail_arrived(message); });
}

void Network::tail_arrived(Message& message)
{
    message.arrived = true;
    if (message.receiver != nullptr) {
        at(std::max(time_ns_, message.receiver->posted_ns), [this, &message] { deliver(message); });
    }
}

void Network::deliver(Message& message)
{
    SimulatedOperation* const receiver = message.receiver;
    SimulatedOperation* const sender = message.sender;
    if (receiver == nullptr) {
        return;
    }
    const bool fits = message.data.size() == receiver->size_bytes;
    if (fits) {
        place(*receiver, message.data);
    }
    message.copy = {};

    // The coroutines run inside complete() and may release either operation: copy what is needed first.
    message.sender = nullptr;
    message.receiver = nullptr;
    Clock& to = clock(message.to);
    to.now_ns = std::max(to.now_ns, time_ns_) + costs_.overhead_ns;
    to.chain = std::max(to.chain, message.chain);
    if (sender != nullptr) {
        sender->message = nullptr;
        clock(message.from).now_ns = std::max(clock(message.from).now_ns, time_ns_);
    }
    receiver->message = nullptr;
    const std::coroutine_handle<> after_receive =
        receiver->mark_complete(fits ? ErrorCode::success : ErrorCode::truncated);
    const std::coroutine_handle<> after_send =
        sender != nullptr ? sender->mark_complete() : std::noop_coroutine();
    after_receive.resume();
    after_send.resume();
}

void Network::keep(SimulatedOperation& operation)
{
    std::vector<SimulatedOperation*>& live = clock(operation.rank).live;
    operation.live_index = live.size();
    live.push_back(&operation);
}

void Network::release(SimulatedOperation& operation) noexcept
{
    if (!operation.done()) {
        ++abandoned_;
        const bool is_send = operation.kind == Unmatched::Kind::send;
        if (operation.message == nullptr) {
            std::erase(channel(operation.peer, operation.rank).receives, &operation);
        } else if (is_send && operation.message->receiver == nullptr) {
            std::erase(channel(operation.rank, operation.peer).messages, operation.message);
        } else {
            // Already matched: the other side will wait for ever, and is reported for it.
            SimulatedOperation*& other_end =
                is_send ? operation.message->receiver : operation.message->sender;
            if (other_end != nullptr) {
                other_end->message = nullptr;
            }
            operation.message->receiver = nullptr;
            operation.message->sender = nullptr;
        }
    }
    std::vector<SimulatedOperation*>& live = clock(operation.rank).live;
    live[operation.live_index] = live.back();
    live[operation.live_index]->live_index = operation.live_index;
    live.pop_back();
    delete &operation;
}

void Network::at(double time_ns, std::function<void()> action)
{
    events_.push({time_ns, next_sequence_++, std::move(action)});
}

void Network::run()
{
    while (!events_.empty()) {
        const Event event = events_.top();
        events_.pop();
        time_ns_ = event.time_ns;
        event.action();
    }
}

void Network::advance_to(int rank, double time_ns)
{
    clock(rank).now_ns = std::max(clock(rank).now_ns, time_ns);
}

double Network::occupied_ns(std::size_t size_bytes) const
{
    return costs_.gap_ns + costs_.ns_per_byte * static_cast<double>(size_bytes);
}

void Network::describe(Report& report) const
{
    for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
        const Clock& own = clocks_[rank];
        report.ranks[rank].messages_sent = own.messages_sent;
        report.ranks[rank].bytes_sent = own.bytes_sent;
        report.longest_chain = std::max(report.longest_chain, own.chain);
        for (const SimulatedOperation* operation : own.live) {
            if (operation->done() || report.ranks[rank].finished) {
                continue;
            }
            const bool is_send = operation->kind == Unmatched::Kind::send;
            report.deadlock += fmt::format(
                "{}rank {} waits {} rank {}", report.deadlock.empty() ? "" : "; ", rank,
                is_send ? "for its message to be received by" : "for a message from", operation->peer);
        }
    }
    for (const auto& [ends, way] : channels_) {
        for (const Message* message : way.messages) {
            report.unmatched.push_back(
                {Unmatched::Kind::send, ends.first, ends.second, message->data.size()});
        }
        for (const SimulatedOperation* receive : way.receives) {
            report.unmatched.push_back(
                {Unmatched::Kind::receive, ends.second, ends.first, receive->size_bytes});
        }
    }
    report.abandoned = abandoned_;
}

}  // namespace tutti::collectives::simulator
