#include "lib/base/cpus.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace tutti::base {

namespace {

// CPUs' worth of time that the innermost cgroup v2 or v1 grants; a huge number where it sets no bound.
double cgroup_quota()
{
    constexpr double kNoBound = 1e9;
    if (std::ifstream file("/sys/fs/cgroup/cpu.max"); file) {
        std::string quota;
        double period = 0;
        if (file >> quota >> period && quota != "max" && period > 0)
            return std::atof(quota.c_str()) / period;
        return kNoBound;
    }
    std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    double quota = 0;
    double period = 0;
    if (quota_file >> quota && period_file >> period && quota > 0 && period > 0)
        return quota / period;
    return kNoBound;
}

}  // namespace

double machine_cpus()
{
    const double online = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    return std::max(1.0, std::min(online, cgroup_quota()));
}

bool cores_are_shared(int local_ranks)
{
    if (const char* told = std::getenv("TUTTI_SHARED_CORES"); told != nullptr && *told != '\0')
        return *told != '0';
    return local_ranks > machine_cpus();
}

}  // namespace tutti::base
