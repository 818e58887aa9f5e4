// What --doctor makes of what it has found: sentences with remedies.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/doctor/messages.hpp"

namespace tutti::launcher::doctor {

enum class Level { good, warning, failure };

struct Finding {
    Level level = Level::good;
    std::string text;
    std::string remedy{};  // empty for what is good
    // For programs that read findings:
    std::string check{};                     // what was looked at: "cores", "clock"
    std::vector<std::string> hosts{};        // whom it is about; of a probe from and to
    std::map<std::string, double> values{};  // "latency_us": 21.5
};

/// "[ok]   text", or "[warn]" and "[FAIL]" with the remedy in lines of its own.
std::string format(const Finding& finding);

/// All findings as a JSON document (docs/launching.md has its members); `complete` says whether the doctor
/// came to its end.
std::string to_json(const std::vector<std::string>& hosts, const std::vector<Finding>& findings,
                    bool complete);

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
