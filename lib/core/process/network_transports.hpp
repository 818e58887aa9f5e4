// Chooses the transports to other nodes: TUTTI_FABRIC, tuttirun --fabric.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "transports/transport.hpp"

namespace tutti::detail {

/// The value of TUTTI_FABRIC.
struct FabricChoice {
    enum class Kind {
        automatic,  // a network adapter with remote memory access if there is one, and TCP
        tcp,        // Tutti's own sockets
        ofi         // libfabric, over its best provider or the one named
    };
    Kind kind = Kind::automatic;
    std::string provider;

    /// "", "tcp", "ofi", "ofi:PROVIDER". Throws ErrorCode::invalid_argument.
    static FabricChoice parse(std::string_view text);
};

/// Whether this machine has a network adapter with remote memory access that libfabric may drive. Reads only
/// `root`/sys, as loading libfabric takes long.
bool has_rdma_adapter(const std::string& root = {});

/// Throws if a network variable of the environment is invalid, even in a job that needs no network. It does
/// not check what needs libfabric, which takes long to load, or other hosts' interfaces.
void check_network_variables();

/// The preferred transport first. None if the job has one node, unless its ranks are `apart`: some cannot
/// open others' memory. All ranks of the job call it. Throws if a requested transport is not available.
std::vector<std::unique_ptr<transport::Transport>> make_network_transports(bootstrap::Bootstrap& bootstrap,
                                                                           bool apart);

}  // namespace tutti::detail
