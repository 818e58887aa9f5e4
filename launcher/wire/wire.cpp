#include "launcher/wire/wire.hpp"

#include <fmt/format.h>

namespace tutti::launcher {

WireWriter& WireWriter::put(std::string_view text)
{
    put(static_cast<std::uint32_t>(text.size()));
    return put_rest(text);
}

WireWriter& WireWriter::put_rest(std::string_view bytes)
{
    bytes_.append(bytes);
    return *this;
}

std::string_view WireReader::take(std::size_t bytes)
{
    if (bytes > bytes_.size())
        throw WireError(fmt::format("a frame ends {} bytes too early", bytes - bytes_.size()));
    const std::string_view result = bytes_.substr(0, bytes);
    bytes_.remove_prefix(bytes);
    return result;
}

std::string WireReader::text()
{
    return std::string(take(number<std::uint32_t>()));
}

std::string_view WireReader::rest() noexcept
{
    const std::string_view result = bytes_;
    bytes_ = {};
    return result;
}

void WireReader::expect_end() const
{
    if (!bytes_.empty())
        throw WireError(fmt::format("a frame has {} bytes too many", bytes_.size()));
}

void FrameParser::append(std::string_view bytes)
{
    // Frames that were handed out are dropped here and not in next(), so that their payloads stay valid
    // until then.
    buffer_.erase(0, parsed_bytes_);
    parsed_bytes_ = 0;
    buffer_.append(bytes);
}

bool FrameParser::next(Frame& frame)
{
    const std::string_view left = std::string_view(buffer_).substr(parsed_bytes_);
    if (left.size() < kFrameHeaderBytes)
        return false;
    WireReader header(left.substr(0, kFrameHeaderBytes));
    const auto length = header.number<std::uint32_t>();
    const auto type = header.number<std::uint16_t>();
    const auto node = header.number<std::uint16_t>();
    if (type < static_cast<std::uint16_t>(FrameType::start_daemons) ||
        type > static_cast<std::uint16_t>(FrameType::profile_taken))
        throw WireError(fmt::format("a frame of the unknown type {}", type));
    if (length > kMaxFrameBytes)
        throw WireError(fmt::format("a frame of {} bytes; {} are allowed", length, kMaxFrameBytes));
    if (left.size() - kFrameHeaderBytes < length)
        return false;
    frame = {static_cast<FrameType>(type), node, left.substr(kFrameHeaderBytes, length)};
    parsed_bytes_ += kFrameHeaderBytes + length;
    return true;
}

std::array<char, kFrameHeaderBytes> frame_header(const Frame& frame)
{
    WireWriter header;
    header.put(static_cast<std::uint32_t>(frame.payload.size()));
    header.put(static_cast<std::uint16_t>(frame.type)).put(frame.node);
    std::array<char, kFrameHeaderBytes> bytes{};
    header.bytes().copy(bytes.data(), bytes.size());
    return bytes;
}

void append_frame(std::string& stream, const Frame& frame)
{
    const auto header = frame_header(frame);
    stream.append(header.data(), header.size());
    stream.append(frame.payload);
}

}  // namespace tutti::launcher
