#include "lib/engine/protocol/protocol.hpp"

#include <fmt/format.h>

#include "tutti/error.hpp"

namespace tutti::protocol {

bool Protocol::inject_and_note(const matching::MatchKey& envelope, int peer_rank,
                               std::span<const std::byte> data, Departure departure)
{
    // The receiver may have noted the message before this rank goes on.
    const std::uint64_t before = peers_.profile()->now();
    const bool sent = Sender::inject(peers_.peer(peer_rank), envelope, data, departure);
    if (sent) {
        peers_.count_injected(data.size());
        peers_.profile()->sent(peer_rank, envelope.context, envelope.tag(), data.size(),
                               MessageProtocol::inject, before);
    }
    return sent;
}

void Protocol::frame(int from_rank, std::span<const std::byte> header, std::span<const std::byte> payload)
{
    if (header.size() == sizeof(EagerHeader) && kind_of(header) == FrameKind::eager) [[likely]]
        return receiver_.on_eager(from_rank, header.data(), payload);
    other_frame(from_rank, header, payload);
}

void Protocol::other_frame(int from_rank, std::span<const std::byte> header,
                           std::span<const std::byte> payload)
{
    Peer& from = peers_.peer(from_rank);
    switch (kind_of(header)) {
        case FrameKind::eager:
            corrupt(from_rank, "a header of the wrong length");
        case FrameKind::first:
            return receiver_.on_first(from, header_in<LongHeader>(header, from_rank), payload);
        case FrameKind::segment:
            peers_.count_piece();
            header_in<SegmentHeader>(header, from_rank);
            return receiver_.on_segment(from, payload);
        case FrameKind::rts:
            return receiver_.on_rts(from, header_in<LongHeader>(header, from_rank), payload);
        case FrameKind::cts:
            peers_.count_piece();
            return sender_.on_cts(from, header_in<CtsHeader>(header, from_rank));
        case FrameKind::data:
            peers_.count_piece();
            return receiver_.on_data(from, header_in<DataHeader>(header, from_rank), payload);
        case FrameKind::fin:
            peers_.count_piece();
            return sender_.on_fin(from, header_in<FinHeader>(header, from_rank));
        case FrameKind::credit:
            peers_.count_piece();
            return Sender::on_credit(from, header_in<CreditHeader>(header, from_rank));
        default:
            return services_.on_frame(from_rank, header, payload);
    }
}

std::span<std::byte> Protocol::destination(int from_rank, std::span<const std::byte> header,
                                           std::size_t payload_bytes)
{
    Peer& from = peers_.peer(from_rank);
    ReceiveRequest* request = nullptr;
    std::size_t offset = 0;
    if (kind_of(header) == FrameKind::data) {
        const auto data = header_in<DataHeader>(header, from_rank);
        request = receiver_.data_receiver(from, data, payload_bytes);
        offset = data.offset;
    } else if (kind_of(header) == FrameKind::eager) {
        request = receiver_.match_header(from, header_in<EagerHeader>(header, from_rank), payload_bytes);
    } else {
        return services_.destination(from_rank, header, payload_bytes);
    }
    if (request == nullptr || request->deliver != nullptr || offset + payload_bytes > request->capacity)
        return {};
    return {request->buffer + offset, payload_bytes};
}

void Protocol::placed(int from_rank, std::span<const std::byte> header, std::size_t payload_bytes)
{
    Peer& from = peers_.peer(from_rank);
    if (kind_of(header) == FrameKind::data) {
        const auto data = header_in<DataHeader>(header, from_rank);
        peers_.count_piece();
        if (ReceiveRequest* const request = receiver_.data_receiver(from, data, payload_bytes))
            return receiver_.data_arrived(*request, payload_bytes);
    } else if (kind_of(header) == FrameKind::eager ? receiver_.payload_placed(from, payload_bytes)
                                                   : services_.placed(from_rank, header, payload_bytes)) {
        return;
    }
    corrupt(from_rank, "a payload that nobody asked for");
}

void corrupt(int from, std::string_view what)
{
    throw Error(
        ErrorCode::protocol, "progress",
        fmt::format("rank {} sent {}; check that all ranks run the same version of Tutti", from, what), from);
}

}  // namespace tutti::protocol
