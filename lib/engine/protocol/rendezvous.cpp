// Rendezvous: first only the envelope travels; the data follows once a receive has matched. Here is the
// handshake: the sender offers a message, the receiver gets its data and answers. It reads the data in place
// (read_in_place.cpp), pulls it from the sender's memory (pull.cpp), or has the sender stream it
// (stream.cpp).
#include <algorithm>
#include <utility>

#include "lib/engine/protocol/receiver.hpp"
#include "lib/engine/protocol/sender.hpp"
#include "lib/foundation/base/clock.hpp"
#include "tutti/error.hpp"

namespace tutti::protocol {

using transport::SendResult;

// Sends the envelope and, if the receiver shall read it, the data's place. False: try again later.
bool Sender::offer(SendRequest& request)
{
    Peer& to = *request.peer;
    if (request.id == 0)
        ++to.offered;
    awaiting_cts_.add(request);
    const auto started = [&to] { return StartTime::of(to.same_clock ? base::now_ns() : 0, to.offered > 1); };
    request.unasked = request.wanted = 0;
    std::span<const std::byte> payload;
    if (*request.protocol == MessageProtocol::read_in_place) {
        payload = std::as_bytes(std::span(&request.offered.region, 1));
    } else if (*request.protocol == MessageProtocol::pull) {
        request.offered.started = started();
        payload = std::as_bytes(std::span(&request.offered, 1));
    } else if (const std::size_t early = early_bytes(request); early != 0) {
        request.unasked = request.wanted = early;
        request.early = {early, started()};
        payload = std::as_bytes(std::span(&request.early, 1));
    }
    const FrameKind kind = request.unasked != 0 ? FrameKind::first : FrameKind::rts;
    const LongHeader header{EagerHeader::of(kind, request.envelope), request.data.size(), request.id};
    const SendResult result = to.transport->send(to.rank, bytes_of(header), payload, request);
    if (result == SendResult::again)
        return false;
    request.frames_pending += result == SendResult::pending;
    request.stage = SendRequest::Stage::awaiting_cts;
    return true;
}

// The send needs no further answer, and the peer has finished reading.
void Sender::answered(SendRequest& request) noexcept
{
    if (request.id != 0)
        --request.peer->offered;
    awaiting_cts_.remove(request);
    if (std::exchange(request.registered, false))
        request.peer->memory->release_region(request.offered.region);
}

// The send that a receiver answers. `wrong` describes an answer for an unknown send.
SendRequest& Sender::answer(Peer& from, Lead lead, std::uint64_t sender_id, std::size_t wanted_bytes,
                            std::string_view wrong)
{
    SendRequest* const request = awaiting_cts_.find(sender_id);
    if (request == nullptr || request->peer_rank != from.rank ||
        request->stage != SendRequest::Stage::awaiting_cts || wanted_bytes > request->data.size())
        corrupt(from.rank, wrong);
    from.choice->follow(request->data.size(), lead.context());
    answered(*request);
    request->stage = SendRequest::Stage::data;
    request->wanted = std::max(request->unasked, wanted_bytes);
    return *request;
}

void Sender::on_fin(Peer& from, const FinHeader& fin)
{
    SendRequest& request = answer(from, fin.lead, fin.sender_id, 0, "a fin for an unknown message");
    // What take_own() has copied needs no protocol that was chosen.
    const bool is_own = from.rank == peers_.options().own_rank && request.unasked == 0;
    peers_.count(is_own ? MessageProtocol::read_in_place : *request.protocol, request.data.size());
    if (!request.linked())
        request.settle();
}

// Gets the data of a matched message, of which `received_bytes` are in their place. Where the receiver cannot
// read the memory that is offered, the data is streamed. Without an offer to read, it is always streamed.
void Receiver::fetch(ReceiveRequest& request, const Offer& offer, std::size_t received_bytes)
{
    request.expected = std::min(request.status.size_bytes, request.capacity);
    request.received = std::min(request.expected, received_bytes);
    request.sender_id = offer.sender_id;
    request.started_ns = 0;
    if (offer.sender_id == 0) {
        if (request.received == request.expected)
            complete(request, peers_.peer(request.sender));
        return;
    }
    try {
        Peer& from = peers_.connected(request.sender);
        if (from.rank == peers_.options().own_rank && take_own(request, from))
            return;
        if (offer.region && from.views(*offer.region)) {
            if (take_in_place(request, from, *offer.region))
                return;
        } else if (from.can_pull && request.deliver == nullptr && request.expected >= kPullFromBytes) {
            begin_timing(request, from, offer);
            if (offer.region && try_pull(request, from, *offer.region))
                return;
        }
        ask_for_data(request, from, offer);
    } catch (const Error& error) {
        // The sender cannot be reached.
        fail(request, peers_.peer(request.sender), error.code());
    }
}

void Receiver::end_view(Peer& sender, std::uint64_t sender_id, std::uint64_t advice)
{
    peers_.send_control(sender, bytes_of(FinHeader{Lead::of(FrameKind::fin, advice), sender_id}));
}

// The last byte of a message that came in frames is in its place. More may come unasked than the receive
// takes.
void Receiver::complete(ReceiveRequest& request, Peer& from)
{
    awaiting_data_.remove(request);
    if (from.arriving.receive == &request)
        from.arriving.receive = nullptr;
    end_timing(from, request, MessageProtocol::stream);
    request.finish();
}

void Receiver::fail(ReceiveRequest& request, Peer& from, ErrorCode code)
{
    awaiting_data_.remove(request);
    if (from.arriving.receive == &request)
        from.arriving.receive = nullptr;
    request.fail(from, code);
}

}  // namespace tutti::protocol
