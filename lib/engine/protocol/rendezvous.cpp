// The two halves of a rendezvous: the sender offers a message, and the receiver gets its data.
#include "lib/engine/protocol/rendezvous.hpp"

#include <algorithm>
#include <utility>

#include "lib/engine/protocol/pieces.hpp"
#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/copy.hpp"
#include "tutti/error.hpp"

namespace tutti::protocol {

using transport::SendResult;

// Allows the peer to read the data by get().
bool Rendezvous::lend(SendRequest& request)
{
    if (!request.lent && request.peer->can_pull && request.data.size() >= kPullFromBytes)
        request.lent = request.peer->memory->lend(request.data, request.region);
    return request.lent;
}

bool Rendezvous::offer(SendRequest& request)
{
    Peer& to = *request.peer;
    awaiting_cts_.add(request);
    const RtsHeader header{EagerHeader::of(FrameKind::rts, request.envelope), request.data.size(),
                           request.id};
    std::span<const std::byte> where;
    if (!request.data.empty() && request.lies_together() && (to.views(request.region) || lend(request)))
        where = std::as_bytes(std::span(&request.region, 1));
    const SendResult result = to.transport->send(to.rank, bytes_of(header), where, request);
    if (result == SendResult::again)
        return false;
    request.frames_pending += result == SendResult::pending;
    request.stage = SendRequest::Stage::awaiting_cts;
    return true;
}

void Rendezvous::answered(SendRequest& request) noexcept
{
    awaiting_cts_.remove(request);
    if (std::exchange(request.lent, false))
        request.peer->memory->take_back(request.region);
}

// The send that a receiver answers. `wrong` describes an answer for an unknown send.
SendRequest& Rendezvous::answer(Peer& from, std::uint64_t sender_id, std::size_t wanted_bytes,
                                std::string_view wrong)
{
    SendRequest* const request = awaiting_cts_.find(sender_id);
    if (request == nullptr || request->peer_rank != from.rank ||
        request->stage != SendRequest::Stage::awaiting_cts || wanted_bytes > request->data.size())
        corrupt(from.rank, wrong);
    answered(*request);
    request->stage = SendRequest::Stage::data;
    return *request;
}

void Rendezvous::on_cts(Peer& from, const CtsHeader& cts)
{
    SendRequest& request =
        answer(from, cts.sender_id, cts.wanted_bytes, "a clear-to-send for no message of ours");
    request.receiver_id = cts.receiver_id;
    request.wanted = cts.wanted_bytes;
    if (from.streams.empty() && stream(request)) {
        request.settle();
    } else {
        from.streams.push_back(request);
        peers_.note_pending(from);
    }
}

bool Rendezvous::stream(SendRequest& request)
{
    const std::size_t most = request.collect == nullptr ? request.peer->max_payload
                                                        : std::min(request.peer->max_payload, kPieceBytes);
    while (request.sent < request.wanted) {
        const DataHeader header{Lead::of(FrameKind::data), request.receiver_id, request.sent};
        if (!send_piece(request, bytes_of(header), std::min(most, request.wanted - request.sent)))
            return false;
    }
    return true;
}

void Rendezvous::fetch(ReceiveRequest& request, std::uint64_t sender_id,
                       const std::optional<transport::RemoteRegion>& region)
{
    request.expected = std::min(request.status.size_bytes, request.capacity);
    request.received = 0;
    request.sender_id = sender_id;
    try {
        Peer& from = peers_.connected(request.sender);
        const bool viewable = region && from.views(*region);
        request.matched_ns = 0;
        if (viewable && take_in_place(request, from, *region))
            return;
        const bool can_pull = region && !viewable && from.can_pull && request.deliver == nullptr &&
                              request.expected >= kPullFromBytes;
        request.matched_ns = can_pull ? base::now_ns() : 0;
        if (can_pull && from.choice->choose(request.expected) == Way::pull &&
            try_pull(request, from, *region))
            return;
        if (request.expected > 0)
            awaiting_data_.add(request);
        const CtsHeader header{Lead::of(FrameKind::cts), sender_id, request.id, request.expected};
        peers_.send_control(from, bytes_of(header));
        if (request.expected == 0)
            request.finish();
    } catch (const Error& error) {
        // The sender cannot be reached.
        awaiting_data_.remove(request);
        request.fail(peers_.peer(request.sender), error.code());
    }
}

// For memory that can be mapped here. False if mapping fails.
bool Rendezvous::take_in_place(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region)
{
    if (!request.in_place && request.deliver == nullptr)
        return try_pull(request, from, region);
    const auto data = from.memory->view(from.rank, region, request.expected);
    if (data.empty())
        return false;
    if (request.in_place) {
        request.viewed = data;  // until the caller calls end_view()
    } else {
        request.take(0, data);
        end_view(from, request.sender_id);
    }
    request.finish();
    return true;
}

void Rendezvous::end_view(Peer& sender, std::uint64_t sender_id)
{
    peers_.send_control(sender, bytes_of(FinHeader{Lead::of(FrameKind::fin), sender_id}));
}

void Rendezvous::copy_own(ReceiveRequest& request, std::span<const std::byte> from)
{
    request.status.size_bytes = from.size();
    request.sender = request.peer_rank;
    request.fire = [](transport::Completion& completion, ErrorCode result) {
        auto& copied = static_cast<ReceiveRequest&>(completion);
        copied.pulling = false;
        copied.finish(result);
    };
    const std::span to(request.buffer, from.size());
    transport::RemoteMemory* const memory = peers_.peer(request.peer_rank).memory;
    const SendResult result =
        memory != nullptr ? memory->copy_own(request.peer_rank, to, from, request) : SendResult::again;
    request.pulling = result == SendResult::pending;
    if (result == SendResult::again)
        base::copy_bytes(to.data(), from.data(), from.size());
    if (!request.pulling)
        request.finish(ErrorCode::success);
}

// False: nothing was started, so the data must be streamed.
bool Rendezvous::try_pull(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region)
{
    request.rendezvous = this;
    request.fire = [](transport::Completion& completion, ErrorCode result) {
        auto& receive = static_cast<ReceiveRequest&>(completion);
        receive.rendezvous->pulled(receive, result);
    };
    try {
        const SendResult result =
            from.memory->get(from.rank, region, {request.buffer, request.expected}, request);
        request.pulling = result == SendResult::pending;
        if (result == SendResult::done)
            pulled(request, ErrorCode::success);
        return result != SendResult::again;
    } catch (const Error&) {
        // A kernel or container forbids it: do not try again.
        from.can_pull = false;
        return false;
    }
}

// A remote read has ended. If it failed, the sender still waits for an answer, so its data is streamed
// instead, unless the sender is lost.
void Rendezvous::pulled(ReceiveRequest& request, ErrorCode result)
{
    Peer& from = peers_.peer(request.sender);
    request.pulling = false;
    if (result == ErrorCode::success) [[likely]] {
        if (request.matched_ns != 0)
            from.choice->record(Way::pull, request.expected, base::now_ns() - request.matched_ns);
        end_view(from, request.sender_id);
        request.finish();
    } else if (from.lost || result == ErrorCode::peer_lost || result == ErrorCode::cancelled) {
        request.fail(from, from.lost ? ErrorCode::peer_lost : result);
    } else {
        from.can_pull = false;
        fetch(request, request.sender_id, std::nullopt);
    }
}

ReceiveRequest* Rendezvous::data_receiver(const Peer& from, const DataHeader& header,
                                          std::size_t payload_bytes) const noexcept
{
    ReceiveRequest* const request = awaiting_data_.find(header.receiver_id);
    const bool fits = request != nullptr && request->sender == from.rank &&
                      header.offset == request->received &&
                      payload_bytes <= request->expected - request->received;
    return fits ? request : nullptr;
}

void Rendezvous::on_data(Peer& from, const DataHeader& header, std::span<const std::byte> payload)
{
    ReceiveRequest* const request = data_receiver(from, header, payload.size());
    if (request == nullptr)
        corrupt(from.rank, "data for an unknown receive");
    request->take(header.offset, payload);
    data_arrived(*request, payload.size());
}

void Rendezvous::data_arrived(ReceiveRequest& request, std::size_t bytes)
{
    request.received += bytes;
    if (request.received != request.expected)
        return;
    awaiting_data_.remove(request);
    if (request.matched_ns != 0)
        peers_.peer(request.sender)
            .choice->record(Way::stream, request.expected, base::now_ns() - request.matched_ns);
    request.finish();
}

}  // namespace tutti::protocol
