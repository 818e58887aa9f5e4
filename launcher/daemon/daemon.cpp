#include "launcher/daemon/daemon.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/descriptors.hpp"
#include "launcher/doctor/host_check.hpp"
#include "launcher/ranks/descendants.hpp"
#include "launcher/ranks/launcher_signals.hpp"
#include "launcher/ranks/session_directory.hpp"
#include "lib/foundation/base/say.hpp"
#include "lib/foundation/network/interfaces.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kUnkillablePeriod{2000};
constexpr std::chrono::milliseconds kRecheckPeriod{5};
constexpr std::chrono::milliseconds kChildrenTimeout{3000};
/// Open files that a daemon needs without ranks; its PMIx server needs no more.
constexpr int kOwnDescriptors = 24;

/// Ranks reach their PMIx server through the loopback interface: libpmix knows no other way.
void require_loopback()
{
    const auto serves = [](const network::LocalAddress& own) { return own.up && own.address.is_loopback(); };
    if (!std::ranges::any_of(network::local_addresses(), serves)) {
        throw std::runtime_error(
            "the loopback interface is down, and ranks reach their PMIx server through it; bring it up "
            "(ip link set lo up)");
    }
}

/// Tells the head that this daemon cannot start. False where the head does not listen to it yet: on another
/// host its agent passes on what it writes to stderr.
bool report_to_head(int line, const DaemonIdentity& identity, const std::string& reason)
{
    if (line < 0 || identity.hello)
        return false;
    std::string bytes;
    append_frame(bytes, {FrameType::not_started, static_cast<std::uint16_t>(identity.node),
                         encode(MissingDaemons{{identity.node}, reason})});
    return ::send(line, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

}  // namespace

Daemon::Daemon(UniqueFd head, const DaemonIdentity& identity, const InheritedState& inherited,
               const std::string& session_directory, Watchdog& watchdog)
    : identity_(identity),
      session_directory_(session_directory),
      inherited_(inherited),
      base_environment_(environment_of_ranks(::environ)),
      signals_(open_signals({SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT})),
      watchdog_(watchdog),
      processes_(watchdog_),
      stream_(
          loop_, std::move(head), [this](const Frame& frame) { handle_frame(frame); },
          [this](const std::string&) {
              // The head is gone, and the user with it: no process may stay behind.
              end_job(SIGTERM);
              check_for_the_end();
          }),
      head_(stream_, identity.node),
      output_(loop_, head_, [this] { head_.send(FrameType::bye); }),
      input_(loop_, [this](std::uint64_t bytes) { head_.send(FrameType::stdin_taken, encode(bytes)); }),
      observer_(loop_, processes_, head_),
      profiles_(loop_, head_),
      control_(loop_, control_events()),
      pmi_(loop_, pmi_events()),
      failing_(loop_, [this](int rank) { control_.let_go(rank); })
{
    if (identity_.hello) {
        Hello hello = *identity_.hello;
        hello.pid = ::getpid();  // the process that made it is the watchdog now
        head_.send(FrameType::hello, encode(hello));
    }
    loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) { handle_signal(); });
    pmix_ = std::make_unique<PmixProcess>(loop_, pmix_events(), session_directory_);
    // From here on errors go to the head.
    redirect_to_null({STDERR_FILENO});
    relay_ = std::make_unique<PmixRelay>(loop_, head_, *pmix_, control_);
}

Daemon::~Daemon()
{
    if (children_)
        children_->finish(kChildrenTimeout);
}

void Daemon::handle_frame(const Frame& frame)
{
    if (frame.node != identity_.node && children_)
        children_->send(frame);
    if (frame.node != identity_.node && frame.node != kAllNodes)
        return;
    if (order_ && (frame.type == FrameType::stdin_data || frame.type == FrameType::send_signal))
        early_.emplace_back(frame.type, frame.payload);
    else
        handle_own(frame);
}

