// The daemon's part of --doctor: checks its own host, and probes others.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/doctor/doctor_messages.hpp"
#include "launcher/doctor/host_probe.hpp"
#include "launcher/wire/connection.hpp"
#include "lib/foundation/network/interface_choice.hpp"

namespace tutti::launcher::doctor {

/// Answers tasks by doctor_report frames. What may take long is done in a thread, so that the daemon keeps
/// answering its head. The end of this waits for the task that is under way, some seconds at most.
class HostCheck {
public:
    /// The references must outlive this.
    HostCheck(EventLoop& loop, Uplink& head, const security::Key& key) : loop_(loop), head_(head), key_(key)
    {
    }

    /// Throws WireError.
    void handle_task(std::string_view payload);

private:
    std::string check(const FactsTask& task, Facts facts);
    /// Runs `work` in a thread and reports what it returns.
    void run(std::function<std::string()> work);

    EventLoop& loop_;
    Uplink& head_;
    security::Key key_;
    // The thread uses these. The head waits for each answer before it asks again, so there is one thread at
    // most.
    std::vector<network::LocalAddress> addresses_;
    std::optional<ProbeServer> server_;
    std::future<void> work_;
};

/// Fills in all but the network and the cores. Blocks for many seconds where a name server does not answer.
void collect_facts(const FactsTask& task, Facts& facts);

}  // namespace tutti::launcher::doctor
