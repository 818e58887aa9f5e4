// A process of this host, and how others open what it has open: through /proc where that leads there, else by
// a DescriptorExchange.
#pragma once

#include <cstdint>

#include "lib/foundation/base/unique_fd.hpp"
#include "transports/shm/descriptor_exchange.hpp"

namespace tutti::transport::shm {

/// Plain bytes: a part of cards.
struct LocalProcess {
    std::uint64_t host;           // the boot id, hashed
    std::uint64_t pid_namespace;  // 0: not known
    std::int32_t pid;             // means this process only in that namespace
    std::int32_t rank;            // in the job
    std::uint32_t deposits;       // 1: what others may open it has deposited, too
    std::uint32_t unused;

    static LocalProcess self(int rank, bool deposits) noexcept;

    bool on_this_host() const noexcept;
    /// Whether `pid` is this process's number here, too. Without that no call may be given the number.
    bool has_common_pids() const noexcept;
    /// Whether there is a way to what it has open, as far as cards tell.
    bool within_reach(const DescriptorExchange* exchange) const noexcept
    {
        return on_this_host() && (has_common_pids() || (exchange != nullptr && deposits != 0));
    }
    /// Whether it has. False, too, where that cannot be seen from here.
    bool has_ended() const noexcept;

    /// What it has open as `descriptor`. Throws tutti::Error: peer_lost where the process has ended or has
    /// closed it, not_supported where the system does not let this process have it, system otherwise.
    base::UniqueFd open(int descriptor, int flags, DescriptorExchange* exchange) const;
};

}  // namespace tutti::transport::shm
