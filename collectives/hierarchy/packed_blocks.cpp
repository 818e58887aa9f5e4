#include "collectives/hierarchy/packed_blocks.hpp"

#include <span>

#include "collectives/collectives.hpp"

namespace tutti::collectives {

Task collect_sizes(Hierarchy& hierarchy, std::size_t own_bytes, PackedBlocks& blocks)
{
    const bool leads = hierarchy.is_leader();
    std::vector<std::size_t> sizes_bytes(leads ? static_cast<std::size_t>(hierarchy.node().size()) : 0);
    Task gathered = gather(hierarchy.node(), std::as_bytes(std::span(&own_bytes, 1)),
                           std::as_writable_bytes(std::span(sizes_bytes)).data(), hierarchy.leader());
    co_await gathered;
    for (const std::size_t size_bytes : sizes_bytes)
        blocks.add(size_bytes);
}

}  // namespace tutti::collectives
