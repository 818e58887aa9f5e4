#include "launcher/daemon.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "launcher/session_directory.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kUnkillablePeriod{2000};
constexpr std::chrono::milliseconds kRecheckPeriod{5};
constexpr std::chrono::milliseconds kPatienceWithChildren{3000};

UniqueFd open_signals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
        sigaddset(&set, signal);
    }
    return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

struct Pipe {
    Pipe()
    {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::system_error(errno, std::generic_category(),
                                    "cannot create a pipe for a rank (raise ulimit -n)");
        }
        read_end.reset(ends[0]);
        write_end.reset(ends[1]);
    }
    UniqueFd read_end;
    UniqueFd write_end;
};

}  // namespace

Daemon::Daemon(UniqueFd head, const DaemonIdentity& identity, const InheritedState& inherited,
               const std::string& session_directory)
    : identity_(identity),
      inherited_(inherited),
      base_environment_(::environ),
      signals_(open_signals()),
      watchdog_(session_directory),
      processes_(watchdog_),
      stream_(
          loop_, std::move(head), [this](const Frame& frame) { handle_frame(frame); },
          [this](const std::string&) {
              // The head is gone and with it the user: nothing may stay behind.
              end_job(SIGTERM);
              check_for_the_end();
          }),
      head_(stream_, identity.node),
      output_(loop_, head_, [this] { head_.send(FrameType::bye); }),
      input_(loop_, [this](std::uint64_t bytes) {
          head_.send(FrameType::stdin_taken, WireWriter().put(bytes).bytes());
      })
{
    if (identity_.hello) {
        head_.send(FrameType::hello, encode(*identity_.hello));
    }
    loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) { handle_signal(); });
    PmixObserver& observer = *this;
    pmix_ = std::make_unique<PmixServer>(loop_, observer, session_directory);
    // From here on errors go to the head. libpmix would write a line for each rank that is killed in its
    // start.
    const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    ::dup2(null.get(), STDERR_FILENO);
    relay_ = std::make_unique<PmixRelay>(loop_, head_, *pmix_);
}

Daemon::~Daemon()
{
    if (children_) {
        children_->finish(kPatienceWithChildren);
    }
}

