#include "launcher/doctor/host_check.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <pmix.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "launcher/hosts/hosts.hpp"
#include "launcher/job/job_messages.hpp"
#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::launcher::doctor {
namespace {

using base::UniqueFd;

/// For looking up all names. A single one may take as long where a name server does not answer.
constexpr std::chrono::seconds kResolvingTimeout{10};

std::string first_line(const char* path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

rlimit limit_of(decltype(RLIMIT_NOFILE) resource)
{
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 ? limit : rlimit{};
}

/// One process reads memory of another one, as ranks do. Empty when it may.
std::string try_cross_memory_attach()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return std::strerror(errno);
    const UniqueFd answer(ends[0]);
    UniqueFd answering(ends[1]);
    static volatile char target = 'x';
    // Children of a process with threads make system calls only. Nobody needs their status.
    const pid_t sleeper = ::fork();
    if (sleeper == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::poll(nullptr, 0, 10000);
        ::_exit(0);
    }
    const pid_t reader = ::fork();
    if (reader == 0) {
        char copy = 0;
        const iovec to{&copy, 1};
        const iovec from{const_cast<char*>(&target), 1};
        const int error = ::process_vm_readv(sleeper, &to, 1, &from, 1, 0) == 1 ? 0 : errno;
        const ssize_t written = ::write(answering.get(), &error, sizeof error);
        ::_exit(written == sizeof error ? 0 : 1);
    }
    answering.reset();
    int error = ECHILD;
    const ssize_t bytes = ::read(answer.get(), &error, sizeof error);
    if (sleeper > 0) {
        ::kill(sleeper, SIGKILL);
        ::waitpid(sleeper, nullptr, 0);
    }
    if (reader > 0)
        ::waitpid(reader, nullptr, 0);
    return bytes == sizeof error && error == 0 ? std::string() : std::strerror(error);
}

/// Makes shared memory as ranks do. Empty when it works.
std::string try_shared_memory()
{
    constexpr off_t kBytes = off_t{16} << 20;
    // Beyond the limit posix_fallocate() raises SIGXFSZ, which kills.
    const rlim_t most = limit_of(RLIMIT_FSIZE).rlim_cur;
    if (most < static_cast<rlim_t>(kBytes))
        return fmt::format("files may have {} bytes only (ulimit -f)", most);
    const UniqueFd fd(::memfd_create("tuttirun-doctor", MFD_CLOEXEC));
    if (!fd)
        return fmt::format("memfd_create: {}", std::strerror(errno));
    const int error = ::posix_fallocate(fd.get(), 0, kBytes);
    return error == 0 ? std::string() : fmt::format("{} MiB of it: {}", kBytes >> 20, std::strerror(error));
}

std::vector<std::string> rdma_devices()
{
    std::vector<std::string> devices;
    std::error_code none;
    for (const char* folder : {"/sys/class/infiniband", "/sys/class/cxi"})
        for (const auto& entry : std::filesystem::directory_iterator(folder, none))
            devices.push_back(entry.path().filename());
    std::ranges::sort(devices);
    return devices;
}

void resolve(const std::vector<std::string>& names, Facts& facts)
{
    const auto give_up = std::chrono::steady_clock::now() + kResolvingTimeout;
    for (const std::string& name : names) {
        if (std::chrono::steady_clock::now() > give_up)
            return;  // what is found by now is enough for a warning
        const auto begin = std::chrono::steady_clock::now();
        addrinfo* list = nullptr;
        if (::getaddrinfo(name.c_str(), nullptr, nullptr, &list) == 0)
            ::freeaddrinfo(list);
        else
            facts.unresolved.push_back(name);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        facts.resolving_seconds = std::max(facts.resolving_seconds, taken.count());
    }
}

}  // namespace

void collect_facts(const FactsTask& task, Facts& facts)
{
    utsname system{};
    ::uname(&system);
    facts.host_name = local_host_name();
    facts.version = kVersion;
    facts.pmix_version = ::PMIx_Get_version();
    facts.pmix_version = facts.pmix_version.substr(0, facts.pmix_version.find(" (PMIx"));
    facts.kernel = fmt::format("{} {}", system.sysname, system.release);
    facts.boot_id = first_line("/proc/sys/kernel/random/boot_id");
    // Ranks keep the soft limit of locked memory, but raise that of open files to the hard limit.
    facts.memlock_bytes = limit_of(RLIMIT_MEMLOCK).rlim_cur;
    facts.open_files = limit_of(RLIMIT_NOFILE).rlim_max;
    facts.cross_memory_attach = try_cross_memory_attach();
    facts.shared_memory = try_shared_memory();
    facts.rdma = rdma_devices();
    resolve(task.names, facts);
}

}  // namespace tutti::launcher::doctor
