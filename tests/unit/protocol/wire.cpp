#include "tests/unit/protocol/wire.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>

namespace tutti::test {

using transport::Completion;
using transport::SendResult;
using transport::Sink;

// The simplest transport there is: two queues.
class Wire::Link final : public transport::Transport, public transport::RemoteMemory {
public:
    Link(Wire& wire, int rank) : wire_(wire), rank_(rank) {}

    std::string_view name() const noexcept override { return "wire"; }
    transport::Capabilities capabilities() const noexcept override
    {
        transport::Capabilities capabilities{};
        capabilities.max_payload_bytes = wire_.options_.frame_bytes;
        capabilities.inject_below = wire_.options_.frame_bytes;
        capabilities.gathers = wire_.options_.gathers;
        capabilities.unites = wire_.options_.unites;
        capabilities.piece_bytes = wire_.options_.piece_bytes;
        capabilities.early_bytes = wire_.options_.early_bytes;
        capabilities.same_clock = true;
        return capabilities;
    }
    std::vector<std::byte> address() const override { return {}; }
    bool reach(int, std::span<const std::byte>) const noexcept override { return true; }
    void connect(int, std::span<const std::byte>) override {}
    SendResult send(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                    Completion&) override
    {
        flush();
        auto& queue = wire_.queues_[static_cast<std::size_t>(peer)];
        if (queue.size() >= wire_.options_.queue_frames)
            return SendResult::again;
        queue.push_back({{header.begin(), header.end()}, {payload.begin(), payload.end()}});
        wire_.kinds_[static_cast<std::size_t>(rank_)].push_back(
            static_cast<protocol::FrameKind>(static_cast<unsigned char>(header[0])));
        return SendResult::done;
    }
    SendResult send_soon(int peer, std::span<const std::byte> header, std::span<const std::byte> payload,
                         Completion& completion) override
    {
        if (!wire_.options_.unites)
            return send(peer, header, payload, completion);
        kept_.push_back({{header.begin(), header.end()}, {payload.begin(), payload.end()}, &completion});
        return SendResult::pending;
    }
    void flush() override
    {
        for (const Kept& kept : std::exchange(kept_, {})) {
            send(1 - rank_, kept.header, kept.payload, *kept.completion);
            left_.push_back(kept.completion);
        }
    }
    SendResult send_parts(int peer, std::span<const std::byte> header, transport::Parts payload,
                          Completion& completion) override
    {
        if (!wire_.options_.gathers)
            return Transport::send_parts(peer, header, payload, completion);
        Bytes joined;
        for (const std::span<const std::byte> part : payload)
            joined.insert(joined.end(), part.begin(), part.end());
        const SendResult result = send(peer, header, joined, completion);
        wire_.gathered_ += result == SendResult::done;
        wire_.most_parts_ = std::max(wire_.most_parts_, payload.size());
        return result;
    }
    transport::RemoteMemory* memory() noexcept override
    {
        return wire_.options_.get || wire_.options_.view ? this : nullptr;
    }
    SendResult get(int, const transport::RemoteRegion& remote, std::span<std::byte> local,
                   Completion& completion) override
    {
        if (!wire_.options_.view)
            return wire_.options_.get(remote, local, completion);
        const std::span<const std::byte> viewed = wire_.options_.view(remote, local.size());
        std::ranges::copy(viewed, local.begin());
        return viewed.empty() ? SendResult::again : SendResult::done;
    }
    void abandon(const Completion& completion) noexcept override { wire_.options_.abandon(completion); }
    transport::RemoteRegion expose(std::span<const std::byte> data) const noexcept override
    {
        transport::RemoteRegion region = RemoteMemory::expose(data);
        region.key = views();
        return region;
    }
    bool views() const noexcept override { return static_cast<bool>(wire_.options_.view); }
    std::span<const std::byte> view(int, const transport::RemoteRegion& region, std::size_t size) override
    {
        return wire_.options_.view ? wire_.options_.view(region, size) : std::span<const std::byte>();
    }
    std::size_t progress(Sink& sink) override
    {
        flush();
        for (; !left_.empty(); left_.pop_front())
            left_.front()->fire(*left_.front(), ErrorCode::success);
        if (wire_.options_.asks_destination)
            return bring_half(sink);
        auto& queue = wire_.queues_[static_cast<std::size_t>(rank_)];
        const std::size_t waiting = queue.size();
        for (std::size_t i = 0; i < waiting; ++i) {
            const Frame frame = std::move(queue.front());
            queue.pop_front();
            sink.frame(1 - rank_, frame.header, frame.payload);
        }
        return waiting;
    }
    void release_place(int) override
    {
        if (arriving_)
            arriving_ = std::span<std::byte>();
    }
    void close() noexcept override {}

