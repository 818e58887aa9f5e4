#include "lib/engine/protocol/receiver.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "tutti/error.hpp"

namespace tutti::protocol {

void Receiver::on_first(Peer& from, const LongHeader& header, std::span<const std::byte> payload)
{
    const ProtocolOptions& options = peers_.options();
    std::size_t most = options.unexpected_bytes;
    Offer offer{.sender_id = header.sender_id};
    if (offer.sender_id == 0) {
        offer.protocol = MessageProtocol::eager;
        offer.unasked_bytes = header.total_bytes;
        most = options.eager_limit_bytes.value_or(most);
    } else if (EarlyPart early{}; payload.size() == sizeof early) {
        std::memcpy(&early, payload.data(), sizeof early);
        offer.unasked_bytes = early.bytes;
        offer.started = early.started;
        payload = {};
    } else {
        corrupt(from.rank, "the start of a message that does not say what follows");
    }
    if (from.arriving.total_bytes != 0 || offer.unasked_bytes <= payload.size() ||
        offer.unasked_bytes > std::min(header.total_bytes, most))
        corrupt(from.rank, "the start of a message that cannot be");
    arrive(from, header, offer, payload);
}

void Receiver::on_rts(Peer& from, const LongHeader& header, std::span<const std::byte> payload)
{
    Offer offer{.sender_id = header.sender_id};
    OfferedRegion offered{};
    if (payload.size() == sizeof offered || payload.size() == sizeof offered.region) {
        std::memcpy(&offered, payload.data(), payload.size());
        offer.region = offered.region;
        offer.started = offered.started;
        offer.protocol =
            payload.size() == sizeof offered ? MessageProtocol::pull : MessageProtocol::read_in_place;
    } else if (!payload.empty()) {
        corrupt(from.rank, "a ready-to-send with a payload that describes no data");
    }
    if (offer.sender_id == 0)
        corrupt(from.rank, "a ready-to-send that awaits no answer");
    arrive(from, header, offer, {});
}

// The envelope of a message in several steps, and its first bytes.
void Receiver::arrive(Peer& from, const LongHeader& header, const Offer& offer,
                      std::span<const std::byte> payload)
{
    const matching::MatchKey envelope = header.envelope.envelope();
    peers_.count_arrived(from, envelope, header.total_bytes, offer.protocol);
    ReceiveRequest* const request = match(envelope, from, header.total_bytes);
    UnexpectedRequest* const message =
        request == nullptr ? &keep(from, envelope, offer.unasked_bytes, payload) : nullptr;
    if (offer.unasked_bytes != 0)
        from.arriving = {request, message, offer.unasked_bytes, payload.size()};
    if (request != nullptr) {
        if (!payload.empty())
            request->take(0, payload);
        return fetch(*request, offer, payload.size());
    }
    message->total_bytes = header.total_bytes;
    message->offer = offer;
    message->offer.started = StartTime::of(0, offer.started.in_window());  // it waits for its receive
}

void Receiver::on_segment(Peer& from, std::span<const std::byte> payload)
{
    const Peer::Arriving before = from.arriving;
    if (payload.empty() || payload.size() > before.total_bytes - before.received_bytes)
        corrupt(from.rank, "a segment without a message");
    from.arriving.received_bytes += payload.size();
    if (UnexpectedRequest* const message = before.unexpected) {
        std::ranges::copy(payload, message->data() + before.received_bytes);
        message->received += payload.size();
    }
    if (before.receive != nullptr)
        before.receive->take(before.received_bytes, payload);
    if (from.arriving.received_bytes == before.total_bytes) {
        from.arriving = {};
        if (before.unexpected == nullptr)
            consumed(from, before.total_bytes);
    }
    if (before.receive != nullptr)
        data_arrived(*before.receive, payload.size());
}

void Receiver::give_credit(Peer& from, std::size_t bytes)
{
    try {
        peers_.send_control(peers_.connected(from.rank),
                            bytes_of(CreditHeader{Lead::of(FrameKind::credit), bytes}));
    } catch (const Error&) {
        // The sender has ended and needs no credit.
    }
}

Receiver::~Receiver()
{
    while (matching::UnexpectedMessage* message = matcher_.oldest_unexpected()) {
        matcher_.remove_unexpected(*message);
        unexpected_pool_.give_back(static_cast<UnexpectedRequest&>(*message));
    }
}

void Receiver::receive_or_post(ReceiveRequest& request)
{
    if (UnexpectedRequest* const message = probe(request.key)) {
        extract(*message);
        receive_matched(request, *message);
    } else if (request.peer_rank >= 0 && peers_.is_lost(request.peer_rank)) {
        request.fail(peers_.peer(request.peer_rank));
    } else {
        post(request);
    }
}

UnexpectedRequest& Receiver::keep(Peer& from, matching::MatchKey envelope, std::size_t total_bytes,
                                  std::span<const std::byte> payload)
{
    static_assert(sizeof(UnexpectedRequest) <= kEagerOverheadBytes, "credit covers the kept request");
    UnexpectedRequest& message = unexpected_pool_.take();
    message.envelope = envelope;
    message.sender = from.rank;
    message.total_bytes = total_bytes;
    if (total_bytes > UnexpectedRequest::kInlineBytes)
        message.heap = std::make_unique_for_overwrite<std::byte[]>(total_bytes);
    std::ranges::copy(payload, message.data());
    message.received = payload.size();
    matcher_.add_unexpected(message);
    return message;
}

// Matches a receive to an unexpected message that is out of the matcher. Frees the message.
void Receiver::receive_matched(ReceiveRequest& request, UnexpectedRequest& message)
{
    Peer& from = peers_.peer(message.sender);
    const std::size_t total = message.total_bytes;
    request.match(message.envelope, message.sender, total);
    const bool is_eager = message.offer.sender_id == 0;
    if (is_eager || message.received != 0)
        request.take(0, std::span(message.data(), message.received));
    if (from.arriving.unexpected == &message) {
        from.arriving.unexpected = nullptr;
        from.arriving.receive = &request;
    }
    const std::size_t unasked = is_eager ? total : message.offer.unasked_bytes;
    if (message.received == unasked && (is_eager || unasked != 0))
        consumed(from, unasked);
    if (from.lost && message.received != total) [[unlikely]] {
        from.arriving.receive = nullptr;
        request.fail(from);  // the rest never comes
    } else {
        fetch(request, message.offer, message.received);
    }
    unexpected_pool_.give_back(message);
}

void Receiver::drop(UnexpectedRequest& message)
{
    // A request that discards its data and deletes itself receives the message: the sender gets its answer
    // and its credit.
    auto* nobody = new ReceiveRequest;
    nobody->peer_rank = message.sender;
    nobody->buffer = nullptr;
    nobody->capacity = 0;
    nobody->on_finish = [](detail::RequestState& state) noexcept {
        delete static_cast<ReceiveRequest*>(&state);
    };
    receive_matched(*nobody, message);
}

}  // namespace tutti::protocol
