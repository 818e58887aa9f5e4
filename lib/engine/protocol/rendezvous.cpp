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

namespace {

// Of longer messages, which transports put in their places if they are asked for, a copy costs more than an
// answer.
constexpr std::size_t kGoesAlongBytes = 8192;

// Whether all data goes along unasked: a synchronous message that would be eager otherwise is offered for the
// answer alone, and its receive should not wait for a turn of the sender.
bool goes_along(const SendRequest& request, int own_rank)
{
    const Peer& to = *request.peer;
    const std::size_t total = request.data.size();
    return request.synchronous && total != 0 && total <= std::min(to.eager_limit, kGoesAlongBytes) &&
           to.rank != own_rank && to.credit.covers(total);
}

StartTime start_now(const Peer& to)
{
    return StartTime::of(to.same_clock ? base::now_ns() : 0, to.offered > 1);
}

// Has so many bytes follow the rts at once, and returns what it says about them.
std::span<const std::byte> early_part(SendRequest& request, std::size_t bytes, StartTime started)
{
    request.unasked = request.wanted = bytes;
    request.early = {bytes, started};
    return std::as_bytes(std::span(&request.early, 1));
}

}  // namespace

// Decides how the data travels, and returns what the rts says about it. The sender decides, as only it can
// send bytes along, and follows the receiver's advice.
std::span<const std::byte> Rendezvous::choose_way(SendRequest& request)
{
    const Peer& to = *request.peer;
    const std::size_t total = request.data.size();
    request.unasked = request.wanted = 0;
    if (total != 0 && request.lies_together() && to.views(request.where.region))
        return std::as_bytes(std::span(&request.where.region, 1));
    const StartTime started = start_now(to);
    if (total != 0 && request.lies_together() && lend(request)) {
        request.where.started = started;
        return std::as_bytes(std::span(&request.where, 1));
    }
    const std::size_t early = std::min(total, to.early_bytes);
    if (early == 0 || !to.credit.covers(early))
        return {};
    return early_part(request, early, started);
}

// Allows the peer to read the data by get(), if that is the better way.
bool Rendezvous::lend(SendRequest& request)
{
    const Peer& to = *request.peer;
    const std::size_t total = request.data.size();
    if (!request.lent && to.can_pull && total >= kPullFromBytes &&
        to.choice->choose(total, to.offered > 1) == Way::pull)
        request.lent = to.memory->lend(request.data, request.where.region);
    return request.lent;
}

bool Rendezvous::offer(SendRequest& request)
{
    Peer& to = *request.peer;
    if (request.id == 0)
        ++to.offered;
    awaiting_cts_.add(request);
    std::span<const std::byte> payload = choose_way(request);
    if (payload.empty() && goes_along(request, peers_.options().own_rank))
        payload = early_part(request, request.data.size(), start_now(to));
    const FrameKind kind = request.unasked != 0 ? FrameKind::rts_early : FrameKind::rts;
    const RtsHeader header{EagerHeader::of(kind, request.envelope), request.data.size(), request.id};
    const SendResult result = to.transport->send(to.rank, bytes_of(header), payload, request);
    if (result == SendResult::again)
        return false;
    request.frames_pending += result == SendResult::pending;
    request.stage = SendRequest::Stage::awaiting_cts;
    return true;
}

void Rendezvous::answered(SendRequest& request) noexcept
{
    if (request.id != 0)
        --request.peer->offered;
    awaiting_cts_.remove(request);
    if (std::exchange(request.lent, false))
        request.peer->memory->take_back(request.where.region);
}

// What the sender of such messages should choose. Untimed pulls count as fast, but not where they fail.
std::uint64_t Rendezvous::advice(const Peer& from, const ReceiveRequest& request) noexcept
{
    return from.can_pull ? from.choice->advice(request.status.size_bytes, request.exchange)
                         : WayChoice::advise(Way::stream);
}

