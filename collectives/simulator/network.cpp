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
    const auto& [operand, op, arriving] = *receiver.combine;
    const std::byte* const left = arriving == Side::left ? data.data() : operand;
    const std::byte* const right = arriving == Side::left ? operand : data.data();
    Group::reduce(target, left, right, receiver.target.count, op);
}

constexpr std::uint64_t key_of(int from, int to) noexcept
{
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

}  // namespace

template <class Item>
void Network::Queue<Item>::push(Item& item) noexcept
{
    item.next = nullptr;
    (empty() ? first : last->next) = &item;
    last = &item;
}

template <class Item>
Item& Network::Queue<Item>::pop() noexcept
{
    Item& item = *first;
    first = item.next;
    return item;
}

template <class Item>
void Network::Queue<Item>::remove(const Item& item) noexcept
{
    Item* before = nullptr;
    for (Item* at = first; at != nullptr; before = at, at = at->next) {
        if (at != &item)
            continue;
        (before == nullptr ? first : before->next) = at->next;
        if (last == at)
            last = before;
        return;
    }
}

Network::Network(int ranks, const Settings& settings)
    : inside_(settings.costs),
      between_(settings.between_nodes),
      mode_(settings.mode),
      only_time_(settings.only_time),
      scale_(settings.scale),
      most_messages_(settings.most_messages),
      nodes_(settings.placement.nodes),
      clocks_(static_cast<std::size_t>(ranks))
{
    if (between_ && nodes_ != nullptr)
        links_.resize(static_cast<std::size_t>(nodes_->count()));
}

Network::Channels::iterator Network::channel(int from, int to)
{
    return channels_.try_emplace(key_of(from, to)).first;
}

void Network::forget_if_empty(Channels::iterator way)
{
    if (way->second.messages.empty() && way->second.receives.empty())
        channels_.erase(way);
}

bool Network::crosses_nodes(int from, int to) const noexcept
{
    return nodes_ != nullptr && nodes_->node_of(from) != nodes_->node_of(to);
}

double Network::start_on(Way& way, double from_ns, const Message& message) const noexcept
{
    const Costs& cost = costs(message.between_nodes);
    const double start_ns = std::max(from_ns, way.free_ns);
    way.free_ns =
        start_ns + cost.gap_ns + cost.ns_per_byte * static_cast<double>(message.data.size() * scale_);
    return start_ns;
}

Operation Network::send(Group& group, int peer, std::span<const std::byte> data)
{
    const int rank = group.rank();
    Clock& sender = clock(rank);
    Message& message = new_message();
    message.from = rank;
    message.to = peer;
    message.chain = sender.chain + 1;
    message.between_nodes = crosses_nodes(rank, peer);
    const Costs& cost = costs(message.between_nodes);
    sender.now_ns += cost.overhead_ns;
    ++sent_;
    sender.messages_sent += 1;
    sender.bytes_sent += data.size() * scale_;
    if (message.between_nodes) {
        sender.messages_between_nodes += 1;
        sender.bytes_between_nodes += data.size() * scale_;
    }

    message.data = data;
    SimulatedOperation* const waiting =
        mode_ == SendMode::eager ? nullptr : new SimulatedOperation(group, Unmatched::Kind::send, rank, peer);
    if (waiting != nullptr) {
        message.sender = waiting;
        waiting->message = &message;
        waiting->size_bytes = data.size();
        keep(*waiting);
    } else if (!only_time_) {
        message.copy.assign(data.begin(), data.end());
        message.data = message.copy;
    }

    if (uses_link(message))
        schedule(sender.now_ns, What::ready, &message);
    else
        schedule(start_on(sender.out, sender.now_ns, message) + cost.latency_ns, What::head_arrives,
                 &message);

    const auto way = channel(rank, peer);
    if (way->second.receives.empty()) {
        way->second.messages.push(message);
    } else {
        match(message, way->second.receives.pop());
        forget_if_empty(way);
    }
    return waiting != nullptr ? Operation(*waiting) : Operation();
}

Operation Network::receive(std::unique_ptr<SimulatedOperation> operation)
{
    SimulatedOperation& receiver = *operation.release();
    Clock& own = clock(receiver.rank);
    own.now_ns += costs(crosses_nodes(receiver.peer, receiver.rank)).overhead_ns;
    receiver.posted_ns = own.now_ns;
    receiver.size_bytes = receiver.target.size_bytes();
    keep(receiver);

    const auto way = channel(receiver.peer, receiver.rank);
    if (way->second.messages.empty()) {
        way->second.receives.push(receiver);
    } else {
        match(way->second.messages.pop(), receiver);
        forget_if_empty(way);
    }
    return Operation(receiver);
}

void Network::match(Message& message, SimulatedOperation& receiver)
{
    message.receiver = &receiver;
    receiver.message = &message;
    if (message.arrived)
        schedule(receiver.posted_ns, What::deliver, &message);
}

// Ranks share their node's link: each message claims it when the message is ready, not when its sender's
// coroutine ran.
void Network::ready(Message& message)
{
    const double leaves_ns = start_on(link_of(message.from).out, time_ns_, message);
    schedule(leaves_ns + costs(true).latency_ns, What::head_arrives, &message);
}

