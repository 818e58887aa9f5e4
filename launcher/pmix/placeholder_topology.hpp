// A machine of one processor, for libpmix to believe in.
#pragma once

#include <hwloc.h>
#include <pmix.h>

#include <string>

namespace tutti::launcher {

/// Keeps libpmix from looking at the machine, which takes longer than all else at start (it asks X servers
/// for their graphics cards, too). Nothing that the PMIx server offers depends on it: ranks are bound by the
/// head's map, and clients that want the topology look for themselves.
class PlaceholderTopology {
public:
    /// For as long as its thread is the only one. Throws std::runtime_error.
    PlaceholderTopology();

    /// Valid as long as the process lives: libpmix keeps pointers into it.
    pmix_topology_t* get() noexcept { return &description_; }

private:
    hwloc_topology_t topology_ = nullptr;
    std::string source_ = "hwloc:" + std::to_string(HWLOC_API_VERSION);
    pmix_topology_t description_{};
};

}  // namespace tutti::launcher
