// The placement of a job's ranks: the number of hosts, and the CPUs.
#pragma once

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/suite/library/job_under_test.hpp"

namespace tutti::bench {

struct JobPlacement {
    int hosts = 1;
    bool core_each = true;          // no host has more ranks than CPUs that these may use
    std::vector<std::string> cpus;  // of each rank: "3" or "0-1"
    std::vector<int> host_of;       // of each rank: 0 for rank 0's host, 1 for the next other one ...
};

namespace detail {

inline constexpr std::size_t kMaskWords = 16;  // 1024 CPUs, what cpu_set_t holds

// What each rank says about itself, as plain memory.
struct Seat {
    std::uint64_t host = 0;
    std::array<std::uint64_t, kMaskWords> mask{};

    bool may_use(std::size_t cpu) const { return (mask[cpu / 64] >> (cpu % 64) & 1) != 0; }
};

inline Seat own_seat()
{
    Seat seat;
    utsname names{};
    uname(&names);
    seat.host = std::hash<std::string_view>{}(names.nodename);
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (std::size_t cpu = 0; cpu < 64 * kMaskWords; ++cpu) {
        if (CPU_ISSET(cpu, &set))
            seat.mask[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
    }
    return seat;
}

// "0-3,8"
inline std::string as_list(const Seat& seat)
{
    std::string text;
    for (std::size_t cpu = 0; cpu < 64 * kMaskWords; ++cpu) {
        if (!seat.may_use(cpu))
            continue;
        std::size_t last = cpu;
        while (last + 1 < 64 * kMaskWords && seat.may_use(last + 1))
            ++last;
        text += text.empty() ? "" : ",";
        text += std::to_string(cpu);
        if (last > cpu)
            text.append("-").append(std::to_string(last));
        cpu = last;
    }
    return text;
}

}  // namespace detail

/// All ranks call it, and all get the same answer.
template <Job B>
JobPlacement placement_of(B& job)
{
    const detail::Seat own = detail::own_seat();
    const std::vector<detail::Seat> seats = gathered(job, std::span<const detail::Seat>(&own, 1));
    JobPlacement placement;
    std::vector<std::uint64_t> hosts;
    for (const detail::Seat& seat : seats) {
        placement.cpus.push_back(detail::as_list(seat));
        const auto found = std::find(hosts.begin(), hosts.end(), seat.host);
        placement.host_of.push_back(static_cast<int>(found - hosts.begin()));
        if (found == hosts.end())
            hosts.push_back(seat.host);
    }
    placement.hosts = static_cast<int>(hosts.size());
    for (const std::uint64_t host : hosts) {
        std::size_t ranks = 0;
        detail::Seat together;
        for (const detail::Seat& seat : seats) {
            if (seat.host != host)
                continue;
            ++ranks;
            for (std::size_t word = 0; word < detail::kMaskWords; ++word)
                together.mask[word] |= seat.mask[word];
        }
        std::size_t cpus = 0;
        for (std::size_t cpu = 0; cpu < 64 * detail::kMaskWords; ++cpu)
            cpus += together.may_use(cpu) ? 1 : 0;
        placement.core_each = placement.core_each && ranks <= cpus;
    }
    return placement;
}

}  // namespace tutti::bench