void Daemon::handle_own(const Frame& frame)
{
    switch (frame.type) {
        case FrameType::start_daemons:
            start_daemons(decode<StartOrder>(frame.payload));
            break;
        case FrameType::launch:
            launch(decode<LaunchOrder>(frame.payload));
            break;
        case FrameType::ping:
            head_.send(FrameType::pong);
            break;
        case FrameType::fence_done:
            relay_->handle_fence_done(frame.payload);
            break;
        case FrameType::modex_wanted:
            relay_->handle_modex_wanted(frame.payload);
            break;
        case FrameType::rank_died: {
            const auto [rank, by_signal] = decode<int, bool>(frame.payload);
            pmix_->announce_death(rank, by_signal);
            break;
        }
        case FrameType::modex_found:
            relay_->handle_modex_found(frame.payload);
            break;
        case FrameType::stdin_data: {
            WireReader reader(frame.payload);
            const auto rank = reader.number<std::int32_t>();
            input_.write(rank, reader.rest());
            break;
        }
        case FrameType::output_taken:
            output_.taken(decode<std::uint64_t>(frame.payload));
            break;
        case FrameType::send_signal:
            signal_processes(decode<int>(frame.payload));
            break;
        case FrameType::status_wanted:
            return std::apply([this](auto... words) { observer_.answer(words...); },
                              decode<std::uint32_t, bool>(frame.payload));
        case FrameType::rank_wanted:
            return std::apply([this](auto... words) { observer_.answer_rank(words...); },
                              decode<std::uint32_t, int, bool>(frame.payload));
        case FrameType::profile_taken:
            return profiles_.taken(decode<std::uint64_t>(frame.payload));
        case FrameType::clock_wanted:
            return profiles_.report_clock(decode<std::int64_t>(frame.payload));
        case FrameType::doctor_task:
            if (!host_check_)
                host_check_ = std::make_unique<doctor::HostCheck>(loop_, head_, identity_.key);
            host_check_->handle_task(frame.payload);
            break;
        case FrameType::end_job:
            std::apply([this](int signal, double seconds) { end_job(signal, Seconds(seconds)); },
                       decode<int, double>(frame.payload));
            check_for_the_end();
            break;
        default:
            throw WireError("a frame that only a daemon sends");
    }
}

void Daemon::start_daemons(const StartOrder& order)
{
    const auto pass_on = [this](FrameType type) {
        return [this, type](const MissingDaemons& report) { head_.send(type, encode(report)); };
    };
    Children::Events events;
    events.frame = [this](const Frame& frame) { stream_.send(frame); };
    events.not_started = pass_on(FrameType::not_started);
    events.lost = pass_on(FrameType::daemons_lost);
    events.note = [this](const std::string& text, bool only_verbose) { note(only_verbose, text); };
    const security::Identity self{security::Identity::Kind::daemon,
                                  static_cast<std::uint32_t>(identity_.node)};
    children_ = std::make_unique<Children>(loop_, identity_.key, self, inherited_, std::move(events));
    try {
        children_->start(order);
        children_->watch_for_silence(order.daemon_timeout_seconds, kDaemonTimeoutOption);
    } catch (const std::exception& error) {
        const std::string host = Hello::of_this_process().host_name;
        const std::string reason =
            fmt::format("{} cannot start daemons on other hosts: {}", host, error.what());
        head_.send(FrameType::not_started, encode(MissingDaemons{{}, reason}));
    }
}

ControlChannels::Events Daemon::control_events()
{
    ControlChannels::Events events;
    events.joined = [this](int rank, const std::string& leaving_call) {
        rank_joined(rank, &RankProcess::control);
        if (RankProcess* process = processes_.find(rank))
            process->leaving_call = leaving_call;
    };
    events.left = [this](int rank) { rank_left(rank, &RankProcess::control); };
    events.aborted = [this](int rank, int status, const std::string& message, pid_t thread) {
        rank_aborted(rank, status, message, thread);
    };
    events.crashed = [this](int rank, pid_t process, const control::Crash& crash) {
        if (const RankProcess* of_rank = processes_.find(rank))
            failing_.crashed(rank, *of_rank, process, crash, observer_.call_of(rank));
    };
    events.showed_status = [this](int rank, UniqueFd page) { observer_.add_page(rank, std::move(page)); };
    events.showed_profile = [this](int rank, UniqueFd memory) { profiles_.add(rank, std::move(memory)); };
    events.wanted_of_other_node = [this](int rank, const std::string& name, ControlChannels::Answer answer) {
        if (processes_.find(rank) != nullptr)
            relay_->request_deposit(rank, name, std::move(answer));
        else
            answer(ControlChannels::Deposit::gone, {});
    };
    return events;
}

