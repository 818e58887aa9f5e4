// The ports that a job's processes listen at, as anybody on the host may find them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "tests/hostile/exchange_job.hpp"

namespace tutti::test {

struct JobPort {
    std::uint16_t port;
    std::uint32_t address;  // IPv4, in network byte order: one at which it is reached
    pid_t owner;
    Role role;  // of the owner
};

std::vector<JobPort> job_ports(const Launched& job);

}  // namespace tutti::test
