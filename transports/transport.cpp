#include "transports/transport.hpp"

#include <fmt/format.h>

namespace tutti::transport {

SendResult Transport::get(int peer, RemoteRegion, std::span<std::byte>, Completion&)
{
    throw Error(ErrorCode::not_supported, "get",
                fmt::format("transport {} cannot read remote memory", name()), peer);
}

}  // namespace tutti::transport
