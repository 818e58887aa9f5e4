// A frame on the wire: this transport's head, the header of its user, the payload.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "transports/transport.hpp"

namespace tutti::transport::ofi {

/// The ranks of one job run on machines of one byte order: their contacts show it (contact.hpp).
struct FrameHead {
    std::uint64_t token;         // the receiver gave it to this sender over a proved link
    std::uint32_t source;        // rank
    std::uint32_t number;        // of this frame, counted from this sender to this receiver
    std::uint32_t acknowledged;  // number of frames that the sender has received from the receiver
    std::uint16_t header_bytes;  // kAcknowledgement: the frame has no number and no content
    std::uint16_t zero;
};
static_assert(sizeof(FrameHead) == 24);

inline constexpr std::uint16_t kAcknowledgement = 0xffff;

struct Frame {
    FrameHead head;
    std::span<const std::byte> header;
    std::span<const std::byte> payload;

    /// Nothing when the bytes are no frame.
    static std::optional<Frame> parse(std::span<const std::byte> bytes) noexcept
    {
        Frame frame{};
        if (bytes.size() < sizeof frame.head)
            return std::nullopt;
        std::memcpy(&frame.head, bytes.data(), sizeof frame.head);
        const auto content = bytes.subspan(sizeof frame.head);
        const bool acknowledgement = frame.head.header_bytes == kAcknowledgement;
        const std::size_t header_bytes = acknowledgement ? 0 : frame.head.header_bytes;
        if (header_bytes > std::min(content.size(), kMaxHeaderBytes) ||
            (acknowledgement && !content.empty()) || frame.head.zero != 0)
            return std::nullopt;
        frame.header = content.first(header_bytes);
        frame.payload = content.subspan(header_bytes);
        return frame;
    }

    /// Writes head, header and payload to `to`, which must have room for them. Returns their size.
    static std::size_t write(std::byte* to, const FrameHead& head, std::span<const std::byte> header,
                             std::span<const std::byte> payload) noexcept
    {
        std::memcpy(to, &head, sizeof head);
        std::copy(header.begin(), header.end(), to + sizeof head);
        if (!payload.empty())
            std::memcpy(to + sizeof head + header.size(), payload.data(), payload.size());
        return sizeof head + header.size() + payload.size();
    }
};

}  // namespace tutti::transport::ofi