    void forget_arriving() noexcept { arriving_ = {}; }

private:
    // The frame at the head of the queue stays there until it is whole.
    std::size_t bring_half(Sink& sink)
    {
        auto& queue = wire_.queues_[static_cast<std::size_t>(rank_)];
        if (queue.empty())
            return 0;
        const Frame& frame = queue.front();
        const auto half = static_cast<std::ptrdiff_t>(frame.payload.size() / 2);
        if (!arriving_) {
            arriving_ = sink.destination(1 - rank_, frame.header, frame.payload.size());
            if (!arriving_->empty())
                std::copy(frame.payload.begin(), frame.payload.begin() + half, arriving_->begin());
            return 1;
        }
        const Frame whole = std::move(queue.front());
        queue.pop_front();
        const std::span<std::byte> to = *std::exchange(arriving_, std::nullopt);
        if (to.empty()) {
            sink.frame(1 - rank_, whole.header, whole.payload);
        } else {
            std::copy(whole.payload.begin() + half, whole.payload.end(), to.begin() + half);
            ++wire_.placed_;
            sink.placed(1 - rank_, whole.header, whole.payload.size());
        }
        return 1;
    }

    struct Kept {
        Bytes header;
        Bytes payload;
        Completion* completion;
    };

    Wire& wire_;
    int rank_;
    std::deque<Kept> kept_;                         // to leave soon
    std::deque<Completion*> left_;                  // of frames that have left
    std::optional<std::span<std::byte>> arriving_;  // asked for; where the frame goes
};

Bytes message(std::uint64_t number, std::size_t size)
{
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(number * 131 + i * 7 + (i >> 8) + 1);
    return bytes;
}

Wire::Wire(WireOptions options) : options_(options)
{
    for (int rank = 0; rank < 2; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        transport::FaultOptions faults = options_.faults;
        faults.seed += static_cast<std::uint64_t>(rank);
        faults.places = options_.asks_destination;
        auto link = std::make_unique<Link>(*this, rank);
        links_[index] = link.get();
        transports_[index] = std::make_unique<transport::FaultTransport>(std::move(link), faults);
        protocols_[index] = std::make_unique<Protocol>(
            2, options_.protocol,
            [this, index](int) -> transport::Transport& { return *transports_[index]; });
    }
}

Wire::~Wire()
{
    for (const auto& transport : transports_)
        transport->close();
}

std::size_t Wire::step(int rank)
{
    const auto index = static_cast<std::size_t>(rank);
    std::size_t events = transports_[index]->progress(at(rank));
    if (at(rank).has_pending())
        events += at(rank).retry();
    return events;
}

void Wire::lose_peer_of(int rank, std::string_view reason)
{
    links_[static_cast<std::size_t>(rank)]->forget_arriving();
    queues_[static_cast<std::size_t>(rank)].clear();
    at(rank).peer_lost(1 - rank, {std::string(reason)});
}

std::size_t Wire::step()
{
    return step(0) + step(1);
}

void Wire::settle()
{
    // A decorator that idles or refuses by chance is quiet for a while without being done.
    for (int quiet = 0; quiet < 30;) {
        const bool nothing_moved = step() == 0;
        const bool idle =
            options_.faults.idle > 0 ? !at(0).has_pending() && !at(1).has_pending() : nothing_moved;
        quiet = idle && in_flight(0) + in_flight(1) == 0 ? quiet + 1 : 0;
    }
}

void Wire::send(SendRequest& request, int from, const Bytes& data, int tag, bool synchronous)
{
    request.envelope = {4, from, tag};
    request.peer_rank = 1 - from;
    request.synchronous = synchronous;
    request.data = data;
    at(from).send(request);
}

void Wire::receive(ReceiveRequest& request, int at_rank, int source, int tag, Bytes& buffer)
{
    request.key = {4, source, tag};
    request.peer_rank = source < 0 ? -1 : source;
    request.buffer = buffer.data();
    request.capacity = buffer.size();
    at(at_rank).receive(request);
}

void Wire::exchange(SendRequest& send, const Bytes& data, ReceiveRequest& receive, Bytes& buffer,
                    bool expected, bool synchronous)
{
    if (expected)
        this->receive(receive, 1, 0, 5, buffer);
    this->send(send, 0, data, 5, synchronous);
    settle();
    if (!expected)
        this->receive(receive, 1, 0, 5, buffer);
    settle();
    REQUIRE(send.done);
    REQUIRE(receive.done);
}

}  // namespace tutti::test
