// The data of a matched rendezvous, on the receiver's side: pulled out of the sender's memory, or streamed by
// it.
#include <algorithm>
#include <utility>

#include "lib/engine/protocol/protocol.hpp"
#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/copy.hpp"
#include "tutti/error.hpp"

namespace tutti::protocol {

void Protocol::fetch_data(ReceiveRequest& request, int sender, std::uint64_t sender_id,
                          std::size_t total_bytes, const std::optional<transport::RemoteRegion>& region)
{
    request.expected = std::min(total_bytes, request.capacity);
    request.received = 0;
    request.id = 0;
    try {
        Peer& from = connected_peer(sender);
        const bool viewable = region && from.views(*region);
        request.matched_ns = 0;
        if (viewable && take_in_place(request, from, sender_id, *region))
            return;
        const bool can_pull = region && !viewable && from.can_pull && request.deliver == nullptr &&
                              request.expected >= kPullFromBytes;
        request.matched_ns = can_pull ? base::now_ns() : 0;
        if (can_pull && from.choice->choose(request.expected) == Way::pull &&
            try_pull(request, from, sender_id, *region))
            return;
        clear_to_send(request, from, sender_id);
    } catch (const Error& error) {
        // The sender cannot be reached any more.
        if (request.id != 0)
            awaiting_data_.remove(std::exchange(request.id, 0));
        request.lost = &peer(sender);
        request.finish(error.code());
    }
}

// The sender's memory can be mapped here. False: that fails.
bool Protocol::take_in_place(ReceiveRequest& request, Peer& from, std::uint64_t sender_id,
                             const transport::RemoteRegion& region)
{
    if (request.in_place) {
        request.viewed = from.memory->view(from.rank, region, request.expected);
        request.sender_id = sender_id;
        const bool shown = !request.viewed.empty();
        if (shown)
            finish(request);
        return shown;
    }
    if (request.deliver == nullptr)
        return try_pull(request, from, sender_id, region);
    const auto data = from.memory->view(from.rank, region, request.expected);
    if (data.empty())
        return false;
    request.take(0, data);
    const FinHeader header{Lead::of(FrameKind::fin), sender_id};
    send_control(from, bytes_of(header));
    finish(request);
    return true;
}

void Protocol::end_view(int sender, std::uint64_t sender_id)
{
    const FinHeader header{Lead::of(FrameKind::fin), sender_id};
    send_control(peer(sender), bytes_of(header));
}

void Protocol::copy_own(ReceiveRequest& request, std::span<const std::byte> from)
{
    request.status.size_bytes = from.size();
    request.sender = request.peer_rank;
    request.fire = [](transport::Completion& completion, ErrorCode result) {
        auto& copied = static_cast<ReceiveRequest&>(completion);
        copied.pulling = false;
        copied.finish(result);
    };
    using transport::SendResult;
    const std::span to(request.buffer, from.size());
    transport::RemoteMemory* const memory = peer(request.peer_rank).memory;
    const SendResult result =
        memory != nullptr ? memory->copy_own(request.peer_rank, to, from, request) : SendResult::again;
    request.pulling = result == SendResult::pending;
    if (result == SendResult::again)
        base::copy_bytes(to.data(), from.data(), from.size());
    if (!request.pulling)
        request.finish(ErrorCode::success);
}

// False: nothing was started, and the data must be streamed.
bool Protocol::try_pull(ReceiveRequest& request, Peer& from, std::uint64_t sender_id,
                        const transport::RemoteRegion& region)
{
    request.sender_id = sender_id;
    request.protocol = this;
    request.fire = [](transport::Completion& completion, ErrorCode result) {
        auto& pulled = static_cast<ReceiveRequest&>(completion);
        pulled.pulling = false;
        if (result == ErrorCode::success)
            pulled.protocol->finish_pull(pulled);
        else
            pulled.protocol->give_up_pull(pulled, result);
    };
    try {
        switch (from.memory->get(from.rank, region, {request.buffer, request.expected}, request)) {
            case transport::SendResult::done:
                finish_pull(request);
                return true;
            case transport::SendResult::pending:
                request.pulling = true;
                return true;
            case transport::SendResult::again:
                return false;
        }
    } catch (const Error&) {
        // A kernel or container that forbids it: never asked again.
        from.can_pull = false;
    }
    return false;
}

void Protocol::finish_pull(ReceiveRequest& request)
{
    if (request.matched_ns != 0)
        peer(request.sender).choice->record(Way::pull, request.expected, base::now_ns() - request.matched_ns);
    const FinHeader header{Lead::of(FrameKind::fin), request.sender_id};
    send_control(connected_peer(request.sender), bytes_of(header));
    finish(request);
}

// A read that was started and failed. The sender still waits for an answer, so its data is streamed instead,
// unless no more can come from it.
void Protocol::give_up_pull(ReceiveRequest& request, ErrorCode result)
{
    Peer& from = connected_peer(request.sender);
    if (from.lost || result == ErrorCode::peer_lost || result == ErrorCode::cancelled) {
        request.lost = &from;
        request.finish(from.lost ? ErrorCode::peer_lost : result);
        return;
    }
    from.can_pull = false;
    const std::size_t total_bytes = request.status.size_bytes;
    fetch_data(request, request.sender, request.sender_id, total_bytes, std::nullopt);
}

void Protocol::clear_to_send(ReceiveRequest& request, Peer& from, std::uint64_t sender_id)
{
    if (request.expected > 0)
        request.id = awaiting_data_.add(request);
    const CtsHeader header{Lead::of(FrameKind::cts), sender_id, request.id, request.expected};
    send_control(from, bytes_of(header));
    if (request.expected == 0)
        finish(request);
}

// nullptr: there is none, and the frame is none that we have asked for.
ReceiveRequest* Protocol::data_receiver(int from, const DataHeader& header,
                                        std::size_t payload_bytes) noexcept
{
    ReceiveRequest* request = awaiting_data_.find(header.receiver_id);
    const bool fits = request != nullptr && request->sender == from && header.offset == request->received &&
                      payload_bytes <= request->expected - request->received;
    return fits ? request : nullptr;
}

void Protocol::on_data(int from, const DataHeader& header, std::span<const std::byte> payload)
{
    ReceiveRequest* const request = data_receiver(from, header, payload.size());
    if (request == nullptr)
        corrupt(from, "data for no receive of ours");
    request->take(header.offset, payload);
    data_arrived(*request, payload.size());
}

void Protocol::data_arrived(ReceiveRequest& request, std::size_t bytes)
{
    request.received += bytes;
    if (request.received != request.expected)
        return;
    awaiting_data_.remove(request.id);
    if (request.matched_ns != 0)
        peer(request.sender)
            .choice->record(Way::stream, request.expected, base::now_ns() - request.matched_ns);
    finish(request);
}

}  // namespace tutti::protocol
