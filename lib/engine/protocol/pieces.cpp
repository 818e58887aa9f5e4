#include "lib/engine/protocol/pieces.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "lib/engine/protocol/peers.hpp"
#include "lib/foundation/base/copy.hpp"

namespace tutti::protocol {

namespace {

// Calls visit(bytes), in order, for each part that overlaps [offset, offset + size_bytes).
template <class Visit>
void for_each_place(transport::Parts parts, std::size_t offset, std::size_t size_bytes, Visit&& visit)
{
    for (const std::span<const std::byte> part : parts) {
        const std::size_t skipped = std::min(offset, part.size());
        const std::size_t size = std::min(part.size() - skipped, size_bytes);
        if (size != 0)
            visit(part.subspan(skipped, size));
        offset -= skipped;
        size_bytes -= size;
    }
}

// The next bytes of a message with collect(), in the request's memory. If the frame was refused before, its
// bytes are still there.
std::span<const std::byte> collect_next(SendRequest& request, std::size_t size_bytes)
{
    if (request.collected == nullptr)
        request.collected = std::make_unique_for_overwrite<std::byte[]>(
            std::min(request.data.size(), most_in_frame(request)));
    const std::span<std::byte> piece(request.collected.get(), size_bytes);
    if (request.collected_end != request.sent + size_bytes) {
        request.collect(request, request.sent, piece);
        request.collected_end = request.sent + size_bytes;
    }
    return piece;
}

// Sends a frame out of at most kMostParts parts.
transport::SendResult send_gathered(SendRequest& request, std::span<const std::byte> header,
                                    std::size_t payload_bytes)
{
    std::array<std::span<const std::byte>, transport::kMostParts> places;
    std::size_t count = 0;
    for_each_place(request.parts, request.sent, payload_bytes,
                   [&](std::span<const std::byte> bytes) { places[count++] = bytes; });
    return request.peer->transport->send_parts(request.peer_rank, header, std::span(places).first(count),
                                               request);
}

}  // namespace

std::size_t most_in_frame(const SendRequest& request) noexcept
{
    return request.collect == nullptr ? request.peer->max_payload : request.peer->piece_bytes;
}

bool send_piece(SendRequest& request, std::span<const std::byte> header, std::size_t payload_bytes)
{
    transport::Transport& transport = *request.peer->transport;
    const auto send = [&](std::span<const std::byte> payload) {
        // Data that the receiver waits for leaves at once.
        return request.departure == Departure::soon && request.stage == SendRequest::Stage::start
                   ? transport.send_soon(request.peer_rank, header, payload, request)
                   : transport.send(request.peer_rank, header, payload, request);
    };
    auto result = transport::SendResult::again;
    if (request.collect != nullptr) [[unlikely]] {
        if (request.frames_pending != 0)  // the only piece is still in use
            return false;
        result = send(collect_next(request, payload_bytes));
    } else if (!request.parts.empty()) [[unlikely]] {
        result = send_gathered(request, header, payload_bytes);
    } else {
        result = send(request.data.subspan(request.sent, payload_bytes));
    }
    if (result == transport::SendResult::again)
        return false;
    request.frames_pending += result == transport::SendResult::pending;
    request.sent += payload_bytes;
    return true;
}

void collect_parts(const SendRequest& request, std::size_t offset, std::span<std::byte> out)
{
    std::byte* to = out.data();
    for_each_place(request.parts, offset, out.size(), [&to](std::span<const std::byte> bytes) {
        base::copy_bytes(to, bytes.data(), bytes.size());
        to += bytes.size();
    });
}

void copy_out(const SendRequest& request, std::span<std::byte> out)
{
    if (request.collect != nullptr)
        request.collect(request, 0, out);
    else if (!request.parts.empty())
        collect_parts(request, 0, out);
    else
        base::copy_bytes(out.data(), request.data.data(), out.size());
}

void copy_to(const SendRequest& send, ReceiveRequest& receive)
{
    if (send.lies_together())
        return receive.take(0, send.data.first(receive.expected));
    if (receive.deliver == nullptr)
        return copy_out(send, {receive.buffer, receive.expected});
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(std::min(receive.expected, kPieceBytes));
    for (std::size_t taken = 0; taken < receive.expected;) {
        const std::span piece(memory.get(), std::min(receive.expected - taken, kPieceBytes));
        send.collect != nullptr ? send.collect(send, taken, piece) : collect_parts(send, taken, piece);
        receive.take(taken, piece);
        taken += piece.size();
    }
}

}  // namespace tutti::protocol