// The send that a receiver answers. `wrong` describes an answer for an unknown send.
SendRequest& Rendezvous::answer(Peer& from, Lead lead, std::uint64_t sender_id, std::size_t wanted_bytes,
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

void Rendezvous::on_fin(Peer& from, const FinHeader& fin)
{
    SendRequest& request = answer(from, fin.lead, fin.sender_id, 0, "a fin for an unknown message");
    if (!request.linked())
        request.settle();
}

void Rendezvous::on_cts(Peer& from, const CtsHeader& cts)
{
    SendRequest& request =
        answer(from, cts.lead, cts.sender_id, cts.wanted_bytes, "a clear-to-send for no message of ours");
    request.receiver_id = cts.receiver_id;
    if (request.linked())
        return;  // early bytes are still to go: retry() continues
    if (from.streams.empty() && stream(request)) {
        request.settle();
    } else {
        from.streams.push_back(request);
        peers_.note_pending(from);
    }
}

bool Rendezvous::stream(SendRequest& request)
{
    const std::size_t most = most_in_frame(request);
    while (request.sent < request.wanted) {
        const DataHeader header{Lead::of(FrameKind::data), request.receiver_id, request.sent};
        if (!send_piece(request, bytes_of(header), std::min(most, request.wanted - request.sent)))
            return false;
    }
    return true;
}

void Rendezvous::fetch(ReceiveRequest& request, const Offer& offer, std::size_t received_bytes)
{
    request.expected = std::min(request.status.size_bytes, request.capacity);
    request.received = std::min(request.expected, received_bytes);
    request.sender_id = offer.sender_id;
    request.started_ns = 0;
    try {
        Peer& from = peers_.connected(request.sender);
        if (from.rank == peers_.options().own_rank && take_own(request, from))
            return;
        if (offer.region && from.views(*offer.region)) {
            if (take_in_place(request, from, *offer.region))
                return;
        } else if (from.can_pull && request.deliver == nullptr && request.expected >= kPullFromBytes) {
            request.started_ns = start_of(offer);
            request.exchange = from.offered != 0;
            request.in_window = offer.started.in_window();
            if (offer.region && try_pull(request, from, *offer.region))
                return;
        }
        if (request.expected <= offer.early_bytes) {
            end_view(from, offer.sender_id, advice(from, request));  // no more is wanted
            if (request.received == request.expected)
                complete(request, from);
            return;
        }
        awaiting_data_.add(request);
        const Lead lead = Lead::of(FrameKind::cts, advice(from, request));
        peers_.send_control(from, bytes_of(CtsHeader{lead, offer.sender_id, request.id, request.expected}));
    } catch (const Error& error) {
        // The sender cannot be reached.
        fail(request, peers_.peer(request.sender), error.code());
    }
}

// A message of this rank to itself: its send is at hand, so the receive is complete as soon as it has
// matched. False: there is no such send, or data of it has been sent.
bool Rendezvous::take_own(ReceiveRequest& request, Peer& self)
{
    const SendRequest* const send = awaiting_cts_.find(request.sender_id);
    if (send == nullptr || send->peer_rank != self.rank || send->unasked != 0)
        return false;
    copy_to(*send, request);
    end_view(self, request.sender_id);
    request.finish();
    return true;
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

void Rendezvous::end_view(Peer& sender, std::uint64_t sender_id, std::uint64_t advice)
{
    peers_.send_control(sender, bytes_of(FinHeader{Lead::of(FrameKind::fin, advice), sender_id}));
}

// When the time of a message begins: where two ranks send to each other at once, what a sender needs to
// stream counts, too. For a message that has waited for its receive: now.
std::int64_t Rendezvous::start_of(const Offer& offer) noexcept
{
    constexpr std::int64_t kLongestNs = 1'000'000'000;
    const std::int64_t now = base::now_ns();
    const std::int64_t started_ns = offer.started.ns();
    return started_ns <= now && started_ns > now - kLongestNs ? started_ns : now;
}

// Ends a timed message, and returns which way is the better one for such.
std::uint64_t Rendezvous::take_time(Peer& from, const ReceiveRequest& request, Way way)
{
    if (request.started_ns == 0)
        return 0;
    const std::int64_t now = base::now_ns();
    const std::size_t bytes = request.status.size_bytes;
    if (request.in_window) {
        from.choice->window.record(from.window_run, way, bytes, now, request.exchange);
    } else {
        from.window_run = {};
        from.choice->single.record(way, bytes, now - request.started_ns, request.exchange);
    }
    return advice(from, request);
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
    peers_.count_piece();
    request.pulling = false;
    if (result == ErrorCode::success) [[likely]] {
        end_view(from, request.sender_id, take_time(from, request, Way::pull));
        request.finish();
    } else if (from.lost || result == ErrorCode::peer_lost || result == ErrorCode::cancelled) {
        request.fail(from, from.lost ? ErrorCode::peer_lost : result);
    } else {
        from.can_pull = false;
        fetch(request, {request.sender_id, {}, 0}, 0);
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
    request.received = std::min(request.received + bytes, request.expected);
    if (request.received == request.expected)
        complete(request, peers_.peer(request.sender));
}

// The last byte of a streamed message is in its place. More early bytes may come than the receive takes.
void Rendezvous::complete(ReceiveRequest& request, Peer& from)
{
    awaiting_data_.remove(request);
    if (from.arriving.receive == &request)
        from.arriving.receive = nullptr;
    take_time(from, request, Way::stream);
    request.finish();
}

void Rendezvous::fail(ReceiveRequest& request, Peer& from, ErrorCode code)
{
    awaiting_data_.remove(request);
    if (from.arriving.receive == &request)
        from.arriving.receive = nullptr;
    request.fail(from, code);
}

}  // namespace tutti::protocol
