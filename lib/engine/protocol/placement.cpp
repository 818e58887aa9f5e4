// Payloads that a transport writes where they belong while they arrive: those of matched receives into plain
// memory.
#include "lib/engine/protocol/protocol.hpp"

namespace tutti::protocol {

namespace {

FrameKind kind_of(std::span<const std::byte> header) noexcept
{
    Lead lead{};
    if (header.size() >= sizeof lead)
        std::memcpy(&lead, header.data(), sizeof lead);
    return lead.kind();
}

}  // namespace

// What is wrong with a frame is for frame() to say, which is called where this gives no memory.
std::span<std::byte> Protocol::destination(int from_rank, std::span<const std::byte> header,
                                           std::size_t payload_bytes)
{
    Peer& from = peer(from_rank);
    if (DataHeader data; kind_of(header) == FrameKind::data && read_header(header, data)) {
        ReceiveRequest* const request = data_receiver(from_rank, data, payload_bytes);
        if (request != nullptr && request->deliver == nullptr &&
            data.offset + payload_bytes <= request->capacity)
            return {request->buffer + data.offset, payload_bytes};
    } else if (EagerHeader eager; kind_of(header) == FrameKind::eager && read_header(header, eager)) {
        // Matched now, in the order of headers; an unmatched one may still find its receive when it is whole.
        from.early_receive = static_cast<ReceiveRequest*>(matcher_.match_arrival(eager.envelope()));
        ReceiveRequest* const request = from.early_receive;
        if (request == nullptr)
            return {};
        matched(*request, eager.envelope(), from_rank, payload_bytes);
        if (request->deliver == nullptr && payload_bytes <= request->capacity)
            return {request->buffer, payload_bytes};
    }
    return {};
}

void Protocol::placed(int from_rank, std::span<const std::byte> header, std::size_t payload_bytes)
{
    Peer& from = peer(from_rank);
    if (DataHeader data; kind_of(header) == FrameKind::data && read_header(header, data)) {
        if (ReceiveRequest* const request = data_receiver(from_rank, data, payload_bytes))
            return data_arrived(*request, payload_bytes);
    } else if (ReceiveRequest* const request = std::exchange(from.early_receive, nullptr)) {
        consumed(from, payload_bytes);
        return finish(*request);
    }
    corrupt(from_rank, "a payload that was asked for by nobody");
}

}  // namespace tutti::protocol
