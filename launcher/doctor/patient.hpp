// The daemon's side of --doctor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/doctor/messages.hpp"
#include "launcher/doctor/probe.hpp"
#include "lib/foundation/network/interface_choice.hpp"

namespace tutti::launcher::doctor {

/// Answers tasks. What may take long is done in a thread, so that the daemon keeps answering its head.
class Patient {
public:
    /// `report` is called in the loop's thread with the payload of a doctor_report. `loop` must outlive this.
    Patient(EventLoop& loop, const security::Key& key, int node,
            std::function<void(const std::string& payload)> report);
    /// Waits for the task that is under way, some seconds at most.
    ~Patient();
    Patient(const Patient&) = delete;
    Patient& operator=(const Patient&) = delete;

    /// Throws WireError.
    void handle_task(std::string_view payload);

private:
    std::string gather(const FactsTask& task, Facts facts);
    /// Runs `work` in the thread, after what is still at work there, and reports what it returns.
    void run(std::function<std::string()> work);

    EventLoop& loop_;
    security::Key key_;
    int node_;
    std::function<void(const std::string& payload)> report_;
    // Touched by the thread alone while it is at work.
    std::vector<network::LocalAddress> addresses_;
    std::optional<ProbeServer> server_;
    std::thread thread_;
};

}  // namespace tutti::launcher::doctor
