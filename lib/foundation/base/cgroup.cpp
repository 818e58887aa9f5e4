#include "lib/foundation/base/cgroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
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

/// The quota in cores from version 1's two files; a quota of -1 means none.
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

/// The bytes in a file; empty for "max".
std::optional<std::uint64_t> bytes_in(const fs::path& file)
{
    std::ifstream stream(file);
    std::uint64_t bytes = 0;
    if (!(stream >> bytes))
        return std::nullopt;
    return bytes;
}

/// The sum of what a file of lines "NAME NUMBER" has under these names.
std::uint64_t sum_in(const fs::path& file, std::initializer_list<std::string_view> names)
{
    std::ifstream stream(file);
    std::uint64_t sum = 0;
    std::string name;
    for (std::uint64_t value = 0; stream >> name >> value;)
        if (std::ranges::find(names, name) != names.end())
            sum += value;
    return sum;
}

/// The number that such a file has under one name; empty when it has none.
std::optional<std::uint64_t> number_in(const fs::path& file, std::string_view wanted)
{
    std::ifstream stream(file);
    std::string name;
    for (std::uint64_t value = 0; stream >> name >> value;)
        if (name == wanted)
            return value;
    return std::nullopt;
}

std::optional<MemoryRoom> room_of(const fs::path& group, const char* limit_file, const char* usage_file,
                                  std::initializer_list<std::string_view> caches)
{
    const std::optional<std::uint64_t> limit = bytes_in(group / limit_file);
    const std::optional<std::uint64_t> used = bytes_in(group / usage_file);
    if (!limit || !used)
        return std::nullopt;
    const std::uint64_t kept = *used - std::min(*used, sum_in(group / "memory.stat", caches));
    return MemoryRoom{*limit - std::min(*limit, kept), *limit};
}

std::optional<MemoryRoom> room_v2(const fs::path& group)
{
    return room_of(group, "memory.max", "memory.current",
                   {"inactive_file", "active_file", "slab_reclaimable"});
}

/// No limit is a number that no machine has.
std::optional<MemoryRoom> room_v1(const fs::path& group)
{
    return room_of(group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                   {"total_inactive_file", "total_active_file"});
}

std::optional<MemoryRoom> room_of_machine(const fs::path& root)
{
    std::ifstream file(root / "proc/meminfo");
    std::uint64_t free_kib = 0;
    std::uint64_t all_kib = 0;
    std::string name;
    std::uint64_t kib = 0;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        if (!(words >> name >> kib))
            continue;
        if (name == "MemAvailable:" || name == "SwapFree:")
            free_kib += kib;
        else if (name == "MemTotal:" || name == "SwapTotal:")
            all_kib += kib;
    }
    if (all_kib == 0)
        return std::nullopt;
    return MemoryRoom{free_kib << 10, all_kib << 10, "this machine"};
}

/// The smallest answer of `group` and of all groups above it, up to the mount. A container sees the host's
/// path but mounts only its own part: the missing folders have no answer, and the top of the mount still
/// counts.
template <typename Read>
auto least_of_groups(const fs::path& mount, fs::path group, Read read) -> decltype(read(mount))
{
    decltype(read(mount)) least;
    while (true) {
        if (const auto found = read(mount / group))
            least = std::min(least.value_or(*found), *found);
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

/// `name` as a whole in a list such as "cpu,cpuacct".
bool lists(const std::string& controllers, const std::string& name)
{
    return ("," + controllers + ",").find("," + name + ",") != std::string::npos;
}

/// The smallest answer of this process's groups, and of those above them, for a controller.
template <typename ReadV2, typename ReadV1>
auto least_for(const fs::path& root, const std::string& controller, ReadV2 read_v2, ReadV1 read_v1)
    -> decltype(read_v2(root))
{
    decltype(read_v2(root)) least;
    const auto consider = [&least](const auto& found) {
        if (found)
            least = std::min(least.value_or(*found), *found);
    };
    const fs::path mounts = root / "sys/fs/cgroup";
    for (const Membership& membership : memberships(root)) {
        if (membership.controllers.empty()) {
            consider(least_of_groups(mounts, membership.group, read_v2));
        } else if (lists(membership.controllers, controller)) {
            consider(least_of_groups(mounts / membership.controllers, membership.group, read_v1));
            // If the mount point lists the controllers in another order, the controller's name is a link to it.
            consider(least_of_groups(mounts / controller, membership.group, read_v1));
        }
    }
    return least;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root)
{
    return least_for(root, "cpu", quota_v2, quota_v1);
}

std::optional<std::uint64_t> out_of_memory_kills(const fs::path& root)
{
    const fs::path mounts = root / "sys/fs/cgroup";
    for (const Membership& membership : memberships(root)) {
        const bool is_v2 = membership.controllers.empty();
        if (!is_v2 && !lists(membership.controllers, "memory"))
            continue;
        const char* const file = is_v2 ? "memory.events" : "memory.oom_control";
        // Beside version 1, version 2 has a folder of its own. In a container the group's own files lie at
        // the top.
        for (const fs::path& mount : {is_v2 ? mounts : mounts / "memory", mounts / "unified"})
            for (const fs::path& group : {membership.group, fs::path()})
                if (const auto kills = number_in(mount / group / file, "oom_kill"))
                    return kills;
    }
    return number_in(root / "proc/vmstat", "oom_kill");
}

std::optional<MemoryRoom> memory_room(const fs::path& root)
{
    const auto named = [](const auto& read) {
        return [read](const fs::path& group) {
            std::optional<MemoryRoom> room = read(group);
            if (room)
                room->owner = fmt::format("memory group {}", group.string());
            return room;
        };
    };
    const std::optional<MemoryRoom> machine = room_of_machine(root);
    const std::optional<MemoryRoom> group = least_for(root, "memory", named(room_v2), named(room_v1));
    return group && (!machine || group->free_bytes < machine->free_bytes) ? group : machine;
}

}  // namespace tutti::base
