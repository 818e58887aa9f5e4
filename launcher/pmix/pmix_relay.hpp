// Connects the PMIx server of one node with those of the others: passes fences, requests for published
// values and their answers through the head.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/job/job_messages.hpp"
#include "launcher/pmix/pmix_process.hpp"
#include "launcher/ranks/control_channels.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

class PmixRelay {
public:
    /// All references must outlive this.
    PmixRelay(EventLoop& loop, Uplink& head, PmixProcess& server, const ControlChannels& control)
        : loop_(loop), head_(head), server_(server), control_(control)
    {
    }

    /// The node's ranks are in a fence with ranks of other nodes.
    void fence(FenceFrame part, PmixAnswer answer);
    /// A rank of this node waits for `key` of `rank` on another node.
    void request(int rank, const std::string& key, PmixAnswer answer);

    /// A rank of this node asks for a deposit of `rank` on another node, which must be there already.
    void request_deposit(int rank, const std::string& name, ControlChannels::Answer answer);

    void handle_fence_done(std::string_view payload);
    void handle_modex_wanted(std::string_view payload);
    void handle_modex_found(std::string_view payload);

    /// A rank of this node has ended: requests for its values are answered.
    void rank_ended(int rank);

private:
    /// A request of another node, until libpmix has the values.
    struct Serving {
        ModexRequest request;
        std::chrono::milliseconds pause;  // before libpmix is asked again
    };

    void ask(int rank, const std::string& key, bool deposited, PmixAnswer answer);
    void ask_server(std::uint64_t serial);
    void consider(std::uint64_t serial, int status, const std::string& data);
    void answer_request(std::uint64_t serial, int status, const std::string& data);

    EventLoop& loop_;
    Uplink& head_;
    PmixProcess& server_;
    const ControlChannels& control_;
    std::map<std::vector<int>, std::deque<PmixAnswer>> fences_;  // by ranks, in the order of the calls
    std::map<std::uint32_t, PmixAnswer> requests_;               // of this node's ranks
    std::uint32_t last_request_ = 0;

    std::map<std::uint64_t, Serving> serving_;
    std::uint64_t last_serving_ = 0;
    std::set<int> ended_;  // ranks of this node
};

}  // namespace tutti::launcher
