// The sending half of the protocol.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/engine/protocol/pieces.hpp"
#include "lib/engine/protocol/protocol.hpp"
#include "lib/foundation/base/error_detail.hpp"
#include "tutti/error.hpp"

namespace tutti::protocol {

using transport::SendResult;

namespace {

// Fires for a frame that was `pending`. A request that still has more to send, or waits for its cts, goes on.
void on_frame_sent(transport::Completion& completion, ErrorCode result)
{
    auto& request = static_cast<SendRequest&>(completion);
    --request.frames_pending;
    if (result != ErrorCode::success)
        request.status.code = result;
    const bool more = request.stage == SendRequest::Stage::awaiting_cts || request.linked() ||
                      request.sent != request.wanted;
    if (!more && request.frames_pending == 0 && !request.done)
        request.finish(request.status.code);
}

}  // namespace

Protocol::Protocol(int ranks, ProtocolOptions options, Connect connect)
    : options_(options), connect_(std::move(connect)), peers_(static_cast<std::size_t>(ranks))
{
}

Peer& Protocol::new_peer(int rank)
{
    auto& slot = peers_[static_cast<std::size_t>(rank)];
    slot = std::make_unique<Peer>(rank);
    slot->credit = options_.unexpected_bytes;
    return *slot;
}

Peer& Protocol::connected_peer(int rank)
{
    Peer& to = peer(rank);
    if (to.transport == nullptr) [[unlikely]] {
        transport::Transport& transport = connect_(rank);
        const transport::Capabilities capabilities = transport.capabilities();
        const std::size_t wish =
            capabilities.eager_limit_bytes != 0 ? capabilities.eager_limit_bytes : kEagerLimitBytes;
        to.max_payload = capabilities.max_payload_bytes;
        to.eager_limit = std::min(options_.eager_limit_bytes.value_or(wish),
                                  options_.unexpected_bytes - kEagerOverheadBytes);
        to.inject_below = std::min({capabilities.inject_below, options_.view_from_bytes, to.eager_limit + 1});
        to.memory = transport.memory();
        to.can_pull = to.memory != nullptr;
        to.gathers = capabilities.gathers;
        to.transport = &transport;
        to.choice = &choices_[&transport];
    }
    return to;
}

// A peer that has left before it was needed is one that is lost: the request says what it was needed for.
Peer& Protocol::connected_or_lost_peer(int rank)
{
    Peer& to = peer(rank);
    if (to.transport != nullptr || to.lost) [[likely]]
        return to;
    try {
        return connected_peer(rank);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::peer_lost)
            throw;
        peer_lost(rank, base::detail_of(error));
        return to;
    }
}

void Protocol::send(SendRequest& request)
{
    Peer& to = connected_or_lost_peer(request.peer_rank);
    request.peer = &to;
    request.fire = on_frame_sent;
    if (to.lost) [[unlikely]] {
        request.finish(ErrorCode::peer_lost);
        return;
    }
    if (!request.parts.empty() && (!to.gathers || request.parts.size() > transport::kMostParts))
        request.collect = collect_parts;
    if (to.starts.empty() && start(request, to)) [[likely]] {
        settle(request);
    } else {
        to.starts.push_back(request);
        note_pending(to);
    }
}

// One frame of the message's next payload bytes. False: try again later.
bool Protocol::pass(SendRequest& request, Peer& to, std::span<const std::byte> header,
                    std::size_t payload_bytes)
{
    SendResult result = SendResult::again;
    if (request.collect != nullptr) [[unlikely]] {
        if (request.frames_pending != 0)  // from the only piece that there is
            return false;
        result = to.transport->send(to.rank, header, collect(request, payload_bytes), request);
    } else if (!request.parts.empty()) [[unlikely]] {
        const PartsOf payload(request, request.sent, payload_bytes);
        result = to.transport->send_parts(to.rank, header, payload.all(), request);
    } else {
        result =
            to.transport->send(to.rank, header, request.data.subspan(request.sent, payload_bytes), request);
    }
    if (result == SendResult::again)
        return false;
    request.frames_pending += result == SendResult::pending;
    request.sent += payload_bytes;
    return true;
}

