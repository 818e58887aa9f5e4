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

MessageProtocol Sender::choose(SendRequest& request)
{
    using Place = MessageTraits::Place;
    const Peer& to = *request.peer;
    MessageTraits message{.bytes = request.data.size(),
                          .synchronous = request.synchronous,
                          .copied = request.copied,
                          .has_credit = to.credit.covers(request.data.size())};
    if (request.collect != nullptr) {
        message.place = Place::collected;
    } else if (!request.parts.empty()) {
        message.place = Place::parts;
    } else if (message.bytes != 0 && to.memory != nullptr) {
        request.offered.region = to.memory->expose(request.data);
        message.place = to.views(request.offered.region) ? Place::mapped : Place::private_memory;
    }
    const ProtocolChoice choice = choose_protocol(message, to);
    if (choice.learned)
        return pull_or_stream(request);
    // inject() was tried before.
    return choice.protocol == MessageProtocol::inject ? MessageProtocol::eager : choice.protocol;
}

// Sends the envelope and the data that goes unasked. False: the rest must be tried again, and no message may
// overtake. True: done, or nothing to do until the receiver answers, or it has asked for more.
bool Sender::start(SendRequest& request)
{
    if (request.stage == SendRequest::Stage::start) {
        if (!request.protocol)
            request.protocol = choose(request);
        const bool is_eager = *request.protocol == MessageProtocol::eager;
        if (!(is_eager ? start_eagerly(request) : offer(request)))
            return false;
        if (is_eager || request.unasked != 0)
            request.peer->credit.use(request.unasked);
    }
    return send_segments(request);
}

bool Sender::send_segments(SendRequest& request)
{
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
            const bool all = queue == &to.streams ? stream(*request) : start(*request);
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
