#include "launcher/pmix/placeholder_topology.hpp"

#include <cstdlib>
#include <stdexcept>

namespace tutti::launcher {

PlaceholderTopology::PlaceholderTopology()
{
    // The process is the PMIx server's own: nobody else misses what hwloc's plugins would find.
    ::setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1);
    if (hwloc_topology_init(&topology_) != 0 || hwloc_topology_set_synthetic(topology_, "pu:1") != 0 ||
        hwloc_topology_load(topology_) != 0)
        throw std::runtime_error("hwloc does not start");
    description_.source = source_.data();
    description_.topology = topology_;
}

}  // namespace tutti::launcher
