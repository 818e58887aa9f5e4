// Chooses libfabric's provider for the frames: by its abilities, or by name.
#pragma once

#include <rdma/fabric.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lib/foundation/network/interfaces.hpp"
#include "transports/ofi/library.hpp"

namespace tutti::transport::ofi {

struct FreeInfo {
    void operator()(fi_info* info) const noexcept { Library::get().freeinfo(info); }
};
using InfoPtr = std::unique_ptr<fi_info, FreeInfo>;

/// The requirements for a provider.
struct ProviderWish {
    std::string_view name = {};  // only this provider, or one layered over it; empty: the best
    bool adapter = false;        // only one on a network adapter
    bool basic_memory = false;   // only one that can register memory as adapters need it (tests)
};

/// The best endpoint for unconnected messages. Preferred, in this order: on a network adapter over IP; with
/// remote reads; on an early one of `addresses`; not layered over another provider; keeps messages in order;
/// named first by libfabric. None has an IP address that is not in `addresses`. Throws
/// ErrorCode::not_supported, and lists what there is.
InfoPtr choose_provider(const ProviderWish& wish, std::span<const network::LocalAddress> addresses);

/// Whether this provider writes to peers' memory, and then tells when the data is there.
bool reports_delivery(const fi_info& info);

/// The best one in a list, as above; nullptr when none is usable.
const fi_info* best_of(const fi_info* first, const ProviderWish& wish,
                       std::span<const network::LocalAddress> addresses);

}  // namespace tutti::transport::ofi
