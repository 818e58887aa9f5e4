#include "lib/foundation/base/cpus.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "lib/foundation/base/cgroup.hpp"

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