// The envelope of a rendezvous, with where the data lies for a receiver that can read it from there.
bool Protocol::pass_rts(SendRequest& request, Peer& to, std::span<const std::byte> header)
{
    std::span<const std::byte> where;
    if (!request.data.empty() && request.lies_together() && (to.views(request.region) || lend(request, to)))
        where = std::as_bytes(std::span(&request.region, 1));
    const SendResult result = to.transport->send(to.rank, header, where, request);
    request.frames_pending += result == SendResult::pending;
    return result != SendResult::again;
}

// Lets the peer read the data by get().
bool Protocol::lend(SendRequest& request, Peer& to)
{
    if (!request.lent && to.can_pull && request.data.size() >= kPullFromBytes)
        request.lent = to.memory->lend(request.data, request.region);
    return request.lent;
}

// No answer to the rts is awaited any more, and the peer reads no more.
void Protocol::answered(SendRequest& request) noexcept
{
    if (request.id != 0)
        awaiting_cts_.remove(std::exchange(request.id, 0));
    if (std::exchange(request.lent, false))
        request.peer->memory->take_back(request.region);
}

// Ends a request whose every frame was handed over, unless the transport still reads from it or a cts must
// come.
void Protocol::settle(SendRequest& request) noexcept
{
    if (request.stage != SendRequest::Stage::awaiting_cts && request.frames_pending == 0)
        request.finish(request.status.code);
}

// Sends the envelope, and of an eager message all that goes with it. False: the rest must be tried again, and
// nothing may overtake it. True: nothing more to do until a cts comes, or for ever.
bool Protocol::start(SendRequest& request, Peer& to)
{
    using Stage = SendRequest::Stage;
    const std::size_t total = request.data.size();
    const matching::MatchKey& envelope = request.envelope;

    if (request.stage == Stage::start) {
        const std::size_t cost = total + kEagerOverheadBytes;
        if (total != 0 && to.memory != nullptr && !request.lent && request.lies_together())
            request.region = to.memory->expose(request.data);
        const bool copied =
            request.copied && total <= kCopiedLimitBytes && !options_.eager_limit_bytes.has_value();
        const bool in_view = !copied && total >= options_.view_from_bytes && to.views(request.region);
        // A refused rts stays one, even when credit has come back since: its id is taken.
        if (request.synchronous || in_view || (total > to.eager_limit && !copied) || cost > to.credit ||
            request.id != 0 || (request.collect != nullptr && total > kPieceBytes)) [[unlikely]] {
            if (request.id == 0)
                request.id = awaiting_cts_.add(request);
            const RtsHeader header{EagerHeader::of(FrameKind::rts, envelope), total, request.id};
            if (!pass_rts(request, to, bytes_of(header)))
                return false;
            request.stage = Stage::awaiting_cts;
            return true;
        }
        request.wanted = total;
        if (total <= to.max_payload) [[likely]] {
            const EagerHeader header = EagerHeader::of(FrameKind::eager, envelope);
            if (!pass(request, to, bytes_of(header), total))
                return false;
            to.credit -= cost;
            return true;
        }
        const EagerFirstHeader header{EagerHeader::of(FrameKind::eager_first, envelope), total};
        if (!pass(request, to, bytes_of(header), to.max_payload))
            return false;
        to.credit -= cost;
        request.stage = Stage::segments;
    }
    const SegmentHeader header{Lead::of(FrameKind::segment)};
    while (request.sent < total)
        if (!pass(request, to, bytes_of(header), std::min(to.max_payload, total - request.sent)))
            return false;
    return true;
}

// Sends the data of a matched message. False: the rest must be tried again.
bool Protocol::stream(SendRequest& request, Peer& to)
{
    const std::size_t most =
        request.collect == nullptr ? to.max_payload : std::min(to.max_payload, kPieceBytes);
    while (request.sent < request.wanted) {
        const DataHeader header{Lead::of(FrameKind::data), request.receiver_id, request.sent};
        if (!pass(request, to, bytes_of(header), std::min(most, request.wanted - request.sent)))
            return false;
    }
    return true;
}

