// What --doctor says of what it has seen: findings with remedies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/doctor/finding.hpp"
#include "launcher/doctor/messages.hpp"

namespace tutti::launcher::doctor {

/// Whether a scheduler gives the hosts, and can start daemons on them: from the environment and its PATH.
Finding judge_scheduler();

/// Findings about one host. The others are compared with the host of the facts `here`; `several`: there are
/// other hosts, so the network counts.
std::vector<Finding> judge_host(const std::string& name, const Facts& facts, const Facts& here, bool several);

/// Tutti does not need names that resolve, but other programs do.
std::vector<Finding> judge_names(const std::string& name, const Facts& facts);

/// Two hosts are one machine.
Finding judge_same_machine(const std::string& name, const std::string& other);

/// The host's clock is `offset_seconds` ahead, give or take `error_seconds`.
Finding judge_clock(const std::string& name, double offset_seconds, double error_seconds);

/// How host `from` reaches host `to`.
Finding judge_probe(const std::string& from, const Facts& from_facts, const std::string& to,
                    const Facts& to_facts, const ProbeResult& result);

/// There are so many hosts that each pair is probed in one direction only.
Finding note_one_way_probes(std::size_t hosts);

/// Sums up good probes where there are too many to print each.
class ProbeSummary {
public:
    void add(const std::string& from, const std::string& to, const ProbeResult& result);
    bool empty() const noexcept { return count_ == 0; }
    Finding finding() const;

private:
    int count_ = 0;
    double most_latency_seconds_ = 0;
    double least_bytes_per_second_ = 0;
    std::string slowest_;
    std::string narrowest_;
};

}  // namespace tutti::launcher::doctor
