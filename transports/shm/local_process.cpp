#include "transports/shm/local_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include "lib/foundation/base/proc.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::shm {

namespace {

std::uint64_t this_host() noexcept
{
    static const std::uint64_t hash = [] {
        std::string boot_id;
        std::ifstream("/proc/sys/kernel/random/boot_id") >> boot_id;
        return static_cast<std::uint64_t>(std::hash<std::string>{}(boot_id));
    }();
    return hash;
}

std::uint64_t this_pid_namespace() noexcept
{
    static const std::uint64_t inode = [] {
        struct stat status {};
        return stat("/proc/self/ns/pid", &status) == 0 ? static_cast<std::uint64_t>(status.st_ino) : 0;
    }();
    return inode;
}

// When /proc hides a process, its files look as if they were closed.
bool is_shown(const std::string& folder)
{
    struct stat status {};
    return stat(folder.c_str(), &status) == 0;
}

}  // namespace

LocalProcess LocalProcess::self(int rank, bool deposits) noexcept
{
    return {this_host(), this_pid_namespace(), getpid(), rank, deposits ? 1u : 0u, 0};
}

bool LocalProcess::on_this_host() const noexcept
{
    return host == this_host();
}

bool LocalProcess::has_common_pids() const noexcept
{
    return pid_namespace != 0 && pid_namespace == this_pid_namespace() && on_this_host();
}

bool LocalProcess::has_ended() const noexcept
{
    if (!has_common_pids())
        return false;
    if (kill(pid, 0) != 0)
        return errno == ESRCH;
    // A zombie counts as ended, too: its parent has not yet waited for it.
    const base::UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!process && errno == ESRCH)
        return true;  // its parent has waited for it in between
    pollfd ends{.fd = process.get(), .events = POLLIN, .revents = 0};
    return process && poll(&ends, 1, 0) == 1;
}

base::UniqueFd LocalProcess::open(int descriptor, int flags, DescriptorExchange* exchange) const
{
    std::string why = "it runs in another process namespace";
    if (has_common_pids()) {
        const std::string folder = base::proc_folder(pid);
        const std::string path = fmt::format("{}/fd/{}", folder, descriptor);
        base::UniqueFd opened(::open(path.c_str(), flags | O_CLOEXEC));
        if (opened)
            return opened;
        const int error = errno;
        why = fmt::format("{}: {}", path, std::strerror(error));
        // In this order: a process that is not shown, as its parent has waited for it, has ended.
        if (error == ESRCH || (error == ENOENT && (is_shown(folder) || has_ended())))
            throw Error(ErrorCode::peer_lost, "shared memory",
                        fmt::format("cannot open the memory of process {} ({})", pid, why));
        if (error == EMFILE || error == ENFILE)
            throw Error(ErrorCode::out_of_memory, "shared memory",
                        fmt::format("cannot open the memory of process {} ({}); raise the open-file limit "
                                    "(ulimit -n)",
                                    pid, why));
    }
    if (exchange != nullptr && deposits != 0) {
        if (base::UniqueFd fetched = exchange->fetch(rank, descriptor))
            return fetched;
        why += "; the launcher's daemon does not hand it over, either";
    }
    throw Error(ErrorCode::not_supported, "shared memory",
                fmt::format("cannot open the memory of rank {} (process {}): {}", rank, pid, why));
}

}  // namespace tutti::transport::shm
