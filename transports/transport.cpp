#include "transports/transport.hpp"

#include "lib/foundation/base/copy.hpp"

#include <fmt/format.h>

namespace tutti::transport {

SendResult Transport::send_parts(int peer, std::span<const std::byte>, Parts, Completion&)
{
    throw Error(ErrorCode::not_supported, "send",
                fmt::format("transport {} sends from one place at a time", name()), peer);
}

SendResult Transport::get(int peer, RemoteRegion, std::span<std::byte>, Completion&)
{
    throw Error(ErrorCode::not_supported, "get",
                fmt::format("transport {} cannot read remote memory", name()), peer);
}

bool Transport::copy_viewed(int peer, const RemoteRegion& remote, std::span<std::byte> local)
{
    const std::span<const std::byte> viewed = view(peer, remote, local.size());
    base::copy_bytes(local.data(), viewed.data(), viewed.size());
    return !viewed.empty();
}

void Transport::copy_own(int, std::span<std::byte> to, std::span<const std::byte> from)
{
    base::copy_bytes(to.data(), from.data(), from.size());
}

}  // namespace tutti::transport
