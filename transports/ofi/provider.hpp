// Which of libfabric's providers carries the frames: by what it can do, or by the name that somebody gave.
#pragma once

#include <rdma/fabric.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lib/network/interfaces.hpp"
#include "transports/ofi/library.hpp"

namespace tutti::transport::ofi {

struct FreeInfo {
    void operator()(fi_info* info) const noexcept { Library::get().freeinfo(info); }
};
using InfoPtr = std::unique_ptr<fi_info, FreeInfo>;

/// The best endpoint for unconnected messages, with remote reads if any has them: one on a network adapter
/// of its own before one over IP, of those one on the first of `addresses` before the next, one that is made
/// in one piece before one that is layered over another, and what libfabric names first. Unless `provider`
/// is empty: only that one, or what is layered over it. Throws ErrorCode::not_supported, and says what there
/// is.
InfoPtr choose_provider(std::string_view provider, std::span<const network::LocalAddress> addresses);

/// Sets that describe how memory must be registered for remote reads, and for use at all.
struct MemoryModes {
    explicit MemoryModes(const fi_info& info) noexcept;

    bool local;              // our own buffers must be registered, too
    bool virtual_addresses;  // peers name memory by its address; otherwise by the offset in its registration
    bool provider_keys;      // the provider makes the keys; otherwise we do
    bool bound;              // a registration must be bound to the endpoint
    bool pins_pages;         // it holds the pages of now, and knows nothing of a later mapping at their place
};

}  // namespace tutti::transport::ofi
