#include "launcher/report/process_state.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "lib/foundation/base/proc.hpp"

namespace tutti::launcher {

std::optional<ProcessState> state_of_process(pid_t pid)
{
    std::ifstream file(base::proc_folder(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')');  // the name may hold anything
    if (name_end == std::string::npos)
        return std::nullopt;
    std::istringstream fields(text.substr(name_end + 1));
    ProcessState state;
    fields >> state.letter;
    constexpr int kUserTime = 14;
    constexpr int kThreads = 20;
    constexpr int kResidentPages = 24;
    std::uint64_t value = 0;
    std::string field;
    for (int number = 4; number <= kResidentPages && fields >> field; ++number) {
        if (number < kUserTime)
            continue;
        value = std::strtoull(field.c_str(), nullptr, 10);
        if (number <= kUserTime + 1)
            state.processor_ticks += value;
        else if (number == kThreads)
            state.threads = static_cast<int>(value);
        else if (number == kResidentPages)
            state.resident_bytes = value * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    }
    return state;
}

std::uint64_t swapped_bytes(pid_t pid)
{
    std::ifstream file(base::proc_folder(pid) + "/status");
    return swapped_bytes(file);
}

std::uint64_t swapped_bytes(std::istream& status)
{
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmSwap:"))
            return std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10) << 10;
    return 0;
}

bool is_own_process(pid_t pid) noexcept
{
    struct stat status {};
    return pid > 0 && ::stat(base::proc_folder(pid).c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

}  // namespace tutti::launcher
