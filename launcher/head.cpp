#include "launcher/head.hpp"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "launcher/launcher_signals.hpp"

namespace tutti::launcher {

namespace {

/// For a terminal that takes no output, when the user has ended the job.
constexpr std::chrono::milliseconds kOutputPatience{1000};

/// Whoever knows the name may claim to be a rank of the job, so it cannot be guessed.
std::string make_job_name()
{
    std::random_device random;
    return fmt::format("tutti-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

LaunchOrder make_order(const Options& options, const JobMap& map)
{
    LaunchOrder order;
    order.job_name = make_job_name();
    order.nodes = map.nodes;
    order.apps = options.apps;
    order.ranks = map.ranks;
    order.stdin_target = options.stdin_target;
    order.stdin_rank = options.stdin_rank;
    order.merge_stderr = options.output.merge_stderr;
    return order;
}

}  // namespace

Head::Head(const Options& options, const JobMap& map, UniqueFd daemon)
    : options_(options),
      map_(map),
      signals_(open_launcher_signals(options.forward_signals)),
      writer_(std::make_unique<OutputWriter>(
          options.output, static_cast<int>(map.ranks.size()),
          OutputWriter::Events{[this](std::uint64_t bytes) {
                                   loop_.post([this, bytes] {
                                       daemon_.send(FrameType::output_taken, WireWriter().put(bytes).bytes());
                                   });
                               },
                               [this](const char* where, int error_number) {
                                   loop_.post([this, where, error_number] {
                                       handle_write_failure(where, error_number);
                                   });
                               }})),
      daemon_(
          loop_, std::move(daemon),
          [this](FrameType type, std::string_view payload) { handle_frame(type, payload); },
          [this](const std::string& reason) { handle_daemon_lost(reason); })
{
    loop_.watch(signals_.get(), EPOLLIN, [this](std::uint32_t) { handle_signal(); });
}

void Head::say(const std::string& message)
{
    writer_->message("tuttirun: " + message + "\n");
}

int Head::run()
{
    if (options_.verbosity > 0) {
        say(fmt::format("starting {} ranks of {} on {}", map_.ranks.size(),
                        options_.apps.front().argv.front(), map_.nodes.front().name));
    }
    daemon_.send(FrameType::launch, encode(make_order(options_, map_)));
    if (options_.stdin_target != StdinTarget::none) {
        const int target = options_.stdin_target == StdinTarget::all ? kAllRanks : options_.stdin_rank;
        input_ = std::make_unique<InputReader>(loop_, [this, target](std::string_view bytes) {
            daemon_.send(FrameType::stdin_data,
                         WireWriter().put(std::int32_t{target}).put_rest(bytes).bytes());
        });
    }
    if (options_.timeout_seconds > 0) {
        const std::chrono::duration<double> timeout(options_.timeout_seconds);
        loop_.after(std::chrono::duration_cast<EventLoop::Clock::duration>(timeout), [this] {
            end_job(kTimeoutStatus, SIGTERM,
                    fmt::format("the job did not end within {} s (--timeout); ending it",
                                options_.timeout_seconds));
        });
    }
    loop_.run();
    daemon_.hang_up();
    return exit_status_.value_or(0);
}

void Head::handle_frame(FrameType type, std::string_view payload)
{
    WireReader reader(payload);
    switch (type) {
        case FrameType::output:
            handle_output(reader);
            break;
        case FrameType::stdin_taken:
            if (input_) {
                input_->taken(reader.number<std::uint64_t>());
            }
            break;
        case FrameType::start_failed: {
            const auto rank = reader.number<std::int32_t>();
            const auto error_number = reader.number<std::int32_t>();
            fail(rank, 0, judge_start(error_number, reader.text()));
            break;
        }
        case FrameType::exited:
            handle_exit(decode_exit_report(payload));
            break;
        case FrameType::aborted: {
            const auto rank = reader.number<std::int32_t>();
            const auto pid = reader.number<std::int32_t>();
            const auto status = reader.number<std::int32_t>();
            fail(rank, pid, judge_abort(status, reader.text()));
            break;
        }
        case FrameType::all_exited:
            handle_all_exited();
            break;
        case FrameType::bye:
            said_bye_ = true;
            finish_output();
            break;
        default:
            throw WireError("a frame that only a head sends");
    }
}

void Head::handle_output(WireReader& reader)
{
    const auto rank = reader.number<std::int32_t>();
    const auto channel = reader.number<std::uint8_t>();
    const bool known = rank >= 0 && static_cast<std::size_t>(rank) < map_.ranks.size() &&
                       (channel == static_cast<std::uint8_t>(Channel::standard_output) ||
                        channel == static_cast<std::uint8_t>(Channel::standard_error));
    if (!known) {
        throw WireError("output of a rank that does not exist");
    }
    writer_->write({rank, static_cast<Channel>(channel)}, reader.rest());
}

void Head::handle_exit(const ExitReport& report)
{
    if (options_.verbosity > 1) {
        say(fmt::format("rank {} (pid {}, on {}) has ended with wait status {}", report.rank, report.pid,
                        map_.nodes.front().name, report.wait_status));
    }
    if (const std::optional<Failure> failure = judge_exit(report)) {
        fail(report.rank, report.pid, *failure);
    }
}

void Head::fail(int rank, int pid, const Failure& failure)
{
    const std::string who = pid > 0
                                ? fmt::format("rank {} (pid {}, on {})", rank, pid, map_.nodes.front().name)
                                : fmt::format("rank {} (on {})", rank, map_.nodes.front().name);
    end_job(failure.exit_status, SIGTERM, fmt::format("{} {}; ending the job", who, failure.text));
}

/// The first reason counts; what comes after it is its consequence.
void Head::end_job(int exit_status, int signal, const std::string& message)
{
    if (exit_status_ || all_exited_) {
        return;
    }
    exit_status_ = exit_status;
    if (!message.empty()) {
        say(message);
    }
    daemon_.send(FrameType::end_job, WireWriter().put(std::int32_t{signal}).bytes());
}

void Head::handle_signal()
{
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
        const int signal = static_cast<int>(info.ssi_signo);
        switch (signal) {
            case SIGINT:
            case SIGTERM:
            case SIGHUP:
            case SIGQUIT:
                if (ended_by_user_) {  // impatient: no grace
                    daemon_.send(FrameType::end_job, WireWriter().put(std::int32_t{SIGKILL}).bytes());
                }
                ended_by_user_ = true;
                end_job(128 + signal, signal,
                        fmt::format("ending the job: signal {} ({})", signal, ::strsignal(signal)));
                if (all_exited_) {
                    handle_all_exited();
                }
                break;
            case SIGTSTP:
                stop_with_job();
                break;
            default:
                daemon_.send(FrameType::send_signal, WireWriter().put(std::int32_t{signal}).bytes());
        }
    }
}

void Head::stop_with_job()
{
    daemon_.send(FrameType::send_signal, WireWriter().put(std::int32_t{SIGTSTP}).bytes());
    ::raise(SIGSTOP);
    // Whoever continues us sends SIGCONT, which is passed on like any other.
}

void Head::handle_all_exited()
{
    all_exited_ = true;
    if (ended_by_user_ || exit_status_ == kTimeoutStatus) {
        loop_.after(kOutputPatience, [this] { loop_.stop(); });
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

void Head::handle_daemon_lost(const std::string& reason)
{
    if (!said_bye_) {
        end_job(1, SIGTERM,
                fmt::format("lost the daemon on {}: {}; the job has ended", map_.nodes.front().name, reason));
        finish_output();
    }
}

void Head::handle_write_failure(const std::string& where, int error_number)
{
    if (error_number == EPIPE) {
        // Nobody listens any more (tuttirun ... | head): as quiet an end as SIGPIPE's.
        end_job(128 + SIGPIPE, SIGTERM, {});
    } else {
        end_job(1, SIGTERM,
                fmt::format("cannot write to {}: {}; ending the job", where, std::strerror(error_number)));
    }
}

}  // namespace tutti::launcher