void Daemon::handle_frame(const Frame& frame)
{
    if (frame.node != identity_.node && children_) {
        children_->send(frame);
    }
    if (frame.node != identity_.node && frame.node != kAllNodes) {
        return;
    }
    WireReader reader(frame.payload);
    switch (frame.type) {
        case FrameType::start_daemons:
            start_daemons(decode_start_order(frame.payload));
            break;
        case FrameType::launch:
            launch(decode_launch_order(frame.payload));
            break;
        case FrameType::fence_done:
            relay_->handle_fence_done(frame.payload);
            break;
        case FrameType::modex_wanted:
            relay_->handle_modex_wanted(frame.payload);
            break;
        case FrameType::rank_died: {
            const auto rank = reader.number<std::int32_t>();
            pmix_->announce_death(rank, reader.number<std::uint8_t>() != 0);
            break;
        }
        case FrameType::modex_found:
            relay_->handle_modex_found(frame.payload);
            break;
        case FrameType::stdin_data: {
            const auto rank = reader.number<std::int32_t>();
            input_.write(rank, reader.rest());
            break;
        }
        case FrameType::output_taken:
            output_.taken(reader.number<std::uint64_t>());
            break;
        case FrameType::send_signal:
            processes_.signal(reader.number<std::int32_t>());
            break;
        case FrameType::doctor_task:
            if (!patient_) {
                patient_ = std::make_unique<doctor::Patient>(
                    loop_, identity_.key, identity_.node,
                    [this](const std::string& report) { head_.send(FrameType::doctor_report, report); });
            }
            patient_->handle_task(frame.payload);
            break;
        case FrameType::end_job:
            end_job(reader.number<std::int32_t>());
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
    events.note = [this](const std::string& text, bool only_verbose) {
        head_.send(FrameType::note, WireWriter().put(std::uint8_t{only_verbose}).put_rest(text).bytes());
    };
    const security::Identity self{security::Identity::Kind::daemon,
                                  static_cast<std::uint32_t>(identity_.node)};
    children_ = std::make_unique<Children>(loop_, identity_.key, self, inherited_, std::move(events));
    try {
        children_->start(order);
    } catch (const std::exception& error) {
        const std::string host = Hello::of_this_process().host_name;
        const std::string reason =
            fmt::format("{} cannot start daemons on other hosts: {}", host, error.what());
        head_.send(FrameType::not_started, encode(MissingDaemons{{}, reason}));
    }
}

/// Ranks on other hosts start where the head was started.
void Daemon::enter_working_directory(const LaunchOrder& order)
{
    if (::chdir(order.working_directory.c_str()) != 0) {
        throw std::runtime_error(
            fmt::format("cannot use the working directory {}: {}; create it on this host, or "
                        "name one that all hosts have by --wdir",
                        order.working_directory, std::strerror(errno)));
    }
}

void Daemon::launch(const LaunchOrder& order)
{
    launched_ = true;
    processes_.resize(order.ranks.size());
    const std::vector<int> local = order.ranks_of(identity_.node);
    if (local.empty()) {
        check_for_the_end();
        return;
    }
    try {
        if (identity_.hello) {
            enter_working_directory(order);
            base_environment_.add_forwarded(order.environment);
        }
        pmix_->register_job(order, identity_.node, identity_.key.to_hex());
        std::vector<RankEnvironment> environments;
        std::vector<std::string> programs(order.apps.size());
        for (const AppContext& app : order.apps) {
            RankEnvironment& environment = environments.emplace_back(base_environment_);
            for (const auto& [name, value] : app.environment) {
                environment.set(name, value);
            }
            environment.set("TUTTI_LOCAL_SIZE", std::to_string(local.size()));
            // Ranks that share cores must not spin while they wait; only the launcher sees all masks and
            // quotas. What the user has set wins.
            if (!environment.has("TUTTI_SHARED_CORES")) {
                const bool shared = order.nodes[static_cast<std::size_t>(identity_.node)].shares_cores;
                environment.set("TUTTI_SHARED_CORES", shared ? "1" : "0");
            }
        }
        for (const int rank : local) {
            const Placement& placement = order.ranks[static_cast<std::size_t>(rank)];
            const auto index = static_cast<std::size_t>(placement.app);
            const AppContext& app = order.apps[index];
            if (programs[index].empty()) {
                SpawnError error;
                struct stat status {};
                if (!app.working_directory.empty() && ::stat(app.working_directory.c_str(), &status) != 0) {
                    error = {errno, "cannot use the working directory " + app.working_directory};
                } else {
                    programs[index] = find_program(app.argv.front(), environments[index].get("PATH"),
                                                   app.working_directory, error);
                }
                if (programs[index].empty()) {
                    start_failed(placement.rank, error);
                    break;
                }
            }
            if (!start_rank(order, placement, programs[index], environments[index])) {
                break;
            }
        }
    } catch (const std::exception& error) {
        start_failed(local.front(), {0, error.what()});
    }
    check_for_the_end();
}

bool Daemon::start_rank(const LaunchOrder& order, const Placement& placement, const std::string& program,
                        const RankEnvironment& app_environment)
{
    RankEnvironment environment = app_environment;
    for (const std::string& entry : pmix_->rank_environment(placement.rank)) {
        environment.set_entry(entry);
    }
    environment.set("TUTTI_LOCAL_RANK", std::to_string(placement.local_rank));
    const std::vector<char*> pointers = environment.pointers();

    const bool wants_input = order.stdin_target == StdinTarget::all ||
                             (order.stdin_target == StdinTarget::rank && order.stdin_rank == placement.rank);
    Pipe out;
    std::optional<Pipe> err;
    std::optional<Pipe> in;
    if (!order.merge_stderr) {
        err.emplace();
    }
    UniqueFd null;
    if (wants_input) {
        in.emplace();
    } else {
        null.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    const AppContext& app = order.apps[static_cast<std::size_t>(placement.app)];
    SpawnRequest request{};
    request.program = program.c_str();
    request.argv = &app.argv;
    request.environment = const_cast<char**>(pointers.data());
    request.working_directory = app.working_directory.c_str();
    request.cpus = &placement.cpus;
    request.standard_streams[0] = in ? in->read_end.get() : null.get();
    request.standard_streams[1] = out.write_end.get();
    request.standard_streams[2] = err ? err->write_end.get() : out.write_end.get();
    request.inherited = &inherited_;
    SpawnError error;
    const pid_t pid = spawn(request, error);
    if (pid < 0) {
        start_failed(placement.rank, {error.error_number, fmt::format("{}: {}", program, error.what)});
        return false;
    }
    processes_.started(placement.rank, pid);
    output_.add(placement.rank, Channel::standard_output, std::move(out.read_end));
    if (err) {
        output_.add(placement.rank, Channel::standard_error, std::move(err->read_end));
    }
    if (in) {
        input_.add(placement.rank, std::move(in->write_end));
    }
    return true;
}

void Daemon::start_failed(int rank, const SpawnError& error)
{
    WireWriter payload;
    payload.put(std::int32_t{rank}).put(std::int32_t{error.error_number}).put(std::string_view(error.what));
    head_.send(FrameType::start_failed, payload.bytes());
    end_job(SIGTERM);
}

void Daemon::rank_connected(int rank)
{
    if (RankProcess* process = processes_.find(rank)) {
        process->connected = true;
        process->finalized = false;
    }
}

void Daemon::rank_finalized(int rank)
{
    if (RankProcess* process = processes_.find(rank)) {
        process->finalized = true;
    }
}

void Daemon::rank_aborted(int rank, int status, const std::string& message)
{
    if (const RankProcess* process = processes_.find(rank)) {
        WireWriter payload;
        payload.put(std::int32_t{rank}).put(std::int32_t{process->pid}).put(std::int32_t{status});
        head_.send(FrameType::aborted, payload.put(std::string_view(message)).bytes());
    }
}

void Daemon::fence_reached(std::vector<int> ranks, int status, std::string data, PmixAnswer answer)
{
    relay_->fence(std::move(ranks), status, std::move(data), std::move(answer));
}

void Daemon::values_wanted(int rank, const std::string& key, PmixAnswer answer)
{
    relay_->request(rank, key, std::move(answer));
}

void Daemon::handle_signal()
{
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD) {
            reap();
        } else {
            end_job(SIGTERM);
        }
    }
    check_for_the_end();
}

