// How a provider wants memory to be registered.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transports/ofi/registration_cache.hpp"

namespace tutti::transport::ofi {

struct MemoryModes {
    explicit MemoryModes(const fi_info& info) noexcept;

    bool local;              // our own buffers must be registered, too
    bool virtual_addresses;  // peers use its virtual address; otherwise its offset in the registration
    bool provider_keys;      // the provider makes the keys; otherwise we do
    bool bound;              // a registration must be bound to the endpoint
    bool pins_pages;         // it pins the current pages; a later mapping at their address is not seen
    std::size_t key_bytes;   // of keys that we make
};

/// `access` as in fi_mr_reg. Nothing when the provider refuses.
std::optional<Registration> register_memory(fid_domain& domain, fid_ep& endpoint, const MemoryModes& modes,
                                            std::span<const std::byte> memory, std::uint64_t access) noexcept;
void end_registration(const Registration& registration) noexcept;

/// Whether this process may read all of it, where the kernel can tell (since Linux 5.14); true where the
/// kernel cannot. Providers without an adapter register whatever they are given, and wait for ever for what
/// they cannot read.
bool is_readable(std::span<const std::byte> memory) noexcept;

}  // namespace tutti::transport::ofi
