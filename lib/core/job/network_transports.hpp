// Which transports lead to other nodes: TUTTI_FABRIC, tuttirun --fabric.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/engine/bootstrap/bootstrap.hpp"
#include "transports/transport.hpp"

namespace tutti::detail {

/// What TUTTI_FABRIC wishes.
struct FabricWish {
    enum class Kind {
        automatic,  // a network adapter with remote memory access where there is one, and TCP
        tcp,        // our own sockets
        ofi         // libfabric, over its best provider or the one named
    };
    Kind kind = Kind::automatic;
    std::string provider;

    /// "", "tcp", "ofi", "ofi:PROVIDER". Throws ErrorCode::invalid_argument.
    static FabricWish parse(std::string_view text);
};

/// Whether this machine has a network adapter with remote memory access that libfabric may drive. Looks below
/// `root`/sys only, as libfabric takes long to load.
bool has_rdma_adapter(const std::string& root = {});

/// Throws where what the environment says of networks cannot be meant, also for a job that needs none now: as
/// far as that is known without a look at libfabric, which takes long, or at other hosts' interfaces.
void check_network_variables();

/// The preferred first; none where the job has one node only, unless its ranks are `apart`: some cannot open
/// others' memory. All ranks of the job call it. Throws where what is wished for is not to be had.
std::vector<std::unique_ptr<transport::Transport>> make_network_transports(bootstrap::Bootstrap& bootstrap,
                                                                           bool apart);

}  // namespace tutti::detail
