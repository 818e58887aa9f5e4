// What --doctor makes of what it has found: sentences with remedies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/doctor/finding.hpp"
#include "launcher/doctor/messages.hpp"

namespace tutti::launcher::doctor {

/// Findings about one host. `here` are the facts of the host that the others are compared with; `several`:
/// there are other hosts, so the network counts.
std::vector<Finding> judge_host(const std::string& name, const Facts& facts, const Facts& here, bool several);

/// Names that do not resolve are no obstacle to Tutti, but to much else.
std::vector<Finding> judge_names(const std::string& name, const Facts& facts);

/// Of two hosts that are one machine.
Finding judge_same_machine(const std::string& name, const std::string& other);

/// `offset_seconds` is how much later the host's clock is, known within `error_seconds`.
Finding judge_clock(const std::string& name, double offset_seconds, double error_seconds);

/// How `from` reaches `to`, two hosts by their names with what their daemons said.
Finding judge_probe(const std::string& from, const Facts& from_facts, const std::string& to,
                    const Facts& to_facts, const ProbeResult& result);

/// Of so many hosts that `from` and `to` do not change places.
Finding note_one_way_probes(std::size_t hosts);

/// Good probes of so many hosts that not all are told.
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
