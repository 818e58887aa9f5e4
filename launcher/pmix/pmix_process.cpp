#include "launcher/pmix/pmix_process.hpp"

#include <pmix_common.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "launcher/pmix/pmix_server.hpp"

namespace tutti::launcher {

PmixProcess::PmixProcess(EventLoop& loop, Events events, const std::string& session_directory)
    : events_(std::move(events))
{
    auto [ours, theirs] = make_socket_pair(SOCK_STREAM, "socketpair");
    const pid_t daemon = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != daemon)
            ::_exit(0);  // it died before the line above
        ::prctl(PR_SET_NAME, "tuttirun-pmix");
        ::prctl(PR_SET_CHILD_SUBREAPER, 0);
        // A descriptor of the daemon's that stays open here would hide the daemon's end from others.
        theirs = keep_only(std::move(theirs));
        redirect_to_null({STDIN_FILENO, STDOUT_FILENO});
        run_pmix_server(std::move(theirs), session_directory);
    }
    server_ = std::make_unique<Connection>(
        loop, std::move(ours), [this](const Frame& frame) { handle(frame); },
        [this](const std::string&) { end(); });
}

PmixProcess::~PmixProcess()
{
    lost_ = true;  // its end is no loss any more
    end();
}

/// It has nothing to clean up, and may be stopped or hang.
void PmixProcess::end()
{
    if (pid_ > 0) {
        int status = 0;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, &status, 0);
        reaped(pid_, status);
    }
}

void PmixProcess::register_job(const LaunchOrder& order, int node, const std::string& key)
{
    server_->send({FrameType::pmix_register, 0, encode(node, key, order)});
}

void PmixProcess::published_by(int rank, PmixAnswer answer)
{
    if (lost_) {
        answer(PMIX_ERR_LOST_CONNECTION, {});
        return;
    }
    finding_[++last_serial_] = std::move(answer);
    server_->send({FrameType::pmix_find, 0, encode(last_serial_, rank)});
}

void PmixProcess::announce_death(int rank, bool by_signal)
{
    server_->send({FrameType::rank_died, 0, encode(rank, by_signal)});
}

PmixAnswer PmixProcess::answer_to(std::uint64_t serial)
{
    return [this, serial](int status, const std::string& data) {
        server_->send({FrameType::pmix_answer, 0, encode(serial, status, data)});
    };
}

void PmixProcess::handle(const Frame& frame)
{
    const std::string_view payload = frame.payload;
    switch (frame.type) {
        case FrameType::pmix_ready:
            for (auto& [rank, variables] :
                 decode<std::vector<std::pair<int, std::vector<std::string>>>>(payload))
                environments_[rank] = std::move(variables);
            events_.ready();
            break;
        case FrameType::pmix_refused:
            lose(std::string(payload));
            break;
        case FrameType::pmix_connected:
            events_.connected(decode<int>(payload));
            break;
        case FrameType::pmix_finalized:
            events_.finalized(decode<int>(payload));
            break;
        case FrameType::pmix_aborted: {
            const auto [rank, status, message] = decode<int, int, std::string>(payload);
            events_.aborted(rank, status, message);
            break;
        }
        case FrameType::pmix_fence: {
            auto [serial, fence] = decode<std::uint64_t, FenceFrame>(payload);
            events_.fence(std::move(fence), answer_to(serial));
            break;
        }
        case FrameType::pmix_get: {
            const auto [serial, rank, key] = decode<std::uint64_t, int, std::string>(payload);
            events_.get(rank, key, answer_to(serial));
            break;
        }
        case FrameType::pmix_found: {
            auto [serial, status, data] = decode<std::uint64_t, int, std::string>(payload);
            if (const auto found = finding_.extract(serial); !found.empty())
                found.mapped()(status, std::move(data));
            break;
        }
        default:
            throw WireError("a frame that no PMIx server sends");
    }
}

bool PmixProcess::reaped(pid_t child, int wait_status)
{
    if (child != pid_)
        return false;
    pid_ = -1;
    read_all();  // its last reports
    lose(WIFSIGNALED(wait_status) ? fmt::format("the PMIx server was killed by signal {} ({})",
                                                WTERMSIG(wait_status), ::strsignal(WTERMSIG(wait_status)))
                                  : "the PMIx server has ended");
    return true;
}

void PmixProcess::lose(const std::string& reason)
{
    if (std::exchange(lost_, true))
        return;
    for (const auto& [serial, answer] : std::exchange(finding_, {}))
        answer(PMIX_ERR_LOST_CONNECTION, {});
    events_.lost(reason);
}

}  // namespace tutti::launcher