PmixProcess::Events Daemon::pmix_events()
{
    PmixProcess::Events events;
    events.ready = [this] { pmix_ready(); };
    events.lost = [this](const std::string& reason) { pmix_lost(reason); };
    events.connected = [this](int rank) { rank_joined(rank, &RankProcess::pmix); };
    events.finalized = [this](int rank) { rank_left(rank, &RankProcess::pmix); };
    events.aborted = [this](int rank, int status, const std::string& message) {
        rank_aborted(rank, status, message, 0);
    };
    events.fence = [this](FenceFrame part, PmixAnswer answer) {
        relay_->fence(std::move(part), std::move(answer));
    };
    events.get = [this](int rank, const std::string& key, PmixAnswer answer) {
        relay_->request(rank, key, std::move(answer));
    };
    return events;
}

PmiServer::Events Daemon::pmi_events()
{
    PmiServer::Events events;
    events.joined = [this](int rank) { rank_joined(rank, &RankProcess::pmix); };
    events.left = [this](int rank) { rank_left(rank, &RankProcess::pmix); };
    events.aborted = [this](int rank, int status) { rank_aborted(rank, status, {}, 0); };
    events.barrier = [this](std::string data, PmiServer::Answer answer) {
        // Named otherwise than a fence of PMIx, which the same ranks may be in.
        FenceFrame part{{kAllRanks, kAllRanks}, 0, std::move(data)};
        relay_->fence(std::move(part), [answer = std::move(answer)](int status, const std::string& all) {
            answer(status == 0, all);
        });
    };
    events.note = [this](const std::string& text) { note(false, text); };
    return events;
}

void Daemon::rank_joined(int rank, Membership RankProcess::*source)
{
    RankProcess* const process = processes_.find(rank);
    if (process == nullptr)
        return;
    process->*source = {true, false};
    if (!std::exchange(any_joined_, true))
        head_.send(FrameType::joined);
}

void Daemon::rank_left(int rank, Membership RankProcess::*source)
{
    if (RankProcess* process = processes_.find(rank))
        (process->*source).left = true;
}

/// Ranks that have joined the job need the server no more. A rank that has not joined ends with an error of
/// its own.
void Daemon::pmix_lost(const std::string& reason)
{
    why_no_pmix_ = reason;
    if (order_) {
        pmix_ready();
    } else if (launched_ && !ending_ && !all_exited_) {
        const std::string text =
            fmt::format("{} on {}: the job goes on without it", reason, Hello::of_this_process().host_name);
        note(false, text);
    }
}

void Daemon::rank_aborted(int rank, int status, const std::string& message, pid_t thread)
{
    const RankProcess* const process = processes_.find(rank);
    if (process == nullptr)
        return;
    const auto report = [this, rank, pid = process->pid, status, message] {
        head_.send(FrameType::aborted, encode(AbortReport{rank, pid, status, message, failing_.take(rank)}));
    };
    if (thread == 0)
        report();
    else
        failing_.aborted(rank, *process, thread, observer_.call_of(rank), report);
}

void Daemon::handle_signal()
{
    for (const int signal : read_signals(signals_)) {
        if (signal == SIGCHLD) {
            reap();
            continue;
        }
        // The ranks may then end well, or never start, but the job is not done.
        if (!ending_ && !all_exited_)
            head_.send(FrameType::end_requested, encode(signal));
        end_job(SIGTERM);
    }
    check_for_the_end();
}

// Once this process kills, the kernel's count does not say any more whom it has killed.
bool Daemon::was_killed_for_memory(int wait_status)
{
    return WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL && !has_killed_ &&
           memory_kills_.explains_one();
}

