// Messages between the PMIx servers of a job's nodes, by way of the head.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/wire/codec.hpp"

namespace tutti::launcher {

/// The contribution of one node's ranks to a fence, or of all nodes. Its ranks identify a fence: they all
/// call the same fences in the same order.
struct FenceFrame {
    std::vector<int> ranks;   // ascending; kAllRanks alone for the whole job
    std::int32_t status = 0;  // pmix_status_t
    std::string data;         // from libpmix

    static auto fields(auto& self) { return std::tie(self.ranks, self.status, self.data); }
};

/// One node asks for values that a rank of another node has published.
struct ModexRequest {
    std::uint32_t number = 0;  // by which the asker recognises the answer
    std::uint16_t asker = 0;   // node
    std::int32_t rank = 0;
    std::string key;         // that must be among them
    bool deposited = false;  // over the control channel, not PMIx: to be answered at once

    static auto fields(auto& self)
    {
        return std::tie(self.number, self.asker, self.rank, self.key, self.deposited);
    }
};

struct ModexAnswer {
    std::uint32_t number = 0;
    std::uint16_t asker = 0;
    std::int32_t status = 0;  // pmix_status_t, or a ControlChannels::Deposit
    std::string data;

    static auto fields(auto& self) { return std::tie(self.number, self.asker, self.status, self.data); }
};

}  // namespace tutti::launcher
