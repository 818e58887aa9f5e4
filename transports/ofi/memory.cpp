#include "transports/ofi/memory.hpp"

#include <rdma/fi_errno.h>
#include <sys/mman.h>

#include <cerrno>

#include "lib/foundation/security/key.hpp"

namespace tutti::transport::ofi {

namespace {

// FI_MR_BASIC, from before 1.5, means three of the later modes at once; providers may still return it.
int modes_in(const fi_info& info) noexcept
{
    const int modes = info.domain_attr->mr_mode;
    return (modes & FI_MR_BASIC) != 0 ? modes | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY : modes;
}

}  // namespace

MemoryModes::MemoryModes(const fi_info& info) noexcept
    : local((modes_in(info) & FI_MR_LOCAL) != 0),
      virtual_addresses((modes_in(info) & FI_MR_VIRT_ADDR) != 0),
      provider_keys((modes_in(info) & FI_MR_PROV_KEY) != 0),
      bound((modes_in(info) & FI_MR_ENDPOINT) != 0),
      pins_pages((modes_in(info) & FI_MR_ALLOCATED) != 0),
      key_bytes(info.domain_attr->mr_key_size)
{
}

std::optional<Registration> register_memory(fid_domain& domain, fid_ep& endpoint, const MemoryModes& modes,
                                            std::span<const std::byte> memory, std::uint64_t access) noexcept
{
    fid_mr* made = nullptr;
    long result = -FI_ENOKEY;
    // Our keys are random, so that nobody can guess one. Two are equal once in 2^60 times.
    for (int attempt = 0; attempt < 3 && result == -FI_ENOKEY; ++attempt) {
        std::uint64_t key = 0;
        if (!modes.provider_keys) {
            security::fill_random(std::as_writable_bytes(std::span(&key, 1)));
            if (modes.key_bytes < sizeof key)
                key &= (std::uint64_t{1} << (8 * modes.key_bytes)) - 1;
        }
        result = fi_mr_reg(&domain, memory.data(), memory.size(), access, 0, key, 0, &made, nullptr);
    }
    if (result != 0)
        return std::nullopt;
    if (modes.bound && (fi_mr_bind(made, &endpoint.fid, 0) != 0 || fi_mr_enable(made) != 0)) {
        fi_close(&made->fid);
        return std::nullopt;
    }
    return Registration{fi_mr_key(made), fi_mr_desc(made), made};
}

void end_registration(const Registration& registration) noexcept
{
    fi_close(&static_cast<fid_mr*>(registration.handle)->fid);
}

bool is_readable([[maybe_unused]] std::span<const std::byte> memory) noexcept
{
#ifdef MADV_POPULATE_READ
    // An older kernel refuses the advice, and any kernel pages without permission, with the same error.
    static const bool can_ask = madvise(nullptr, 0, MADV_POPULATE_READ) == 0;
    if (!can_ask)
        return true;
    constexpr std::uintptr_t kPageBytes = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data()) & ~(kPageBytes - 1);
    const auto end = reinterpret_cast<std::uintptr_t>(memory.data() + memory.size());
    int result = 0;
    do {
        result = madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
    } while (result != 0 && (errno == EINTR || errno == EAGAIN));
    return result == 0;
#else
    return true;
#endif
}

}  // namespace tutti::transport::ofi
