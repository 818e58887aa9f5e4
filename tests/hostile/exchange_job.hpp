// A job of the program `exchange`, and its processes by what they are.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/multiprocess/on_hosts.hpp"

namespace tutti::test {

/// After which such a job has hung, whatever was done to it: an end takes some ten seconds of patience at
/// most.
inline constexpr std::chrono::seconds kExchangeHungAfter(kSanitized ? 150 : 60);

enum class Role { head, daemon, watchdog, pmix_server, rank, other };
std::string name_of(Role role);

/// A process of the job as /proc shows it: what it is right now, `other` while it becomes something else.
Role role_of(pid_t pid, const Launched& job);

/// How such a job is started.
struct ExchangePlan {
    /// 2 to 5 ranks on this machine as one host, or as several that the network joins.
    /// `until`: seconds, or "input".
    ExchangePlan(std::uint32_t its_seed, std::mt19937& random, std::string until_then);
    Words command() const;
    /// The sorted lines of a job in which all went well.
    Words right_lines() const;

    std::uint32_t seed;
    std::string until;
    std::vector<int> split;  // ranks of each host; one host is this machine itself
    int ranks = 0;
    bool progress_thread = false;
    std::string agent = "plain";  // the mode of what stands for ssh
};

/// Whether all ranks have joined the job, by what it has written so far.
bool has_wired_up(Launched& job, const ExchangePlan& plan);

}  // namespace tutti::test
