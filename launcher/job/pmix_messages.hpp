// What the PMIx servers of a job's nodes tell each other, by way of the head.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/wire/codec.hpp"

namespace tutti::launcher {

/// What the ranks of one node bring to a fence, or what all nodes have brought. A fence is known by its
/// ranks: all ranks of one call the same fences, in the same order.
struct FenceFrame {
    std::vector<int> ranks;   // ascending; kAllRanks alone for the whole job
    std::int32_t status = 0;  // pmix_status_t
    std::string data;         // as libpmix gave it

    static auto fields(auto& self) { return std::tie(self.ranks, self.status, self.data); }
};

/// One node asks for what a rank of another has published.
struct ModexRequest {
    std::uint32_t number = 0;  // the asker's own, to find the answer's place
    std::uint16_t asker = 0;   // node
    std::int32_t rank = 0;
    std::string key;         // that shall be among it
    bool deposited = false;  // by its control channel, in place of PMIx: to be answered at once

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
