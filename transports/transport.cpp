#include "transports/transport.hpp"

#include "lib/foundation/base/copy.hpp"

#include <fmt/format.h>

namespace tutti::transport {

SendResult Transport::send_parts(int peer, std::span<const std::byte>, Parts, Completion&)
{
    throw Error(ErrorCode::not_supported, "send",
                fmt::format("transport {} sends from one place at a time", name()), peer);
}

SendResult Transport::get(int peer, const RemoteRegion&, std::span<std::byte>, Completion&)
{
    throw Error(ErrorCode::not_supported, "get",
                fmt::format("transport {} cannot read remote memory", name()), peer);
}

SendResult Transport::copy_own(int, std::span<std::byte> to, std::span<const std::byte> from, Completion&)
{
    base::copy_bytes(to.data(), from.data(), from.size());
    return SendResult::done;
}

}  // namespace tutti::transport
