// The receiving half of the protocol.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/engine/protocol/protocol.hpp"
#include "tutti/error.hpp"

namespace tutti::protocol {

Protocol::~Protocol()
{
    while (matching::UnexpectedMessage* message = matcher_.oldest_unexpected()) {
        matcher_.remove_unexpected(*message);
        unexpected_pool_.give_back(static_cast<UnexpectedRequest&>(*message));
    }
}

void Protocol::receive_or_post(ReceiveRequest& request)
{
    if (auto* message = static_cast<UnexpectedRequest*>(matcher_.find_unexpected(request.key))) {
        matcher_.remove_unexpected(*message);
        accept(request, *message);
    } else if (has_lost_peers() && request.peer_rank >= 0 && is_lost(request.peer_rank)) [[unlikely]] {
        fail(request, peer(request.peer_rank));
    } else {
        post(request);
    }
}

bool Protocol::cancel(ReceiveRequest& request) noexcept
{
    if (!static_cast<matching::TableHook<matching::PostedTag>&>(request).linked())
        return false;
    matcher_.withdraw(request);
    unannounce(request);
    request.status.cancelled = true;
    request.finish(ErrorCode::success);
    return true;
}

void Protocol::fail_awaited_from_anybody(std::uint64_t context)
{
    matcher_.withdraw_if(
        [&](const matching::PostedReceive& posted) {
            const auto& request = static_cast<const ReceiveRequest&>(posted);
            return request.awaited && request.peer_rank < 0 && request.key.context == context;
        },
        [](matching::PostedReceive& posted) {
            static_cast<ReceiveRequest&>(posted).finish(ErrorCode::peer_lost);  // of nobody: never announced
        });
}

void Protocol::forget(ReceiveRequest& request) noexcept
{
    if (static_cast<matching::TableHook<matching::PostedTag>&>(request).linked())
        matcher_.withdraw(request);
    unannounce(request);
    if (awaiting_data_.find(request.id) == &request)
        awaiting_data_.remove(request.id);
    if (request.sender < 0)
        return;
    Peer& from = peer(request.sender);
    if (std::exchange(request.pulling, false))
        from.memory->abandon(request);
    for (ReceiveRequest** held : {&from.arriving_receive, &from.early_receive})
        if (*held == &request)
            *held = nullptr;
}

void Protocol::let_go(ReceiveRequest& request)
{
    request.capacity = 0;
    if (request.pulling) {
        peer(request.sender).memory->abandon(request);
        return request.fire(request, ErrorCode::success);
    }
    if (request.sender >= 0 && !is_lost(request.sender))
        connected_peer(request.sender).transport->release_place(request.sender);
}

UnexpectedRequest* Protocol::probe(const matching::MatchKey& pattern)
{
    return static_cast<UnexpectedRequest*>(matcher_.find_unexpected(pattern));
}

void Protocol::extract(UnexpectedRequest& message) noexcept
{
    matcher_.remove_unexpected(message);
}

void Protocol::receive_matched(ReceiveRequest& request, UnexpectedRequest& message)
{
    accept(request, message);
}

void Protocol::drop(UnexpectedRequest& message)
{
    // Received by a request that takes nothing and deletes itself: the sender is told, and credit goes back.
    auto* nobody = new ReceiveRequest;
    nobody->peer_rank = message.sender;
    nobody->buffer = nullptr;
    nobody->capacity = 0;
    nobody->on_finish = [](detail::RequestState& state) noexcept {
        delete static_cast<ReceiveRequest*>(&state);
    };
    accept(*nobody, message);
}

void Protocol::frame(int from_rank, std::span<const std::byte> header, std::span<const std::byte> payload)
{
    Lead lead{};
    if (header.size() < sizeof lead) [[unlikely]]
        corrupt(from_rank, "a header too short for any frame");
    std::memcpy(&lead, header.data(), sizeof lead);
    Peer& from = peer(from_rank);

    const auto read = [&](auto& parsed) {
        if (!read_header(header, parsed)) [[unlikely]]
            corrupt(from_rank, "a header of the wrong length");
    };
    switch (lead.kind()) {
        case FrameKind::eager: {
            EagerHeader parsed;
            read(parsed);
            return on_eager(from, parsed, payload);
        }
        case FrameKind::eager_first: {
            EagerFirstHeader parsed;
            read(parsed);
            return on_eager_first(from, parsed, payload);
        }
        case FrameKind::segment: {
            SegmentHeader parsed;
            read(parsed);
            return on_segment(from, payload);
        }
        case FrameKind::rts: {
            RtsHeader parsed;
            read(parsed);
            return on_rts(from, parsed, payload);
        }
        case FrameKind::cts: {
            CtsHeader parsed;
            read(parsed);
            return on_cts(from_rank, parsed);
        }
        case FrameKind::data: {
            DataHeader parsed;
            read(parsed);
            return on_data(from_rank, parsed, payload);
        }
        case FrameKind::fin: {
            FinHeader parsed;
            read(parsed);
            return on_fin(from_rank, parsed);
        }
        case FrameKind::credit: {
            CreditHeader parsed;
            read(parsed);
            return on_credit(from, parsed);
        }
        case FrameKind::call_inquiry:
        case FrameKind::call_differs: {
            CallHeader parsed;
            read(parsed);
            if (call_listener_ != nullptr)
                call_listener_->heard(from_rank, parsed);
            return;
        }
        case FrameKind::call_wait: {
            CallWaitHeader parsed;
            read(parsed);
            if (call_listener_ != nullptr)
                call_listener_->heard(from_rank, parsed);
            return;
        }
    }
    corrupt(from_rank, "a frame of unknown kind");
}

void Protocol::on_eager(Peer& from, const EagerHeader& header, std::span<const std::byte> payload)
{
    const matching::MatchKey envelope = header.envelope();
    auto* request = std::exchange(from.early_receive, nullptr);
    if (request == nullptr) [[likely]]
        request = static_cast<ReceiveRequest*>(matcher_.match_arrival(envelope));
    if (request != nullptr) [[likely]] {
        consumed(from, payload.size());
        matched(*request, envelope, from.rank, payload.size());
        request->take(0, payload);
        finish(*request);
        return;
    }
    UnexpectedRequest& message = keep_unexpected(from, envelope, payload.size());
    std::ranges::copy(payload, message.data());
    message.received = payload.size();
    matcher_.add_unexpected(message);
}

void Protocol::on_eager_first(Peer& from, const EagerFirstHeader& header, std::span<const std::byte> payload)
{
    if (from.arriving_total != 0 || header.total_bytes <= payload.size() ||
        header.total_bytes > options_.eager_limit_bytes.value_or(options_.unexpected_bytes))
        corrupt(from.rank, "the start of a segmented message that cannot be");
    const matching::MatchKey envelope = header.envelope.envelope();
    from.arriving_total = header.total_bytes;
    from.arriving_received = payload.size();
    if (auto* request = static_cast<ReceiveRequest*>(matcher_.match_arrival(envelope))) {
        matched(*request, envelope, from.rank, header.total_bytes);
        from.arriving_receive = request;
        request->take(0, payload);
    } else {
        UnexpectedRequest& message = keep_unexpected(from, envelope, header.total_bytes);
        std::ranges::copy(payload, message.data());
        message.received = payload.size();
        from.arriving_unexpected = &message;
        matcher_.add_unexpected(message);
    }
}

void Protocol::on_segment(Peer& from, std::span<const std::byte> payload)
{
    if (payload.empty() || payload.size() > from.arriving_total - from.arriving_received)
        corrupt(from.rank, "a segment of no message");
    const std::size_t offset = from.arriving_received;
    from.arriving_received += payload.size();
    const bool last = from.arriving_received == from.arriving_total;
    const std::size_t total = from.arriving_total;
    ReceiveRequest* const request = from.arriving_receive;
    if (UnexpectedRequest* message = from.arriving_unexpected) {
        std::ranges::copy(payload, message->data() + offset);
        message->received = from.arriving_received;
    }
    if (last) {
        from.arriving_receive = nullptr;
        from.arriving_unexpected = nullptr;
        from.arriving_total = from.arriving_received = 0;
    }
    if (request != nullptr) {
        request->take(offset, payload);
        if (last) {
            consumed(from, total);
            finish(*request);
        }
    }
}

void Protocol::on_rts(Peer& from, const RtsHeader& header, std::span<const std::byte> payload)
{
    std::optional<transport::RemoteRegion> region;
    if (payload.size() == sizeof *region)
        std::memcpy(&region.emplace(), payload.data(), sizeof *region);
    else if (!payload.empty())
        corrupt(from.rank, "a ready-to-send with a payload that is no memory region");
    const matching::MatchKey envelope = header.envelope.envelope();
    if (auto* request = static_cast<ReceiveRequest*>(matcher_.match_arrival(envelope))) {
        matched(*request, envelope, from.rank, header.total_bytes);
        fetch_data(*request, from.rank, header.sender_id, header.total_bytes, region);
        return;
    }
    UnexpectedRequest& message = keep_unexpected(from, envelope, 0);
    message.total_bytes = header.total_bytes;
    message.is_rts = true;
    message.sender_id = header.sender_id;
    message.region = region;
    matcher_.add_unexpected(message);
}

UnexpectedRequest& Protocol::keep_unexpected(Peer& from, const matching::MatchKey& envelope,
                                             std::size_t total_bytes)
{
    static_assert(sizeof(UnexpectedRequest) <= kEagerOverheadBytes, "credit is to bound what is kept");
    UnexpectedRequest& message = unexpected_pool_.take();
    message.envelope = envelope;
    message.sender = from.rank;
    message.total_bytes = total_bytes;
    if (total_bytes > UnexpectedRequest::kInlineBytes)
        message.heap = std::make_unique_for_overwrite<std::byte[]>(total_bytes);
    return message;
}

// Joins a receive with a message that came before it and is out of the matcher. Ends the message.
void Protocol::accept(ReceiveRequest& request, UnexpectedRequest& message)
{
    Peer& from = peer(message.sender);
    matched(request, message.envelope, message.sender, message.total_bytes);
    const bool is_rts = message.is_rts;
    const std::uint64_t sender_id = message.sender_id;
    const std::size_t total = message.total_bytes;
    const auto region = message.region;
    if (!is_rts)
        request.take(0, std::span(message.data(), message.received));
    const bool complete = message.received == total;
    if (from.arriving_unexpected == &message) {
        from.arriving_unexpected = nullptr;
        from.arriving_receive = &request;
    }
    unexpected_pool_.give_back(message);
    if (from.lost && total != 0 && (is_rts || !complete)) [[unlikely]] {
        from.arriving_receive = nullptr;
        fail(request, from);  // the rest will never come
    } else if (is_rts) {
        fetch_data(request, from.rank, sender_id, total, region);
    } else if (complete) {
        consumed(from, total);
        finish(request);
    }
}

// Gives credit back once half of it is owed: a frame for each half, not for each message.
void Protocol::consumed(Peer& from, std::size_t message_bytes)
{
    from.credit_owed += message_bytes + kEagerOverheadBytes;
    if (from.credit_owed < options_.unexpected_bytes / 2) [[likely]]
        return;
    const CreditHeader header{Lead::of(FrameKind::credit), from.credit_owed};
    from.credit_owed = 0;
    try {
        send_control(connected_peer(from.rank), bytes_of(header));
    } catch (const Error&) {
        // The sender has ended and needs no credit.
    }
}

void Protocol::matched(ReceiveRequest& request, const matching::MatchKey& envelope, int sender,
                       std::size_t total)
{
    request.status.source = envelope.source();
    request.status.tag = envelope.tag();
    request.status.size_bytes = total;
    request.sender = sender;
    unannounce(request);
}

void Protocol::finish(ReceiveRequest& request) noexcept
{
    request.finish(request.status.size_bytes > request.capacity ? ErrorCode::truncated : ErrorCode::success);
}

void Protocol::fail(ReceiveRequest& request, const Peer& lost) noexcept
{
    request.lost = &lost;
    unannounce(request);
    request.finish(ErrorCode::peer_lost);
}

void Protocol::peer_lost(int lost_rank, std::string_view reason)
{
    Peer& lost = peer(lost_rank);
    if (lost.lost)
        return;
    lost.lost = true;
    lost.loss = reason;
    lost.inject_below = 0;
    any_lost_.store(true, std::memory_order_relaxed);

    const auto fail_send = [](SendRequest& request) {
        request.stage = SendRequest::Stage::data;
        request.sent = request.wanted;
        request.status.code = ErrorCode::peer_lost;
        if (request.frames_pending == 0)
            request.finish(ErrorCode::peer_lost);
    };
    lost.control.clear();
    for (auto* queue : {&lost.starts, &lost.streams}) {
        while (SendRequest* request = queue->pop_front()) {
            answered(*request);
            fail_send(*request);
        }
    }
    awaiting_cts_.for_each([&](SendRequest& request) {
        if (request.peer_rank == lost_rank) {
            answered(request);
            fail_send(request);
        }
    });
    awaiting_data_.for_each([&](ReceiveRequest& request) {
        if (request.sender == lost_rank) {
            awaiting_data_.remove(request.id);
            fail(request, lost);
        }
    });
    for (ReceiveRequest** held : {&lost.arriving_receive, &lost.early_receive})
        if (ReceiveRequest* request = std::exchange(*held, nullptr))
            fail(*request, lost);
    // Receives from any source may still be served by others; those from this peer alone cannot.
    matcher_.withdraw_if(
        [&](const matching::PostedReceive& posted) {
            return static_cast<const ReceiveRequest&>(posted).peer_rank == lost_rank;
        },
        [&](matching::PostedReceive& posted) { fail(static_cast<ReceiveRequest&>(posted), lost); });
}

void Protocol::fail_all()
{
    for (int rank = 0; rank < static_cast<int>(peers_.size()); ++rank)
        if (peers_[static_cast<std::size_t>(rank)] != nullptr)
            peer_lost(rank, {});
}

void Protocol::corrupt(int from, std::string_view what)
{
    throw Error(
        ErrorCode::protocol, "progress",
        fmt::format("rank {} sent {}; check that all ranks run the same version of Tutti", from, what), from);
}

}  // namespace tutti::protocol
