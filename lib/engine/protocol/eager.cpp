// Protocol `eager`: the data travels with the envelope, before a receive has matched. Up to the transport's
// largest frame that is one `eager` frame, else a `first` frame and segments, of which the receiver copies
// one while the sender writes the next. The send is complete when the transport has the bytes.
//
// `inject` (sender.hpp) sends the same `eager` frame without a request.
#include <algorithm>
#include <utility>

#include "lib/engine/protocol/pieces.hpp"
#include "lib/engine/protocol/receiver.hpp"
#include "lib/engine/protocol/sender.hpp"

namespace tutti::protocol {

// Sends the first frame. False: try again later.
bool Sender::start_eagerly(SendRequest& request)
{
    const std::size_t total = request.data.size();
    const std::size_t most = most_in_frame(request);
    const bool in_one = total <= most;
    const LongHeader header{EagerHeader::of(in_one ? FrameKind::eager : FrameKind::first, request.envelope),
                            total, 0};
    request.unasked = request.wanted = total;
    if (!send_piece(request, in_one ? bytes_of(header.envelope) : bytes_of(header), std::min(total, most)))
        return false;
    request.stage = SendRequest::Stage::segments;
    peers_.count(MessageProtocol::eager, total);
    return true;
}

void Receiver::on_eager(int from_rank, const std::byte* header, std::span<const std::byte> payload)
{
    Peer& from = peers_.peer(from_rank);
    const matching::MatchKey envelope = EagerHeader::at(header).envelope();
    peers_.count_arrived(from, envelope, payload.size(), MessageProtocol::eager);
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

bool Receiver::payload_placed(Peer& from, std::size_t payload_bytes)
{
    ReceiveRequest* const request = std::exchange(from.header_receive, nullptr);
    if (request == nullptr)
        return false;
    peers_.count_arrived(from, {request->key.context, request->status.source, request->status.tag},
                         payload_bytes, MessageProtocol::eager);
    consumed(from, payload_bytes);
    request->finish();
    return true;
}

}  // namespace tutti::protocol
