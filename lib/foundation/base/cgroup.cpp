#include "lib/foundation/base/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace tutti::base {
namespace {

namespace fs = std::filesystem;

/// Quota and period, in microseconds, as version 2 keeps them: "150000 100000" or "max 100000".
std::optional<double> quota_v2(const fs::path& group)
{
    std::ifstream file(group / "cpu.max");
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max" || period <= 0)
        return std::nullopt;
    return std::atof(quota.c_str()) / period;
}

/// The same from version 1's two files; a quota of -1 means none.
std::optional<double> quota_v1(const fs::path& group)
{
    std::ifstream quota_file(group / "cpu.cfs_quota_us");
    std::ifstream period_file(group / "cpu.cfs_period_us");
    double quota = 0;
    double period = 0;
    if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0)
        return std::nullopt;
    return quota / period;
}

/// The smallest quota of `group` and of all groups above it, up to the mount. A container sees the host's
/// path but mounts only its own part: the missing folders have no answer, and the top of the mount still
/// counts.
template <typename Read>
std::optional<double> least_quota(const fs::path& mount, fs::path group, Read read)
{
    std::optional<double> least;
    while (true) {
        if (const std::optional<double> quota = read(mount / group))
            least = std::min(least.value_or(*quota), *quota);
        if (group.empty())
            return least;
        group = group.parent_path();
    }
}

/// A line of /proc/self/cgroup.
struct Membership {
    std::string controllers;  // empty for version 2
    fs::path group;           // relative to the mount
};

/// The format of a line is "ID:CONTROLLERS:PATH"; other lines are skipped.
std::vector<Membership> memberships(const fs::path& root)
{
    std::vector<Membership> result;
    std::ifstream file(root / "proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first != std::string::npos && second != std::string::npos) {
            result.push_back({line.substr(first + 1, second - first - 1),
                              fs::path(line.substr(second + 1)).relative_path().lexically_normal()});
        }
    }
    return result;
}

/// "cpu" as a whole name in a list such as "cpu,cpuacct".
bool controls_cpu(const std::string& controllers)
{
    return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root)
{
    std::optional<double> least;
    const auto consider = [&least](std::optional<double> quota) {
        if (quota)
            least = std::min(least.value_or(*quota), *quota);
    };
    const fs::path mounts = root / "sys/fs/cgroup";
    for (const Membership& membership : memberships(root)) {
        if (membership.controllers.empty()) {
            consider(least_quota(mounts, membership.group, quota_v2));
        } else if (controls_cpu(membership.controllers)) {
            consider(least_quota(mounts / membership.controllers, membership.group, quota_v1));
            // If the mount point lists the controllers in another order, "cpu" is a link to it.
            consider(least_quota(mounts / "cpu", membership.group, quota_v1));
        }
    }
    return least;
}

}  // namespace tutti::base
