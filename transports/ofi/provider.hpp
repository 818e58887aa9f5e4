// Which of libfabric's providers carries the frames: by what it can do, or by the name that somebody gave.
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

/// What somebody wishes of a provider.
struct ProviderWish {
    std::string_view name = {};  // only that one, or what is layered over it; empty: the best
    bool adapter = false;        // on a network adapter of its own, or none
    bool basic_memory = false;   // memory registered as adapters want it, from whoever can (tests)
};

/// The best endpoint for unconnected messages: one on a network adapter before one over IP, one with remote
/// reads before one without, on the first of `addresses` before the next, made in one piece before layered
/// over another, keeping messages in order, and what libfabric names first. None has an IP address that is
/// not in `addresses`. Throws ErrorCode::not_supported, and says what there is.
InfoPtr choose_provider(const ProviderWish& wish, std::span<const network::LocalAddress> addresses);

/// The best in a list, as above; nullptr where none is fit.
const fi_info* best_of(const fi_info* first, const ProviderWish& wish,
                       std::span<const network::LocalAddress> addresses);

}  // namespace tutti::transport::ofi
