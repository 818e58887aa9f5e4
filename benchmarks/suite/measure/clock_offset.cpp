#include "benchmarks/suite/measure/clock_offset.hpp"

#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

namespace tutti::bench {

// One kernel, since one start of it, shows one monotonic clock; a time namespace shifts it.
std::uint64_t clock_identity()
{
    std::string boot;
    if (!std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot))
        return 0;
    std::string time_space(64, '\0');
    const ssize_t length = readlink("/proc/self/ns/time", time_space.data(), time_space.size());
    time_space.resize(length > 0 ? static_cast<std::size_t>(length) : 0);  // none before Linux 5.6
    return std::hash<std::string>{}(boot + ' ' + time_space);
}

}  // namespace tutti::bench