void Network::head_arrives(Message& message)
{
    Way& way = uses_link(message) ? link_of(message.to).in : clock(message.to).in;
    start_on(way, time_ns_, message);
    schedule(way.free_ns, What::tail_arrives, &message);
}

void Network::tail_arrives(Message& message)
{
    message.arrived = true;
    if (message.receiver != nullptr)
        schedule(std::max(time_ns_, message.receiver->posted_ns), What::deliver, &message);
}

void Network::deliver(Message& message)
{
    SimulatedOperation* const receiver = message.receiver;
    SimulatedOperation* const sender = message.sender;
    if (receiver == nullptr)
        return;
    Clock& to = clock(message.to);
    to.now_ns = std::max(to.now_ns, time_ns_) + costs(message.between_nodes).overhead_ns;
    to.chain = std::max(to.chain, message.chain);
    const bool fits = message.data.size() == receiver->size_bytes;
    if (fits && (!only_time_ || receiver->combine))
        place(*receiver, message.data);
    if (sender != nullptr) {
        sender->message = nullptr;
        Clock& from = clock(message.from);
        from.now_ns = std::max(from.now_ns, time_ns_);
    }
    receiver->message = nullptr;
    recycle(message);

    // The coroutines run here and may release either operation.
    const std::coroutine_handle<> after_receive =
        receiver->mark_complete(fits ? ErrorCode::success : ErrorCode::truncated);
    const std::coroutine_handle<> after_send =
        sender != nullptr ? sender->mark_complete() : std::noop_coroutine();
    after_receive.resume();
    after_send.resume();
}

Message& Network::new_message()
{
    if (free_messages_ == nullptr)
        return messages_.emplace_back();
    Message& message = *std::exchange(free_messages_, free_messages_->next);
    message = Message{};
    return message;
}

void Network::recycle(Message& message) noexcept
{
    message.next = free_messages_;
    free_messages_ = &message;
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
            const auto way = channel(operation.peer, operation.rank);
            way->second.receives.remove(operation);
            forget_if_empty(way);
        } else if (is_send && operation.message->receiver == nullptr) {
            const auto way = channel(operation.rank, operation.peer);
            way->second.messages.remove(*operation.message);
            forget_if_empty(way);
        } else {
            // Already matched: the other side waits for ever and is reported.
            SimulatedOperation*& other_end =
                is_send ? operation.message->receiver : operation.message->sender;
            if (other_end != nullptr)
                other_end->message = nullptr;
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
    schedule(time_ns, What::action, &actions_.emplace_back(std::move(action)));
}

void Network::schedule(double time_ns, What what, void* subject)
{
    events_.push({time_ns, 8 * next_order_++ + static_cast<unsigned>(what), subject});
}

void Network::happen(const Event& event)
{
    Message* const message = static_cast<Message*>(event.subject);
    switch (event.what()) {
        case What::ready:
            return ready(*message);
        case What::head_arrives:
            return head_arrives(*message);
        case What::tail_arrives:
            return tail_arrives(*message);
        case What::deliver:
            return deliver(*message);
        case What::action:
            return (*static_cast<std::function<void()>*>(event.subject))();
    }
}

void Network::run()
{
    while (!events_.empty() && sent_ <= most_messages_) {
        const Event event = events_.top();
        events_.pop();
        time_ns_ = event.time_ns;
        happen(event);
    }
}

void Network::advance_to(int rank, double time_ns)
{
    clock(rank).now_ns = std::max(clock(rank).now_ns, time_ns);
}

void Network::describe(Report& report) const
{
    report.given_up = sent_ > most_messages_;
    report.abandoned = abandoned_;
    for (std::size_t rank = 0; rank < clocks_.size(); ++rank) {
        const Clock& own = clocks_[rank];
        RankReport& result = report.ranks[rank];
        result.messages_sent = own.messages_sent;
        result.bytes_sent = own.bytes_sent;
        result.messages_between_nodes = own.messages_between_nodes;
        result.bytes_between_nodes = own.bytes_between_nodes;
        report.longest_chain = std::max(report.longest_chain, own.chain);
        for (const SimulatedOperation* operation : own.live) {
            if (report.given_up || operation->done() || result.finished)
                continue;
            const bool is_send = operation->kind == Unmatched::Kind::send;
            report.deadlock += fmt::format(
                "{}rank {} waits {} rank {}", report.deadlock.empty() ? "" : "; ", rank,
                is_send ? "for its message to be received by" : "for a message from", operation->peer);
        }
    }
    if (report.given_up)
        return;
    for (const auto& [ends, way] : channels_) {
        const int from = static_cast<int>(ends >> 32);
        const int to = static_cast<int>(ends & 0xffffffff);
        for (const Message* message = way.messages.first; message != nullptr; message = message->next)
            report.unmatched.push_back({Unmatched::Kind::send, from, to, message->data.size()});
        for (const SimulatedOperation* late = way.receives.first; late != nullptr; late = late->next)
            report.unmatched.push_back({Unmatched::Kind::receive, to, from, late->size_bytes});
    }
    std::ranges::stable_sort(report.unmatched, {},
                             [](const Unmatched& left) { return std::pair(left.rank, left.peer); });
}

}  // namespace tutti::collectives::simulator
