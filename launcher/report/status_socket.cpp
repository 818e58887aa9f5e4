#include "launcher/report/status_socket.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/base/values.hpp"

namespace tutti::launcher {

namespace {

constexpr int kBacklog = 8;
constexpr int kAnswerSeconds = 10;

std::string prefix()
{
    return fmt::format("tutti-job-{}-", ::geteuid());
}

/// An address whose name begins with a zero byte is no file.
std::pair<sockaddr_un, socklen_t> address_of(int job)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = prefix() + std::to_string(job);
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
    return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())};
}

bool is_same_user(int socket)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace

StatusSocket::StatusSocket(EventLoop& loop, std::function<void(Answer answer)> asked)
    : loop_(loop), asked_(std::move(asked))
{
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto [address, size] = address_of(::getpid());
    if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(socket.get(), kBacklog) != 0)
        return;
    socket_ = std::move(socket);
    loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { accept(); });
}

StatusSocket::~StatusSocket()
{
    if (socket_)
        loop_.forget(socket_.get());
}

void StatusSocket::accept()
{
    const auto asker =
        std::make_shared<UniqueFd>(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!*asker || !is_same_user(asker->get()))
        return;
    asked_([asker](const std::string& text) {
        // A report fits into the socket's buffer; an asker who does not read loses the rest.
        static_cast<void>(::send(asker->get(), text.data(), text.size(), MSG_NOSIGNAL));
        asker->reset();
    });
}

std::vector<int> jobs_of_user()
{
    std::ifstream sockets("/proc/net/unix");
    std::vector<int> jobs;
    const std::string wanted = " @" + prefix();
    for (std::string line; std::getline(sockets, line);) {
        const std::size_t found = line.rfind(wanted);
        if (found != std::string::npos)
            jobs.push_back(std::atoi(line.c_str() + found + wanted.size()));
    }
    std::ranges::sort(jobs);
    jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
    return jobs;
}

std::string ask_for_status(int job)
{
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto [address, size] = address_of(job);
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0)
        throw std::runtime_error(fmt::format("no job {} of yours runs on this machine", job));
    if (!is_same_user(socket.get()))
        throw std::runtime_error(fmt::format("job {} is not yours", job));
    const timeval limit{kAnswerSeconds, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    std::string text;
    std::array<char, 4096> buffer;
    ssize_t bytes = 0;
    while ((bytes = ::recv(socket.get(), buffer.data(), buffer.size(), 0)) > 0)
        text.append(buffer.data(), static_cast<std::size_t>(bytes));
    if (text.empty())
        throw std::runtime_error(
            fmt::format("job {} gives no answer: its tuttirun is stopped, or ends", job));
    return text;
}

void show_status(const std::string& job)
{
    constexpr int kMostPids = 1 << 22;
    const std::vector<int> jobs = jobs_of_user();
    int wanted = 0;
    if (!job.empty())
        wanted = parse_number("--status", "process id of a tuttirun", job, 1, kMostPids);
    else if (jobs.empty())
        throw UsageError("no job of yours runs on this machine; --status asks the tuttirun of a job there");
    else if (jobs.size() > 1)
        throw UsageError(fmt::format("several jobs of yours run here, say which: --status {}",
                                     fmt::join(jobs, ", or --status ")));
    else
        wanted = jobs.front();
    std::fputs((ask_for_status(wanted) + "\n").c_str(), stdout);
}

}  // namespace tutti::launcher