void Daemon::reap()
{
    const std::vector<std::pair<pid_t, int>> ended = processes_.reap();
    // A rank finalizes or aborts before it exits, so the PMIx server has reported that by now.
    pmix_->read_all();
    pmi_.read_all();
    for (const auto& [child, wait_status] : ended) {
        if (pmix_->reaped(child, wait_status) || (children_ && children_->reaped(child, wait_status)))
            continue;
        const bool for_memory = was_killed_for_memory(wait_status);
        const int rank = processes_.ended(child);
        if (const RankProcess* process = processes_.find(rank)) {
            control_.ended(rank);
            pmi_.ended(rank);
            profiles_.rank_ended(rank);
            input_.remove(rank);
            relay_->rank_ended(rank);
            if (WIFEXITED(wait_status) && !any_joined_)
                advise_lonely(rank);
            CrashReport crash = failing_.take(rank);
            if (for_memory && crash.reason.empty())
                crash.reason = "Killed: this host, or the memory group of the job, was out of memory";
            head_.send(FrameType::exited,
                       encode(ExitReport{rank, child, wait_status, process->has_joined(), process->has_left(),
                                         process->leaving_call, std::move(crash)}));
        }
    }
}

void Daemon::signal_processes(int signal)
{
    has_killed_ = has_killed_ || signal == SIGKILL;
    processes_.signal(signal);
}

void Daemon::end_job(int signal, Seconds grace)
{
    processes_.any_group_lives();  // drops the empty ones
    signal_processes(signal);
    processes_.signal(SIGCONT);  // a stopped process would not see the signal
    failing_.let_all_go();
    if (ending_)
        return;
    ending_ = true;
    if (grace > kGracePeriod)
        loop_.after(kGracePeriod, [this, signal] { kill_the_deaf(signal); });
    loop_.after(grace, [this] {
        processes_.any_group_lives();
        signal_processes(SIGKILL);
    });
    // A process that waits in the kernel (for a dead file server) does not end by SIGKILL.
    loop_.after(grace + kUnkillablePeriod, [this] {
        given_up_ = true;
        check_for_the_end();
    });
}

// Who ignores the signal writes nothing before the end: there is nothing to wait for.
void Daemon::kill_the_deaf(int signal)
{
    if (!processes_.any_group_lives())
        return;
    if (processes_.only_deaf_are_left(signal))
        signal_processes(SIGKILL);
    loop_.after(kGracePeriod, [this, signal] { kill_the_deaf(signal); });
}

void Daemon::check_for_the_end()
{
    if (!stream_.open() && !launched_)
        loop_.stop();
    const bool waits_for_pmix = order_ && !ending_;
    if (!launched_ || waits_for_pmix || (processes_.any_rank_runs() && !given_up_))
        return;
    if (processes_.any_group_lives() && !given_up_) {
        // The ranks have ended, their children have not. No signal tells when children of other parents
        // end, so this looks again.
        if (!ending_)
            end_job(SIGTERM);
        loop_.after(kRecheckPeriod, [this] { check_for_the_end(); });
        return;
    }
    if (!stream_.open()) {
        loop_.stop();
    } else if (!all_exited_ && profiles_.is_sent([this] { check_for_the_end(); })) {
        all_exited_ = true;
        head_.send(FrameType::all_exited);
        output_.drain();
    }
}

int run_daemon(UniqueFd head, const DaemonIdentity& identity, const InheritedState& inherited,
               const std::string& session_directory)
{
    int status = 0;
    UniqueFd line(
        ::fcntl(head.get(), F_DUPFD_CLOEXEC, 3));  // for errors that come before the daemon has a connection
    try {
        Watchdog watchdog(session_directory);  // from here on in its child
        ::setsid();  // the head gets the terminal's signals and decides what they mean
        ::prctl(PR_SET_NAME, "tuttirun-daemon");
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        require_open_files(kOwnDescriptors, "a daemon");
        require_loopback();
        {
            const UniqueFd in_use = create_session_directory(session_directory);
            Daemon daemon(std::move(head), identity, inherited, session_directory, watchdog);
            line.reset();
            daemon.run();
        }
        // What has left its rank's process group.
        end_descendants(std::chrono::duration_cast<std::chrono::milliseconds>(kGracePeriod));
    } catch (const std::exception& error) {
        if (!report_to_head(line.get(), identity, describe(error)))
            base::say(fmt::format("tuttirun: {}\n", describe(error)));
        status = 1;
    }
    remove_session_directory(session_directory);
    return status;
}

}  // namespace tutti::launcher
