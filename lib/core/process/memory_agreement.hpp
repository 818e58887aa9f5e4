// Finds out whether the ranks of a node can open each other's memory, before they choose their transports.
#pragma once

#include <optional>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "transports/shm/shm_transport.hpp"

namespace tutti::detail {

/// The lowest rank of this node that cannot open another one's memory; empty if every rank can open every
/// other. All ranks of the node call it and get the same answer. Waits for ranks that start late. Throws like
/// Bootstrap::fetch.
std::optional<int> find_rank_apart(bootstrap::Bootstrap& bootstrap, const transport::shm::ShmTransport& shm);

}  // namespace tutti::detail
