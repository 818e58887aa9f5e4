// Whether the ranks of a node can open each other's memory: they find out before they choose their
// transports.
#pragma once

#include <optional>

#include "lib/engine/bootstrap/bootstrap.hpp"
#include "transports/shm/shm_transport.hpp"

namespace tutti::detail {

/// The lowest rank of this node that cannot open the memory of another one; nothing where each can open that
/// of all others. All ranks of the node call it, and all get the same answer. Waits for those that start
/// late. Throws as Bootstrap::fetch does.
std::optional<int> find_rank_apart(bootstrap::Bootstrap& bootstrap, const transport::shm::ShmTransport& shm);

}  // namespace tutti::detail
