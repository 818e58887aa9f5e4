// How the head's jobs end: well, by a failure, by the user, by the loss of a daemon.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "launcher/head/head.hpp"
#include "launcher/ranks/launcher_signals.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::launcher {

namespace {

/// How long a terminal may take no output after the user has ended the job.
constexpr std::chrono::milliseconds kOutputTimeout{1000};
/// For a daemon to end its ranks once their grace period is over.
constexpr std::chrono::milliseconds kEndTimeout{10'000};
/// A daemon is lost when it says nothing for so long after the user has ended the job.
constexpr double kFastTimeoutSeconds = 2;
/// After the user's signal: whoever waits for ranks that still run learns why.
constexpr std::chrono::milliseconds kTellGrace{1000};
/// A daemon that sends a profile is not silent for so long.
constexpr std::chrono::milliseconds kProfilePause{2000};
/// Between two looks whether reports are written and gdb is left.
constexpr std::chrono::milliseconds kClosedPause{10};
/// For daemons to kill their ranks after the user has asked twice.
constexpr std::chrono::milliseconds kKillTimeout{500};

}  // namespace

void Head::handle_not_started(const MissingDaemons& report)
{
    for (const int node : report.nodes)
        state_of(node).lost = true;
    carry_out(policy_.daemons_not_started(report.reason));
    check_for_the_end();
}

void Head::handle_lost(const MissingDaemons& report)
{
    bool matters = false;
    std::vector<int> ranks;
    for (const int node : report.nodes) {
        NodeState& state = state_of(node);
        matters = matters || (!state.said_bye && !state.lost);
        state.lost = true;
        local_daemon_lost_ = local_daemon_lost_ || plan_.hosts[static_cast<std::size_t>(node)].local;
        for (const RankPlacement& placement : map_ ? map_->ranks : std::vector<RankPlacement>())
            if (placement.node == node)
                ranks.push_back(placement.rank);
        if (const std::uint64_t more = input_window_.remove_reader(node); input_ && more > 0)
            input_->taken(more);
    }
    if (matters) {
        using State = LossPolicy::JobState;
        const State state = exit_status_ ? State::ending : all_exited_ ? State::exited : State::running;
        carry_out(policy_.daemons_lost(report.reason, ranks, state));
    }
    check_for_the_end();
}

void Head::carry_out(const Verdict& verdict)
{
    if (verdict.action == Verdict::Action::end_job) {
        end_job(verdict, SIGTERM);
    } else if (verdict.action == Verdict::Action::report) {
        say(verdict.line);
        report_.ends_by(verdict);
        exit_status_ = exit_status_.value_or(verdict.exit_status);
    }
}

/// The first reason counts. Later ones are its consequences.
void Head::end_job(const Verdict& verdict, int signal, Seconds grace)
{
    if (exit_status_ || all_exited_)
        return;
    reporter_.end();
    exit_status_ = verdict.exit_status;
    report_.ends_by(verdict);
    if (!verdict.line.empty())
        say(verdict.line);
    if (!map_) {
        // Daemons without ranks end when their connection is closed.
        for (NodeState& node : nodes_)
            node.lost = true;
        check_for_the_end();
        return;
    }
    broadcast(FrameType::end_job, encode(signal, grace.count()));
    const Seconds patience = grace + kEndTimeout;
    loop_.after(patience, [this, patience] { stop_waiting_for_daemons(patience); });
}

/// The last report comes before the end.
void Head::time_is_over()
{
    const auto end = [this] {
        end_job({Verdict::Action::end_job, kTimeoutStatus,
                 fmt::format("the job did not end within {} s (--timeout or MPIEXEC_TIMEOUT); ending it",
                             options_.timeout_seconds),
                 "timeout"},
                SIGTERM);
        shorten_daemon_timeout();
    };
    if (!map_ || !any_joined_ || exit_status_ || all_exited_)
        return end();
    reporter_.report("what the ranks do:", [this, end](const std::string& text) {
        if (!exit_status_ && !all_exited_)
            say(text);
        end();
    });
}

/// Gives up daemons that are there and do not end their ranks. That of this machine is killed, and its
/// watchdog ends its ranks.
void Head::stop_waiting_for_daemons(Seconds waited)
{
    const auto sent_lately = EventLoop::Clock::now() - kProfilePause;
    bool wait_for_profiles = false;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        NodeState& node = nodes_[i];
        if (node.all_exited || node.lost)
            continue;
        // Its ranks have ended: profiles come last, and may be large. Who asks twice does not wait for them.
        if (node.profile_came > sent_lately && waited != kKillTimeout) {
            wait_for_profiles = true;
            continue;
        }
        node.lost = true;
        local_daemon_lost_ = local_daemon_lost_ || plan_.hosts[i].local;
        say(fmt::format("the daemon on {} did not end its ranks within {} s; {}", node.name,
                        waited.count(),
                        plan_.hosts[i].local ? "killing it" : "look there for what is left"));
    }
    if (wait_for_profiles)
        loop_.after(kProfilePause, [this, waited] { stop_waiting_for_daemons(waited); });
    check_for_the_end();
}

/// The user waits for the end, so a daemon that does not answer is given up soon.
void Head::shorten_daemon_timeout()
{
    if (!all_exited_)
        children_.watch_for_silence(kFastTimeoutSeconds, "after the job was to end");
}

