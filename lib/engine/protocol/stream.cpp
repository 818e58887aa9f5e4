// Protocol `stream`: the sender sends the data in frames, and both sides copy at once. The first bytes follow
// the envelope unasked (a `first` frame and segments), where ranks of a node have cores of their own. When a
// receive has matched, the receiver answers `cts` with how much it wants, and `data` frames bring the rest; a
// receiver that wants no more than the first bytes answers `fin`.
#include <algorithm>

#include "lib/engine/protocol/pieces.hpp"
#include "lib/engine/protocol/receiver.hpp"
#include "lib/engine/protocol/sender.hpp"

namespace tutti::protocol {

namespace {

// Longer messages are asked for: transports then put them in their places, which saves a copy that costs more
// than the answer.
constexpr std::size_t kGoesAlongBytes = 8192;

// Whether all data goes along unasked: a synchronous message that would otherwise be eager goes by rendezvous
// for the answer alone, and its receive should not wait for a turn of the sender.
bool goes_along(const SendRequest& request, int own_rank)
{
    const Peer& to = *request.peer;
    const std::size_t total = request.data.size();
    return request.synchronous && total != 0 && total <= std::min(to.eager_limit, kGoesAlongBytes) &&
           to.rank != own_rank && to.credit.covers(total);
}

}  // namespace

std::size_t Sender::early_bytes(const SendRequest& request) const noexcept
{
    const Peer& to = *request.peer;
    const std::size_t early = std::min(request.data.size(), to.early_bytes);
    if (early != 0 && to.credit.covers(early))
        return early;
    return goes_along(request, peers_.options().own_rank) ? request.data.size() : 0;
}

void Sender::on_cts(Peer& from, const CtsHeader& cts)
{
    SendRequest& request =
        answer(from, cts.lead, cts.sender_id, cts.wanted_bytes, "a clear-to-send for no message of ours");
    peers_.count(MessageProtocol::stream, request.data.size());
    request.receiver_id = cts.receiver_id;
    if (request.linked())
        return;  // segments are still to go: retry() continues
    if (from.streams.empty() && stream(request)) {
        request.settle();
    } else {
        from.streams.push_back(request);
        peers_.note_pending(from);
    }
}

// Sends the data of a matched message. False: try again with the rest.
bool Sender::stream(SendRequest& request)
{
    const std::size_t most = most_in_frame(request);
    while (request.sent < request.wanted) {
        const DataHeader header{Lead::of(FrameKind::data), request.receiver_id, request.sent};
        if (!send_piece(request, bytes_of(header), std::min(most, request.wanted - request.sent)))
            return false;
    }
    return true;
}

void Receiver::ask_for_data(ReceiveRequest& request, Peer& from, const Offer& offer)
{
    if (request.expected <= offer.unasked_bytes) {
        end_view(from, offer.sender_id, advice(from, request));
        if (request.received == request.expected)
            complete(request, from);
        return;
    }
    awaiting_data_.add(request);
    const Lead lead = Lead::of(FrameKind::cts, advice(from, request));
    peers_.send_control(from, bytes_of(CtsHeader{lead, offer.sender_id, request.id, request.expected}));
}

ReceiveRequest* Receiver::data_receiver(const Peer& from, const DataHeader& header,
                                        std::size_t payload_bytes) const noexcept
{
    ReceiveRequest* const request = awaiting_data_.find(header.receiver_id);
    const bool fits = request != nullptr && request->sender == from.rank &&
                      header.offset == request->received &&
                      payload_bytes <= request->expected - request->received;
    return fits ? request : nullptr;
}

void Receiver::on_data(Peer& from, const DataHeader& header, std::span<const std::byte> payload)
{
    ReceiveRequest* const request = data_receiver(from, header, payload.size());
    if (request == nullptr)
        corrupt(from.rank, "data for an unknown receive");
    request->take(header.offset, payload);
    data_arrived(*request, payload.size());
}

// The next `bytes` of an offered message are in their place. May finish the request.
void Receiver::data_arrived(ReceiveRequest& request, std::size_t bytes)
{
    request.received = std::min(request.received + bytes, request.expected);
    if (request.received == request.expected)
        complete(request, peers_.peer(request.sender));
}

}  // namespace tutti::protocol
