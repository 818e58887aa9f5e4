// Connections that nobody of the job makes: what is said on them is drawn from a seed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/hostile/job_ports.hpp"

namespace tutti::test {

inline constexpr uid_t kNobody = 65534;

/// What a client of PMIx says first: recorded from one that takes the place of the rank `pid`. Empty where
/// that rank has gone.
std::string record_pmix_hello(pid_t pid);

/// A process of user `user` that does harm at these ports for `duration`. Holds what it has connected to
/// until then.
struct Outsider {
    uid_t user;
    std::uint32_t seed;
    std::vector<JobPort> ports;
    std::chrono::milliseconds duration;
    int ranks;           // of the job: whom one may claim to be
    std::string record;  // to be replayed
};

/// Starts it; the caller waits for its end. It exits with 0, or 1 where it reached none of the ports.
pid_t start(const Outsider& outsider);

}  // namespace tutti::test
