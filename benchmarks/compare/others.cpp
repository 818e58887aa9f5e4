#include "benchmarks/compare/others.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <string>

namespace tutti::bench {

namespace {

// All cores' together: user, nice, system, irq, softirq and steal of /proc/stat. Idle and waiting for disks
// do not count.
double machine_seconds()
{
    std::ifstream stream("/proc/stat");
    std::string name;
    std::array<double, 8> ticks{};
    stream >> name;
    for (double& one : ticks)
        stream >> one;
    ticks[3] = ticks[4] = 0;
    return std::accumulate(ticks.begin(), ticks.end(), 0.0) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// This process's, and those of the programs that it has started and that have ended.
double own_seconds()
{
    double seconds = 0.0;
    for (const __rusage_who who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(who, &used);
        for (const timeval& time : {used.ru_utime, used.ru_stime})
            seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
    return seconds;
}

}  // namespace

Others::Others() : begin_(std::chrono::steady_clock::now()), busy_seconds_(machine_seconds() - own_seconds())
{
}

double Others::share() const
{
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    const double all = elapsed.count() * static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    return std::clamp((machine_seconds() - own_seconds() - busy_seconds_) / all, 0.0, 1.0);
}

}  // namespace tutti::bench
