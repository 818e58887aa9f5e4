// A process of this host, and how others open its files: through /proc if that leads there, else by a
// DescriptorExchange.
#pragma once

#include <cstdint>

#include "lib/foundation/base/unique_fd.hpp"
#include "transports/shm/descriptor_exchange.hpp"

namespace tutti::transport::shm {

/// Plain bytes, part of a contact.
struct LocalProcess {
    std::uint64_t host;           // the boot id, hashed
    std::uint64_t pid_namespace;  // 0: unknown
    std::int32_t pid;             // means this process only in that namespace
    std::int32_t rank;            // in the job
    std::uint32_t deposits;       // 1: it has also deposited the files that others may open
    std::uint32_t unused;

    static LocalProcess self(int rank, bool deposits) noexcept;

    bool on_this_host() const noexcept;
    /// Whether `pid` has the same meaning here. Otherwise no call may be given this number.
    bool has_common_pids() const noexcept;
    /// Whether its files can be opened, as far as the contacts show.
    bool within_reach(const DescriptorExchange* exchange) const noexcept
    {
        return on_this_host() && (has_common_pids() || (exchange != nullptr && deposits != 0));
    }
    /// Whether it has ended. Also false when that cannot be seen from here.
    bool has_ended() const noexcept;

    /// Opens its file `descriptor`. Throws tutti::Error: peer_lost when the process has ended or has closed
    /// the file, not_supported when the system refuses access, system otherwise.
    base::UniqueFd open(int descriptor, int flags, DescriptorExchange* exchange) const;
};

}  // namespace tutti::transport::shm