std::chrono::milliseconds Head::local_daemon_timeout() const noexcept
{
    const Seconds hurried(kFastTimeoutSeconds);
    return local_daemon_lost_ ? std::chrono::milliseconds(0)
           : ended_by_user_   ? std::chrono::duration_cast<std::chrono::milliseconds>(hurried)
                              : kEndTimeout;
}

void Head::handle_signal()
{
    for (const int signal : read_signals(signals_)) {
        const bool is_key = signal == SIGINT || signal == SIGQUIT || signal == SIGTSTP;
        if (is_key && debuggers_.has_terminal())
            continue;
        if (std::ranges::find(options_.forward_signals, signal) != options_.forward_signals.end()) {
            broadcast(FrameType::send_signal, encode(signal));
            continue;
        }
        switch (signal) {
            case SIGINT:
            case SIGTERM:
            case SIGHUP:
                end_as_asked(signal);
                break;
            case SIGTSTP:
                stop_with_job();
                break;
            case SIGQUIT:
            case SIGUSR2:
                report_as_asked(signal);
                break;
            default:
                broadcast(FrameType::send_signal, encode(signal));
        }
    }
}

/// Ranks may write what they have before they end. Who asks a second time does not wait for that.
void Head::end_as_asked(int signal)
{
    if (ended_by_user_) {
        broadcast(FrameType::end_job, encode(SIGKILL, 0.0));
        loop_.after(kKillTimeout, [this] { stop_waiting_for_daemons(kKillTimeout); });
    }
    ended_by_user_ = true;
    const Seconds grace(options_.grace_seconds);
    const bool is_new = !exit_status_ && !all_exited_;
    end_job({Verdict::Action::end_job, 128 + signal,
             fmt::format("ending the job: signal {} ({})", signal, ::strsignal(signal)), "interrupted"},
            signal, grace);
    if (is_new && grace > kTellGrace)
        loop_.after(kTellGrace, [this] {
            if (!all_exited_)
                say(fmt::format("ranks still run; they are killed {} s after that signal (--grace), or by a "
                                "second one at once",
                                options_.grace_seconds));
        });
    shorten_daemon_timeout();
    if (all_exited_) {
        debuggers_.end();
        give_up_output(128 + signal);
    }
}

void Head::stop_with_job()
{
    broadcast(FrameType::send_signal, encode(SIGTSTP));
    ::raise(SIGSTOP);
    // SIGCONT continues this process, and is passed on like any other signal.
}

void Head::check_for_the_end()
{
    const auto has_exited = [](const NodeState& node) { return node.all_exited || node.lost; };
    if (!all_exited_ && std::ranges::all_of(nodes_, has_exited)) {
        all_exited_ = true;
        if (const std::string line = report_.died_alike(); !line.empty())
            say(line);
        if (ended_by_user_ || exit_status_ == kTimeoutStatus)
            give_up_output(*exit_status_);
    }
    const auto is_silent = [](const NodeState& node) { return node.said_bye || node.lost; };
    if (!finishing_ && std::ranges::all_of(nodes_, is_silent)) {
        finishing_ = true;
        finish_output();
    }
}

void Head::finish_output()
{
    writer_->finish([this] {
        loop_.post([this] {
            output_finished_ = true;
            loop_.stop();
        });
    });
}

/// Who does not take it within a moment does without. `exit_status`: where the job has ended well.
void Head::give_up_output(int exit_status)
{
    loop_.after(kOutputTimeout, [this, exit_status] {
        exit_status_ = exit_status_.value_or(exit_status);
        loop_.stop();
    });
}

/// Once the job is over. Whoever reads a report or stderr may keep us for ever, and so may a gdb: a thread of
/// its own writes, while signals are heeded.
void Head::close_down()
{
    reporter_.end();
    std::thread writer([this, report = report_.to_json(exit_status_.value_or(0)), clocks = clocks_.tracks()] {
        try {
            report_.write(report);
            profile_.print();
            if (map_)
                trace_.write(*map_, profile_.take(), clocks);
        } catch (const std::exception& error) {
            base::say(fmt::format("tuttirun: {}\n", describe(error)));
        }
        loop_.post([this] { reports_written_ = true; });
    });
    if (ended_by_user_ || exit_status_ == kTimeoutStatus) {
        debuggers_.end();
        give_up_output(*exit_status_);
    }
    look_whether_closed();
    loop_.run();
    debuggers_.end();
    if (reports_written_)
        writer.join();
    else
        writer.detach();
}

void Head::look_whether_closed()
{
    if (reports_written_ && !debuggers_.has_terminal())
        return loop_.stop();
    // No descriptor reports the end of a gdb.
    loop_.after(kClosedPause, [this] { look_whether_closed(); });
}

void Head::handle_write_failure(const std::string& where, int error_number)
{
    if (error_number == EPIPE) {
        // Nobody reads the output any more (tuttirun ... | head): the job ends without a word, as by
        // SIGPIPE.
        end_job({Verdict::Action::end_job, 128 + SIGPIPE, {}, "output_closed"}, SIGTERM);
    } else {
        end_job({Verdict::Action::end_job, 1,
                 fmt::format("cannot write to {}: {}; ending the job", where, std::strerror(error_number)),
                 "output_failed"},
                SIGTERM);
    }
}

}  // namespace tutti::launcher