void Protocol::on_cts(int from, const CtsHeader& cts)
{
    SendRequest* request = awaiting_cts_.find(cts.sender_id);
    if (request == nullptr || request->peer_rank != from ||
        request->stage != SendRequest::Stage::awaiting_cts || cts.wanted_bytes > request->data.size())
        corrupt(from, "a clear-to-send for no message of ours");
    answered(*request);
    request->stage = SendRequest::Stage::data;
    request->receiver_id = cts.receiver_id;
    request->wanted = cts.wanted_bytes;
    Peer& to = *request->peer;
    if (to.streams.empty() && stream(*request, to)) {
        settle(*request);
    } else {
        to.streams.push_back(*request);
        note_pending(to);
    }
}

void Protocol::on_fin(int from, const FinHeader& fin)
{
    SendRequest* request = awaiting_cts_.find(fin.sender_id);
    if (request == nullptr || request->peer_rank != from ||
        request->stage != SendRequest::Stage::awaiting_cts)
        corrupt(from, "an end of no message of ours");
    answered(*request);
    request->stage = SendRequest::Stage::data;
    settle(*request);
}

void Protocol::on_credit(Peer& from, const CreditHeader& credit)
{
    if (credit.bytes > options_.unexpected_bytes - from.credit)
        corrupt(from.rank, "more credit than was ever used");
    from.credit += credit.bytes;
}

void Protocol::send_control(Peer& to, std::span<const std::byte> header)
{
    if (to.lost)
        return;
    if (to.control.empty() && to.transport->send(to.rank, header, {}, nobody_waits) != SendResult::again)
        return;
    ControlFrame frame{};
    std::ranges::copy(header, frame.bytes.begin());
    frame.size = header.size();
    to.control.push_back(frame);
    note_pending(to);
}

void Protocol::note_pending(Peer& to)
{
    if (!static_cast<base::ListHook<PendingPeerTag>&>(to).linked())
        pending_peers_.push_back(to);
}

std::size_t Protocol::retry()
{
    std::size_t sent = 0;
    for (Peer* to = pending_peers_.front(); to != nullptr;) {
        Peer* next = pending_peers_.after(*to);
        retry_peer(*to, sent);
        if (!to->has_pending())
            pending_peers_.remove(*to);
        to = next;
    }
    return sent;
}

// Control frames first, then matched data, then new messages. False: the transport is full.
bool Protocol::retry_peer(Peer& to, std::size_t& sent)
{
    while (!to.control.empty()) {
        const ControlFrame& frame = to.control.front();
        if (to.transport->send(to.rank, std::span(frame.bytes).first(frame.size), {}, nobody_waits) ==
            SendResult::again)
            return false;
        to.control.pop_front();
        ++sent;
    }
    for (auto* queue : {&to.streams, &to.starts}) {
        while (SendRequest* request = queue->front()) {
            const std::size_t before = request->sent;
            const bool all = queue == &to.streams ? stream(*request, to) : start(*request, to);
            sent += request->sent != before || all;
            if (!all)
                return false;
            queue->remove(*request);
            settle(*request);
        }
    }
    return true;
}

void Protocol::forget(SendRequest& request) noexcept
{
    using Outgoing = base::IntrusiveList<SendRequest, OutgoingTag>;
    if (static_cast<base::ListHook<OutgoingTag>&>(request).linked())
        Outgoing::remove(request);
    answered(request);
}

void Protocol::let_go(SendRequest& request)
{
    if (request.frames_pending != 0)
        request.peer->transport->release_payload(request.peer_rank, request);
}

bool Protocol::is_lost(int rank) const noexcept
{
    const auto& slot = peers_[static_cast<std::size_t>(rank)];
    return slot != nullptr && slot->lost;
}

std::string_view Protocol::why_lost(int rank) const noexcept
{
    return protocol::why_lost(peers_[static_cast<std::size_t>(rank)].get());
}

}  // namespace tutti::protocol
