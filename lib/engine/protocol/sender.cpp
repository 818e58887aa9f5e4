#include "lib/engine/protocol/sender.hpp"

#include <algorithm>

#include "lib/engine/protocol/pieces.hpp"

namespace tutti::protocol {

namespace {

// Called when a `pending` frame has left. A request with more to send, or without its cts, continues.
void on_frame_sent(transport::Completion& completion, ErrorCode result)
{
    auto& request = static_cast<SendRequest&>(completion);
    --request.frames_pending;
    if (result != ErrorCode::success)
        request.status.code = result;
    if (!request.linked() && !request.done)
        request.settle();
}

}  // namespace

void Sender::send(SendRequest& request)
{
    Peer& to = peers_.connected_or_lost(request.peer_rank);
    request.peer = &to;
    request.fire = on_frame_sent;
    if (to.lost) [[unlikely]] {
        request.finish(ErrorCode::peer_lost);
        return;
    }
    peers_.count_sent(to.rank, request.envelope, request.data.size());
    if (!request.parts.empty() && (!to.gathers || request.parts.size() > transport::kMostParts))
        request.collect = collect_parts;
    if (to.starts.empty() && start(request)) [[likely]] {
        request.settle();
    } else {
        to.starts.push_back(request);
        peers_.note_pending(to);
    }
}

bool Sender::needs_rendezvous(const SendRequest& request) const
{
    const Peer& to = *request.peer;
    const std::size_t total = request.data.size();
    const ProtocolOptions& options = peers_.options();
    const bool copied =
        request.copied && total <= kCopiedLimitBytes && !options.eager_limit_bytes.has_value();
    // A refused rts stays an rts even if credit has returned: its id is taken.
    return request.synchronous || !to.credit.covers(total) || request.id != 0 ||
           (request.collect != nullptr && total > kPieceBytes) ||
           (!copied &&
            (total > to.eager_limit || (total >= options.view_from_bytes && to.views(request.where.region))));
}

// Sends the first frame of an eager message. False: try again later.
bool Sender::start_eagerly(SendRequest& request)
{
    const std::size_t total = request.data.size();
    const std::size_t most = most_in_frame(request);
    const FrameKind kind = total <= most ? FrameKind::eager : FrameKind::eager_first;
    const EagerFirstHeader header{EagerHeader::of(kind, request.envelope), total};
    request.unasked = request.wanted = total;
    if (!send_piece(request, total <= most ? bytes_of(header.envelope) : bytes_of(header),
                    std::min(total, most)))
        return false;
    request.stage = SendRequest::Stage::segments;
    return true;
}

// Sends the envelope and the data that goes unasked. False: the rest must be tried again, and no message may
// overtake. True: done, or nothing to do until the receiver answers, or it has asked for more.
bool Sender::start(SendRequest& request)
{
    using Stage = SendRequest::Stage;
    Peer& to = *request.peer;
    const std::size_t total = request.data.size();

    if (request.stage == Stage::start) {
        if (total != 0 && to.memory != nullptr && !request.lent && request.lies_together())
            request.where.region = to.memory->expose(request.data);
        if (needs_rendezvous(request)) [[unlikely]] {
            if (!rendezvous_.offer(request))
                return false;
            if (request.unasked != 0)
                to.credit.use(request.unasked);
        } else {
            if (!start_eagerly(request))
                return false;
            to.credit.use(total);
        }
    }
    const SegmentHeader header = Lead::of(FrameKind::segment);
    while (request.sent < request.unasked)
        if (!send_piece(request, bytes_of(header),
                        std::min(most_in_frame(request), request.unasked - request.sent)))
            return false;
    return true;
}

std::size_t Sender::retry()
{
    std::size_t sent = 0;
    auto& pending = peers_.pending();
    for (Peer* to = pending.front(); to != nullptr;) {
        Peer* const next = pending.after(*to);
        resume(*to, sent);
        if (!to->has_pending())
            pending.remove(*to);
        to = next;
    }
    return sent;
}

// Control frames first, then matched data, then new messages, until the transport is full.
void Sender::resume(Peer& to, std::size_t& sent)
{
    while (!to.control.empty()) {
        const ControlFrame& frame = to.control.front();
        if (to.transport->send(to.rank, frame.header, frame.payload, nobody_waits) ==
            transport::SendResult::again)
            return;
        to.control.pop_front();
        ++sent;
    }
    for (auto* queue : {&to.streams, &to.starts}) {
        while (SendRequest* request = queue->front()) {
            const std::size_t before = request->sent;
            const bool all = queue == &to.streams ? Rendezvous::stream(*request) : start(*request);
            sent += request->sent != before || all;
            if (!all)
                return;
            queue->remove(*request);
            if (request->stage == SendRequest::Stage::data && request->sent < request->wanted)
                to.streams.push_back(*request);
            else
                request->settle();
        }
    }
}

}  // namespace tutti::protocol
