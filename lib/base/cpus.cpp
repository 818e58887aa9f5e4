#include "lib/base/cpus.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "lib/base/cgroup.hpp"

namespace tutti::base {

double machine_cpus()
{
    const double online = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    return std::max(1.0, std::min(online, cpu_quota().value_or(online)));
}

bool cores_are_shared(int local_ranks)
{
    if (const char* told = std::getenv("TUTTI_SHARED_CORES"); told != nullptr && *told != '\0')
        return *told != '0';
    return local_ranks > machine_cpus();
}

bool cores_are_crowded(int local_ranks)
{
    constexpr double kCrowd = 8;  // ranks a core; measured with `tutti-bench ring` at 8 to 32 ranks on 2 cores
    return local_ranks > kCrowd * machine_cpus();
}

}  // namespace tutti::base
