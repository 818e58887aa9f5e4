// How long a launcher takes for a program that does nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "benchmarks/peers/contender.hpp"

namespace tutti::bench {

/// Seconds from starting each contender's launcher to its end, for a program that joins the job and leaves
/// it, by the contender's name; interleaved (A B C A B C ...), after one untimed round. A run that fails or
/// takes longer than `timeout_seconds` is reported on stderr, and its contender has no more runs.
std::map<std::string, std::vector<double>> time_launches(const std::vector<Contender>& contenders, int ranks,
                                                         const Hosts& hosts, int repetitions,
                                                         double timeout_seconds);

}  // namespace tutti::bench
