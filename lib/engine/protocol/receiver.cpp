#include "lib/engine/protocol/receiver.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "tutti/error.hpp"

namespace tutti::protocol {

void Receiver::on_eager(int from_rank, const std::byte* header, std::span<const std::byte> payload)
{
    Peer& from = peers_.peer(from_rank);
    const matching::MatchKey envelope = EagerHeader::at(header).envelope();
    peers_.count_arrived(from, envelope, payload.size());
    ReceiveRequest* request = std::exchange(from.header_receive, nullptr);
    if (request == nullptr) [[likely]]
        request = match(envelope, from, payload.size());
    if (request != nullptr) [[likely]] {
        consumed(from, payload.size());
        request->take(0, payload);
        request->finish();
    } else {
        keep(from, envelope, payload.size(), payload);
    }
}

void Receiver::on_eager_first(Peer& from, const EagerFirstHeader& header, std::span<const std::byte> payload)
{
    const ProtocolOptions& options = peers_.options();
    if (from.arriving.total_bytes != 0 || header.total_bytes <= payload.size() ||
        header.total_bytes > options.eager_limit_bytes.value_or(options.unexpected_bytes))
        corrupt(from.rank, "the start of a segmented message that cannot be");
    const matching::MatchKey envelope = header.envelope.envelope();
    peers_.count_arrived(from, envelope, header.total_bytes);
    from.arriving = {match(envelope, from, header.total_bytes), nullptr, header.total_bytes, payload.size(),
                     false};
    if (from.arriving.receive != nullptr)
        from.arriving.receive->take(0, payload);
    else
        from.arriving.unexpected = &keep(from, envelope, header.total_bytes, payload);
}

void Receiver::on_segment(Peer& from, std::span<const std::byte> payload)
{
    const Peer::Arriving before = from.arriving;
    if (payload.empty() || payload.size() > before.total_bytes - before.received_bytes)
        corrupt(from.rank, "a segment without a message");
    from.arriving.received_bytes += payload.size();
    const bool last = from.arriving.received_bytes == before.total_bytes;
    if (UnexpectedRequest* const message = before.unexpected) {
        std::ranges::copy(payload, message->data() + before.received_bytes);
        message->received += payload.size();
    }
    if (ReceiveRequest* const receive = before.receive)
        receive->take(before.received_bytes, payload);
    if (last) {
        from.arriving = {};
        if (before.unexpected == nullptr)
            consumed(from, before.total_bytes);
    }
    if (before.receive != nullptr && before.early)
        rendezvous_.data_arrived(*before.receive, payload.size());
    else if (before.receive != nullptr && last)
        before.receive->finish();
}

void Receiver::on_rts(Peer& from, const RtsHeader& header, std::span<const std::byte> payload)
{
    Offer offer;
    offer.sender_id = header.sender_id;
    LentRegion lent{};
    EarlyPart early{};
    const bool is_early = header.envelope.lead.kind() == FrameKind::rts_early;
    if (is_early && payload.size() == sizeof early) {
        std::memcpy(&early, payload.data(), sizeof early);
        offer.early_bytes = early.bytes;
        offer.started = early.started;
    } else if (!is_early && (payload.size() == sizeof lent || payload.size() == sizeof lent.region)) {
        std::memcpy(&lent, payload.data(), payload.size());
        offer.region = lent.region;
        offer.started = lent.started;
    } else if (is_early || !payload.empty()) {
        corrupt(from.rank, "a ready-to-send with a payload that describes no data");
    }
    if (offer.early_bytes > std::min(header.total_bytes, peers_.options().unexpected_bytes) ||
        (offer.early_bytes != 0 && from.arriving.total_bytes != 0))
        corrupt(from.rank, "early data that cannot be");
    const matching::MatchKey envelope = header.envelope.envelope();
    peers_.count_arrived(from, envelope, header.total_bytes);
    ReceiveRequest* const request = match(envelope, from, header.total_bytes);
    UnexpectedRequest* const message =
        request == nullptr ? &keep(from, envelope, offer.early_bytes, {}) : nullptr;
    if (offer.early_bytes != 0)
        from.arriving = {request, message, offer.early_bytes, 0, true};
    if (request != nullptr)
        return rendezvous_.fetch(*request, offer, 0);
    message->total_bytes = header.total_bytes;
    message->is_rts = true;
    message->offer = offer;
    message->offer.started = StartTime::of(0, offer.started.in_window());  // it waits for its receive
}

bool Receiver::payload_placed(Peer& from, std::size_t payload_bytes)
{
    ReceiveRequest* const request = std::exchange(from.header_receive, nullptr);
    if (request == nullptr)
        return false;
    peers_.count_arrived(from, {request->key.context, request->status.source, request->status.tag},
                         payload_bytes);
    consumed(from, payload_bytes);
    request->finish();
    return true;
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
    if (message.received != 0 || !message.is_rts)
        request.take(0, std::span(message.data(), message.received));
    if (from.arriving.unexpected == &message) {
        from.arriving.unexpected = nullptr;
        from.arriving.receive = &request;
    }
    const std::size_t unasked = message.is_rts ? message.offer.early_bytes : total;
    if (message.received == unasked && (unasked != 0 || !message.is_rts))
        consumed(from, unasked);
    if (from.lost && message.received != total) [[unlikely]] {
        from.arriving.receive = nullptr;
        request.fail(from);  // the rest never comes
    } else if (message.is_rts) {
        rendezvous_.fetch(request, message.offer, message.received);
    } else if (message.received == total) {
        request.finish();
    }
    unexpected_pool_.give_back(message);
}

void Receiver::drop(UnexpectedRequest& message)
{
    // A request that discards its data and deletes itself receives it: the sender is told and gets credit
    // back.
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
