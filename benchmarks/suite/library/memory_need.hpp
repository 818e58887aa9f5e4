// Checks that the hosts of a job have the memory that a benchmark is about to take. Otherwise the kernel
// would kill any process, even one outside the job.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/suite/library/job_under_test.hpp"
#include "benchmarks/suite/library/placement.hpp"

namespace tutti::bench {

struct MemoryNeed {
    double bytes = 0.0;            // that a rank is about to take
    double available_bytes = 0.0;  // on its host, before any rank has taken them
};

/// The available bytes of /proc/meminfo; infinite if it does not say.
double available_bytes(std::string_view meminfo);
/// The available bytes of this host.
double available_bytes();

/// A sentence if one of the hosts has less than its ranks need, else empty. Both arguments have an entry for
/// each rank.
std::string lack_of_memory(std::span<const MemoryNeed> needs, std::span<const int> host_of);

/// All ranks call it before they take `bytes` each. Throws UnsuitableJob at all of them if that is too much.
template <Job B>
void require_memory(B& job, const JobPlacement& placement, double bytes)
{
    const MemoryNeed own{bytes, available_bytes()};
    const std::vector<MemoryNeed> needs = gathered(job, std::span<const MemoryNeed>(&own, 1));
    const std::string lack = lack_of_memory(needs, placement.host_of);
    if (!lack.empty())
        throw UnsuitableJob(lack);
}

}  // namespace tutti::bench
