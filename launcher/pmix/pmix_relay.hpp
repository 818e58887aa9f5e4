// Joins the PMIx server of one node to those of the others: carries fences and requests for published values
// through the head, and the answers back.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/job/pmix_messages.hpp"
#include "launcher/pmix/pmix_process.hpp"
#include "launcher/ranks/control_channels.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

class PmixRelay {
public:
    /// All must outlive this, and their threads be stopped before it ends.
    PmixRelay(EventLoop& loop, Uplink& head, PmixProcess& server, const ControlChannels& control)
        : loop_(loop), head_(head), server_(server), control_(control)
    {
    }

    /// The node's ranks have come to a fence in which other nodes take part.
    void fence(std::vector<int> ranks, int status, std::string data, PmixAnswer answer);
    /// A rank of this node waits for `key` of `rank`, on another one.
    void request(int rank, const std::string& key, PmixAnswer answer);

    /// Likewise for what it has deposited by now.
    void request_deposit(int rank, const std::string& name, ControlChannels::Answer answer);

    void handle_fence_done(std::string_view payload);
    void handle_modex_wanted(std::string_view payload);
    void handle_modex_found(std::string_view payload);

    /// A rank of this node has ended: whoever still waits for its values is told.
    void rank_ended(int rank);

private:
    /// A request of another node's, until libpmix has what it asks for.
    struct Serving {
        ModexRequest request;
        std::chrono::milliseconds pause;  // until libpmix is asked again
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
