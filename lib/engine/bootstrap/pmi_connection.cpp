#include "lib/engine/bootstrap/pmi_connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace tutti::bootstrap {

namespace {

/// For a message: without its end, and no more than a line of it.
std::string shown_line(std::string_view line)
{
    constexpr std::size_t kMost = 80;
    return fmt::format("'{}'", line.substr(0, std::min(line.find('\n'), kMost)));
}

}  // namespace

void fail_by_pmi(std::string_view operation, const std::string& why, int rank)
{
    throw Error(ErrorCode::bootstrap, operation, why, rank);
}

PmiConnection::PmiConnection(int descriptor)
{
    struct stat found {};
    if (descriptor < 0 || ::fstat(descriptor, &found) != 0 || !S_ISSOCK(found.st_mode))
        fail_by_pmi(
            "PMI",
            "PMI_FD names no connection to a launcher: it belongs to another process, or this rank's program "
            "is not the first that its process runs; start the program with tuttirun");
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    socket_.reset(descriptor);
}

control::PmiLine PmiConnection::ask(const control::PmiLine& question, std::string_view expected,
                                    bool may_fail, int timeout_ms)
{
    const std::lock_guard lock(mutex_);
    tell(question);
    const std::string line = read_line(timeout_ms);
    auto answer = control::PmiLine::parse(line);
    if (!answer || answer->command() != expected)
        fail_by_pmi("PMI", fmt::format("the launcher answers {} to {}", shown_line(line),
                                       shown_line(question.text())));
    if (!may_fail && answer->number("rc").value_or(0) != 0)
        fail_by_pmi(
            "PMI", fmt::format("the launcher refuses {}: {}", shown_line(question.text()), shown_line(line)));
    return *std::move(answer);
}

void PmiConnection::tell(const control::PmiLine& line)
{
    const std::string text = line.text();
    for (std::string_view left = text; !left.empty();) {
        const ssize_t sent = ::send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            fail_by_pmi("PMI", fmt::format("cannot send {} to the launcher: {}", shown_line(text),
                                           socket_ ? std::strerror(errno) : "this rank has left the job"));
        left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    }
}

void PmiConnection::close()
{
    socket_.reset();
}

std::string PmiConnection::read_line(int timeout_ms)
{
    std::size_t end = unread_.find('\n');
    while (end == unread_.npos) {
        if (unread_.size() > control::kLongestPmiLine)
            fail_by_pmi("PMI", fmt::format("the launcher sends more than {} bytes without the end of a line",
                                           control::kLongestPmiLine));
        pollfd readable{socket_.get(), POLLIN, 0};
        if (::poll(&readable, 1, timeout_ms) == 0)
            fail_by_pmi("PMI", fmt::format("the launcher has not answered in {} s", timeout_ms / 1000));
        std::array<char, 4096> bytes;
        const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            fail_by_pmi(
                "PMI",
                fmt::format(
                    "the launcher has closed its connection to this rank{}{}: it has ended, or the process "
                    "was a rank of the job before",
                    got < 0 ? ": " : "", got < 0 ? std::strerror(errno) : ""));
        unread_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        end = unread_.find('\n');
    }
    std::string line = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    return line;
}

}  // namespace tutti::bootstrap
