#include "launcher/base/descriptors.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace tutti::launcher {

namespace {

const char* remedy(int error_number)
{
    return error_number == EMFILE   ? "; raise the limit of open files (ulimit -Hn)"
           : error_number == ENFILE ? "; the machine has no more open files: raise fs.file-max"
                                    : "";
}

/// A shell starts the reader of a pipe beside the launcher.
constexpr std::chrono::milliseconds kReaderPatience{1000};
constexpr std::chrono::milliseconds kReaderPause{10};

/// Scripts use low numbers, and shells those up to 255 for themselves.
constexpr int kFirstDescriptor = 300;
/// Where the limit of open files is lower.
constexpr int kOtherFirstDescriptor = 20;

/// Leaves errno as it is.
bool is_pipe(const std::string& path) noexcept
{
    const int before = errno;
    struct stat status {};
    const bool is = ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    errno = before;
    return is;
}

}  // namespace

std::pair<UniqueFd, UniqueFd> make_pipe(const char* what)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), what);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::pair<UniqueFd, UniqueFd> make_socket_pair(int type, const char* what)
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(), what);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

UniqueFd move_up(UniqueFd fd)
{
    for (const int first : {kFirstDescriptor, kOtherFirstDescriptor})
        if (UniqueFd moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, first)); moved)
            return moved;
    return fd;
}

void redirect_to_null(std::initializer_list<int> descriptors)
{
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int descriptor : descriptors)
        ::dup2(null.get(), descriptor);
}

UniqueFd keep_only(UniqueFd kept)
{
    constexpr int kFirst = STDERR_FILENO + 1;
    ::dup2(kept.get(), kFirst);
    ::close_range(kFirst + 1, ~0U, 0);
    kept.release();  // it is closed, or it is the descriptor that is returned
    return UniqueFd(kFirst);
}

UniqueFd open_to_write(const std::string& path, int flags)
{
    constexpr mode_t kForAll = 0666;  // but for what umask takes away
    const auto give_up = std::chrono::steady_clock::now() + kReaderPatience;
    while (true) {
        UniqueFd file(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags, kForAll));
        if (file || errno != ENXIO || !is_pipe(path) || std::chrono::steady_clock::now() >= give_up)
            return file;
        std::this_thread::sleep_for(kReaderPause);
    }
}

std::string why_not_written(const std::string& path, int error_number)
{
    if (error_number == ENXIO && is_pipe(path))
        return "it is a pipe that nobody reads; start its reader first";
    if (error_number == EPIPE)
        return "its reader has gone";
    return describe_system_error(error_number);
}

bool is_regular_file(int fd) noexcept
{
    struct stat status {};
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

int write_fully(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t bytes = ::write(fd, text.data(), text.size());
        if (bytes >= 0) {
            text.remove_prefix(static_cast<std::size_t>(bytes));
        } else if (errno == EAGAIN) {
            // Another process that shares the terminal or pipe has made it non-blocking.
            pollfd entry{fd, POLLOUT, 0};
            ::poll(&entry, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

void require_open_files(int more, const std::string& what)
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    int free = 0;
    for (rlim_t fd = 0; fd < limit.rlim_cur && free < more; ++fd)
        free += ::fcntl(static_cast<int>(fd), F_GETFD) < 0 ? 1 : 0;
    if (free < more) {
        throw std::runtime_error(fmt::format(
            "{} takes {} open files, and the limit of {} leaves room for {}; raise it (ulimit -Hn)", what,
            more, limit.rlim_cur, free));
    }
}

std::string describe_system_error(int error_number)
{
    return std::string(std::strerror(error_number)) + remedy(error_number);
}

std::string describe(const std::exception& error)
{
    const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
    return std::string(error.what()) + (of_system != nullptr ? remedy(of_system->code().value()) : "");
}

}  // namespace tutti::launcher
