#include "lib/foundation/base/cpus.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "lib/foundation/base/cgroup.hpp"
#include "lib/foundation/base/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::base {

double machine_cpus()
{
    // Computed once: the quota is read from files, and several callers ask when a rank starts.
    static const double cpus = [] {
        const double online = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
        return std::max(1.0, std::min(online, cpu_quota().value_or(online)));
    }();
    return cpus;
}

bool cores_are_shared(int local_ranks)
{
    if (const char* told = setting("TUTTI_SHARED_CORES"); told != nullptr && *told != '\0') {
        const std::string_view text = told;
        if (text != "0" && text != "1")
            throw Error(
                ErrorCode::invalid_argument, "environment",
                fmt::format("TUTTI_SHARED_CORES={}{} is neither 1 (the ranks of a machine share cores) "
                            "nor 0 (each has its own)",
                            text, origin_of("TUTTI_SHARED_CORES")));
        return text == "1";
    }
    return local_ranks > machine_cpus();
}

bool cores_are_crowded(int local_ranks)
{
    // Measured with `tutti-bench ring` at 8 to 32 ranks on 2 cores.
    constexpr double kRanksACore = 8;
    return local_ranks > kRanksACore * machine_cpus();
}

int cores_owned(int local_ranks)
{
    if (const char* told = setting("TUTTI_CORES"); told != nullptr && *told != '\0') {
        const std::string_view text = told;
        int cores = 0;
        const auto [end, error] = std::from_chars(text.begin(), text.end(), cores);
        if (error != std::errc() || end != text.end() || cores < 1)
            throw Error(ErrorCode::invalid_argument, "environment",
                        fmt::format("TUTTI_CORES={}{} is no number of cores of a rank; write for "
                                    "example TUTTI_CORES=4",
                                    text, origin_of("TUTTI_CORES")));
        return cores;
    }
    if (cores_are_shared(local_ranks))
        return 1;
    const int share = static_cast<int>(machine_cpus() / std::max(1, local_ranks));
    cpu_set_t allowed;
    const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    return std::max(1, known ? std::min(share, CPU_COUNT(&allowed)) : share);
}

int cpu_of(int index, int count) noexcept
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;  // a machine with more CPUs than the set can hold
    const int cpus = CPU_COUNT(&allowed);
    int before = count > cpus ? static_cast<int>(std::int64_t{index} * cpus / count) : index % cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed) && before-- == 0)
            return cpu;
    return -1;
}

void leave_cpu(int cpu) noexcept
{
    cpu_set_t allowed;
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    CPU_CLR(cpu, &allowed);
    if (CPU_COUNT(&allowed) > 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
}

void move_to_cpu(int cpu) noexcept
{
    cpu_set_t allowed;
    if (sched_getcpu() == cpu || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &allowed))
        return;  // the thread was bound to other CPUs in the meantime
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace tutti::base
