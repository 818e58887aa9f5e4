#include "launcher/base/open_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

namespace tutti::launcher {

namespace {

const char* remedy(int error_number)
{
    return error_number == EMFILE   ? "; raise the limit of open files (ulimit -Hn)"
           : error_number == ENFILE ? "; the machine has no more open files: raise fs.file-max"
                                    : "";
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
