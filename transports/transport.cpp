#include "transports/transport.hpp"

#include <fmt/format.h>

namespace tutti::transport {

SendResult Transport::send_parts(int peer, std::span<const std::byte>, Parts, Completion&)
{
    throw Error(ErrorCode::not_supported, "send",
                fmt::format("transport {} sends from one place at a time", name()), peer);
}

}  // namespace tutti::transport
