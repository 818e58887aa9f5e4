// Protocol `pull`: the sender registers its memory and says in the rts where the data lies; the receiver
// copies it from there (cross memory attach between processes, a remote read over an RDMA network) and
// answers `fin`. Where the kernel or a container forbids the read, the first attempt shows it, and messages
// are streamed from then on.
//
// Whether this or `stream` is faster is learned from both (pull_or_stream.hpp): the receiver times each
// message, and advises the sender.
#include <utility>

#include "lib/engine/protocol/receiver.hpp"
#include "lib/engine/protocol/sender.hpp"
#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/copy.hpp"
#include "tutti/error.hpp"

namespace tutti::protocol {

using transport::SendResult;

// The protocol of a message that may take either. Registers its memory for a pull.
MessageProtocol Sender::pull_or_stream(SendRequest& request)
{
    Peer& to = *request.peer;
    if (to.choice->choose(request.data.size(), to.offered != 0) == MessageProtocol::pull)
        request.registered = to.memory->register_region(request.data, request.offered.region);
    return request.registered ? MessageProtocol::pull : MessageProtocol::stream;
}

// False: nothing was started, so the data must be streamed.
bool Receiver::try_pull(ReceiveRequest& request, Peer& from, const transport::RemoteRegion& region)
{
    request.receiver = this;
    request.fire = [](transport::Completion& completion, ErrorCode result) {
        auto& receive = static_cast<ReceiveRequest&>(completion);
        receive.receiver->pulled(receive, result);
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
void Receiver::pulled(ReceiveRequest& request, ErrorCode result)
{
    Peer& from = peers_.peer(request.sender);
    peers_.count_piece();
    request.pulling = false;
    if (result == ErrorCode::success) [[likely]] {
        end_view(from, request.sender_id, end_timing(from, request, MessageProtocol::pull));
        request.finish();
    } else if (from.lost || result == ErrorCode::peer_lost || result == ErrorCode::cancelled) {
        request.fail(from, from.lost ? ErrorCode::peer_lost : result);
    } else {
        from.can_pull = false;
        fetch(request, {.sender_id = request.sender_id}, 0);
    }
}

void Receiver::copy_own(ReceiveRequest& request, std::span<const std::byte> from)
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

// The time of a message begins with its send: where two ranks send to each other at once, what a sender needs
// to stream counts, too. If the message has waited for its receive, its time begins now.
void Receiver::begin_timing(ReceiveRequest& request, const Peer& from, const Offer& offer) noexcept
{
    constexpr std::int64_t kLongestNs = 1'000'000'000;
    const std::int64_t now = base::now_ns();
    const std::int64_t started_ns = offer.started.ns();
    request.started_ns = started_ns <= now && started_ns > now - kLongestNs ? started_ns : now;
    request.exchange = from.offered != 0;
    request.in_window = offer.started.in_window();
}

// Returns the advice for the sender of such messages; 0 where the message was not timed.
std::uint64_t Receiver::end_timing(Peer& from, const ReceiveRequest& request, MessageProtocol protocol)
{
    if (request.started_ns == 0)
        return 0;
    const std::int64_t now = base::now_ns();
    const std::size_t bytes = request.status.size_bytes;
    if (request.in_window) {
        from.choice->record_in_window(from.window_run, protocol, bytes, now, request.exchange);
    } else {
        from.window_run = {};
        from.choice->record(protocol, bytes, now - request.started_ns, request.exchange);
    }
    return advice(from, request);
}

// What the sender of such messages should choose. Untimed pulls count as fast, but not where they fail.
std::uint64_t Receiver::advice(const Peer& from, const ReceiveRequest& request) noexcept
{
    return from.can_pull ? from.choice->advice(request.status.size_bytes, request.exchange)
                         : PullOrStream::advise(MessageProtocol::stream);
}

}  // namespace tutti::protocol