void Daemon::reap()
{
    const std::vector<std::pair<pid_t, int>> ended = processes_.reap();
    // A rank finalizes, or aborts, before it exits: libpmix's thread has posted that by now.
    loop_.run_posted();
    for (const auto& [child, wait_status] : ended) {
        if (children_ && children_->reaped(child, wait_status)) {
            continue;
        }
        const int rank = processes_.ended(child);
        if (const RankProcess* process = processes_.find(rank)) {
            input_.remove(rank);
            relay_->rank_ended(rank);
            head_.send(FrameType::exited,
                       encode(ExitReport{rank, child, wait_status, process->connected, process->finalized}));
        }
    }
}

void Daemon::end_job(int signal)
{
    processes_.any_group_lives();  // drops the empty ones
    processes_.signal(signal);
    processes_.signal(SIGCONT);  // a stopped process would not see the signal
    if (ending_) {
        return;
    }
    ending_ = true;
    loop_.after(kGracePeriod, [this] {
        processes_.any_group_lives();
        processes_.signal(SIGKILL);
    });
    // A process that the kernel holds (a dead file server) does not even see SIGKILL.
    loop_.after(kGracePeriod + kUnkillablePeriod, [this] {
        given_up_ = true;
        check_for_the_end();
    });
}

void Daemon::check_for_the_end()
{
    if (!stream_.open() && !launched_) {
        loop_.stop();
    }
    if (!launched_ || (processes_.any_rank_runs() && !given_up_)) {
        return;
    }
    if (processes_.any_group_lives() && !given_up_) {
        // The ranks are done, their children are not. Those whose parent is not of the job are not ours to
        // reap and end without a signal to us: look again.
        if (!ending_) {
            end_job(SIGTERM);
        }
        loop_.after(kRecheckPeriod, [this] { check_for_the_end(); });
        return;
    }
    if (!stream_.open()) {
        loop_.stop();
    } else if (!all_exited_) {
        all_exited_ = true;
        head_.send(FrameType::all_exited);
        output_.drain();
    }
}

int run_daemon(UniqueFd head, const DaemonIdentity& identity, const InheritedState& inherited)
{
    ::setsid();  // the terminal's signals go to the head, which decides what becomes of them
    ::prctl(PR_SET_NAME, "tuttirun-daemon");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::string session_directory;
    int status = 0;
    try {
        session_directory = create_session_directory();
        Daemon daemon(std::move(head), identity, inherited, session_directory);
        daemon.run();
        remove_session_directory(session_directory);
    } catch (const std::exception& error) {
        fmt::print(stderr, "tuttirun: {}\n", error.what());
        remove_session_directory(session_directory);
        status = 1;
    }
    return status;
}

}  // namespace tutti::launcher
