#include "lib/foundation/base/proc.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::base {

bool proc_has_our_numbers() noexcept
{
    std::array<char, 32> target{};
    return ::readlink("/proc/self", target.data(), target.size() - 1) > 0 &&
           std::atoi(target.data()) == ::getpid();
}

// The kernel describes the process's descriptor in the numbers of the /proc that is asked.
std::string proc_folder(pid_t pid)
{
    const std::string folder = "/proc/";
    if (proc_has_our_numbers())
        return folder + std::to_string(pid);
    const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    std::ifstream facts(folder + "self/fdinfo/" + std::to_string(process.get()));
    constexpr std::string_view kTitle = "Pid:\t";
    for (std::string line; process && std::getline(facts, line);)
        if (line.starts_with(kTitle) && std::atoi(line.c_str() + kTitle.size()) > 0)
            return folder + line.substr(kTitle.size());
    return folder + "none";
}

}  // namespace tutti::base
