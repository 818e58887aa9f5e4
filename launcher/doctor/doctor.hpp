// tuttirun --doctor: starts daemons on all hosts, as a job does, and checks what breaks jobs most often.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "launcher/doctor/judge.hpp"
#include "launcher/job/job_plan.hpp"
#include "launcher/tree/children.hpp"

namespace tutti::launcher::doctor {

class Doctor {
public:
    /// `local_daemon` is the stream to the daemon of the host that is local, where there is one. The
    /// references must outlive this.
    Doctor(const JobOptions& options, const std::vector<Host>& hosts, StartMethod method,
           const security::Key& key, UniqueFd local_daemon, const InheritedState& inherited);

    /// Prints what it finds to stdout, with --json as one document at the end. Returns tuttirun's exit
    /// status: 1 when something fails. Throws UsageError when daemons cannot be started at all.
    int run();

private:
    using Clock = std::chrono::steady_clock;

    struct HostState {
        std::string name;
        bool local = false;
        bool here = false;     // its daemon is there
        bool gone = false;     // its daemon did not come, or is lost
        bool waiting = false;  // for its answer
        Facts facts{};
        bool has_facts = false;
    };

    void start();
    void handle_frame(const Frame& frame);
    void handle_report(int node, std::string_view payload);
    void handle_missing(const MissingDaemons& report);
    void handle_clock(int node, std::int64_t remote_ns);

    void ask_for_facts();
    void judge_facts();
    void ask_for_clocks();
    void ask_next_round();
    void ask_pair(int from, int to);
    void finish();

    void send(int node, const std::string& payload);
    /// Calls `next` when all that were asked have answered or are gone, or after `timeout`.
    void wait_then(std::chrono::duration<double> timeout, std::function<void()> next);
    void continue_when_done();
    /// Keeps the finding, and prints it: at once, or with those alike at the end of this part of the checks.
    void show(Finding finding);
    void show_pending();
    void print(const Finding& finding) const;
    std::vector<std::string> names_of(const std::vector<int>& nodes) const;
    std::vector<int> present() const;

    const JobOptions& options_;
    const std::vector<Host>& job_hosts_;
    const bool in_full_;  // each finding is printed by itself
    StartMethod method_;
    EventLoop loop_;
    UniqueFd signals_;
    UniqueFd local_daemon_;
    std::vector<HostState> hosts_;  // by node
    Children children_;
    Clock::time_point started_;
    std::chrono::system_clock::time_point asked_clock_;
    std::vector<std::vector<std::pair<int, int>>> rounds_;  // of probes, the next one last
    std::function<void()> next_;
    EventLoop::TimerId timer_ = 0;
    ProbeSummary probes_;
    Findings findings_;
    std::vector<Finding> pending_;
    bool complete_ = false;
    int status_ = 0;
};

/// The order of probes: no host is in two probes at once, since they would disturb each other.
/// All ordered pairs of `members`, in rounds in which no member is in two pairs. Without `both`, each pair
/// in one direction only.
std::vector<std::vector<std::pair<int, int>>> tournament(std::vector<int> members, bool both);

}  // namespace tutti::launcher::doctor
