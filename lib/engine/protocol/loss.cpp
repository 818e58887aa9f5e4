// Operations that end without their message. If a peer is lost, operations that only it could complete fail
// with ErrorCode::peer_lost. A caller may also give an operation up.
#include <utility>
#include <vector>

#include "lib/engine/protocol/protocol.hpp"

namespace tutti::protocol {

void Protocol::peer_lost(int rank, const transport::Loss& loss)
{
    Peer& lost = peers_.peer(rank);
    if (!peers_.lose(lost, loss))
        return;
    sender_.lose(lost);
    receiver_.lose(lost);
}

// All peers are marked lost before the first operation ends: who learns of that end may send to other peers,
// and no transport takes a frame any more.
void Protocol::fail_all(std::string_view reason)
{
    std::vector<Peer*> lost;
    for (int rank = 0; rank < peers_.size(); ++rank)
        if (peers_.known(rank) != nullptr && peers_.lose(peers_.peer(rank), {std::string(reason)}))
            lost.push_back(&peers_.peer(rank));
    for (Peer* const each : lost) {
        sender_.lose(*each);
        receiver_.lose(*each);
    }
}

void Protocol::lose_all(std::string_view reason)
{
    for (int rank = 0; rank < peers_.size(); ++rank)
        peers_.peer(rank);
    fail_all(reason);
}

bool Peers::lose(Peer& lost, const transport::Loss& loss)
{
    if (lost.lost)
        return false;
    lost.lost = true;
    lost.loss = loss;
    lost.inject_below = lost.inject_soon_below = 0;
    lost.control.clear();
    any_lost_.store(true, std::memory_order_relaxed);
    return true;
}

void Sender::lose(Peer& lost)
{
    const auto fail_send = [&](SendRequest& request) {
        answered(request);
        request.stage = SendRequest::Stage::data;
        request.sent = request.wanted;
        request.status.code = ErrorCode::peer_lost;
        request.settle();
    };
    for (auto* queue : {&lost.starts, &lost.streams})
        while (SendRequest* const request = queue->pop_front())
            fail_send(*request);
    awaiting_cts_.for_each([&](SendRequest& request) {
        if (request.peer_rank == lost.rank)
            fail_send(request);
    });
}

void Receiver::lose(Peer& lost)
{
    awaiting_data_.for_each([&](ReceiveRequest& request) {
        if (request.sender == lost.rank)
            fail(request, lost, ErrorCode::peer_lost);
    });
    for (ReceiveRequest** held : {&lost.arriving.receive, &lost.header_receive})
        if (ReceiveRequest* const request = std::exchange(*held, nullptr))
            request->fail(lost);
    // Other ranks may still serve receives from any source.
    matcher_.withdraw_if(
        [&](auto& posted) { return static_cast<const ReceiveRequest&>(posted).peer_rank == lost.rank; },
        [&](auto& posted) { static_cast<ReceiveRequest&>(posted).fail(lost); });
}

bool Receiver::cancel(ReceiveRequest& request) noexcept
{
    if (!request.linked())
        return false;
    matcher_.withdraw(request);
    request.unannounce();
    request.status.cancelled = true;
    request.finish(ErrorCode::success);
    return true;
}

bool Protocol::cancel(SendRequest& request)
{
    if (request.peer_rank != peers_.options().own_rank || request.stage != SendRequest::Stage::awaiting_cts)
        return false;
    UnexpectedRequest* unreceived = nullptr;
    receiver_.for_each_unexpected(receiver_.unexpected_count(), [&](const UnexpectedRequest& message) {
        if (message.sender == request.peer_rank && message.offer.sender_id == request.id)
            unreceived = &const_cast<UnexpectedRequest&>(message);
    });
    if (unreceived == nullptr)
        return false;
    request.status.cancelled = true;
    receiver_.extract(*unreceived);
    receiver_.drop(*unreceived);
    return true;
}

void Receiver::fail_awaited_from_anybody(std::uint64_t context)
{
    matcher_.withdraw_if(
        [&](auto& posted) {
            const auto& request = static_cast<const ReceiveRequest&>(posted);
            return request.awaited && request.peer_rank < 0 && request.key.context == context;
        },
        // A receive from any source is never announced.
        [](auto& posted) { static_cast<ReceiveRequest&>(posted).finish(ErrorCode::peer_lost); });
}

void Receiver::forget(ReceiveRequest& request) noexcept
{
    if (request.linked())
        matcher_.withdraw(request);
    request.unannounce();
    awaiting_data_.remove(request);
    if (request.sender < 0)
        return;
    Peer& from = peers_.peer(request.sender);
    if (std::exchange(request.pulling, false))
        from.memory->abandon(request);
    for (ReceiveRequest** held : {&from.arriving.receive, &from.header_receive})
        if (*held == &request)
            *held = nullptr;
}

void Receiver::let_go(ReceiveRequest& request)
{
    request.capacity = 0;
    if (request.pulling) {
        peers_.peer(request.sender).memory->abandon(request);
        return request.fire(request, ErrorCode::success);
    }
    if (request.sender >= 0 && !peers_.is_lost(request.sender))
        peers_.connected(request.sender).transport->release_place(request.sender);
}

void Sender::forget(SendRequest& request) noexcept
{
    if (request.linked())
        base::IntrusiveList<SendRequest, OutgoingTag>::remove(request);
    answered(request);
}

}  // namespace tutti::protocol
