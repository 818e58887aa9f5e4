// The head: starts the daemons, runs the job through them, passes input, output and signals on, and finds
// the exit status.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/head/debuggers.hpp"
#include "launcher/head/job_report.hpp"
#include "launcher/head/loss_policy.hpp"
#include "launcher/job/job_plan.hpp"
#include "launcher/placement/machine_topology.hpp"
#include "launcher/pmix/fence_collector.hpp"
#include "launcher/profile/job_profile.hpp"
#include "launcher/profile/trace_file.hpp"
#include "launcher/report/reporter.hpp"
#include "launcher/report/status_socket.hpp"
#include "launcher/streams/input_reader.hpp"
#include "launcher/streams/output_writer.hpp"
#include "launcher/top/snapshot.hpp"
#include "launcher/tree/children.hpp"

namespace tutti::launcher {

/// Exit status after --timeout, as timeout(1) has it.
inline constexpr int kTimeoutStatus = 124;
/// Without --hang-report.
inline constexpr double kHangReportSeconds = 10;
/// Exit status when --on-deadlock abort has ended the job, as EDEADLK has it.
inline constexpr int kDeadlockStatus = 35;

/// The nodes of a job before anything runs on them.
struct HeadPlan {
    security::Key key;
    std::vector<Host> hosts;  // from job_hosts()
    UniqueFd local_daemon;    // stream to the daemon of the host that is local, where there is one
    StartMethod method;       // for the daemons of the others
};

class Head {
public:
    /// `inherited` is the state that the launcher was started with, for the agents that start daemons. Both
    /// references must outlive the head.
    Head(const JobOptions& options, HeadPlan plan, const InheritedState& inherited);

    /// Runs the job to its end, and hangs up on the daemons. Returns tuttirun's exit status. Throws
    /// UsageError when the ranks cannot be placed, and std::system_error when the output directory cannot be
    /// written.
    int run();
    /// After run(): the user ended the job, and the terminal takes no output, or nobody reads a report. A
    /// thread may hang in its write, so the process must end without waiting for it.
    bool output_is_stuck() const noexcept { return !output_finished_ || !reports_written_; }
    /// After run(): how long the daemon of this machine may take to end; 0 where it has not answered.
    std::chrono::milliseconds local_daemon_timeout() const noexcept;

private:
    struct NodeState {
        std::string name;
        MachineTopology topology;
        bool here = false;        // its daemon has said hello
        bool all_exited = false;  // no process of the job is left there
        bool said_bye = false;    // and all its output has come
        bool lost = false;
        EventLoop::Clock::time_point profile_came{};  // its latest piece
    };

    void start_daemons();
    JobMap place_ranks();
    void handle_hello(int node, std::string_view payload);
    void handle_not_started(const MissingDaemons& report);
    void handle_lost(const MissingDaemons& report);
    void handle_note(const std::string& text, bool only_verbose);
    void launch_when_complete();
    void start_input();

    void handle_frame(const Frame& frame);
    bool handle_daemon(const Frame& frame);
    bool handle_data(const Frame& frame);
    bool handle_rank(const Frame& frame);
    void handle_output(int node, std::string_view payload);
    void handle_exit(const ExitReport& report);
    void handle_modex_request(const Frame& frame);
    void handle_signal();
    void handle_write_failure(const std::string& where, int error_number);
    NodeState& state_of(int node);
    /// Throws WireError for a rank that does not exist.
    const RankPlacement& placement_of(int rank) const;
    const std::string& node_name_of(int rank) const;

    void broadcast(FrameType type, std::string_view payload = {});
    void send(int node, FrameType type, std::string_view payload);
    /// A line of the launcher's own, on stderr.
    void say(const std::string& message);
    void carry_out(const Verdict& verdict);
    void time_is_over();
    void report_as_asked(int signal);
    void answer_asker(const std::string& question, const StatusSocket::Answer& answer);
    void answer_about_rank(int rank, bool stack, const StatusSocket::Answer& answer);
    std::string name_of_job() const;
    TopSnapshot snapshot() const;
    /// By this signal.
    void end_job(const Verdict& verdict, int signal, Seconds grace = kGracePeriod);
    void end_as_asked(int signal);
    void shorten_daemon_timeout();
    void stop_waiting_for_daemons(Seconds waited);
    void stop_with_job();
    void check_for_the_end();
    void finish_output();
    void close_down();
    void look_whether_closed();
    void give_up_output(int exit_status);
    Reporter::Events report_events();

    const JobOptions& options_;
    HeadPlan plan_;
    EventLoop loop_;
    UniqueFd signals_;
    std::unique_ptr<OutputWriter> writer_;
    std::vector<NodeState> nodes_;
    Children children_;
    std::optional<JobMap> map_;  // once all daemons are here
    std::unique_ptr<FenceCollector> fences_;
    std::unique_ptr<InputReader> input_;
    StdinWindow input_window_;
    LossPolicy policy_;
    Reporter reporter_;
    StatusSocket status_socket_;
    JobReport report_;
    JobProfile profile_;
    TraceFile trace_;
    ClockWatch clocks_;
    Debuggers debuggers_;
    std::optional<int> exit_status_;  // of the first thing that went wrong
    const EventLoop::Clock::time_point started_ = EventLoop::Clock::now();
    bool ended_by_user_ = false;      // a terminal that takes no output is then not waited for
    bool any_joined_ = false;         // a rank of the job
    bool local_daemon_lost_ = false;  // or it has been given up
    bool all_exited_ = false;
    bool finishing_ = false;
    bool output_finished_ = false;
    bool reports_written_ = false;
};

}  // namespace tutti::launcher
