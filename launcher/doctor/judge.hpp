// The findings of --doctor, with remedies, as lines for people and as a document for programs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "launcher/doctor/doctor_messages.hpp"

namespace tutti::launcher::doctor {

enum class Severity { good, warning, failure };

struct Finding {
    Severity level = Severity::good;
    std::string text;
    std::string remedy{};  // empty where all is well
    // For programs that read findings:
    std::string check{};                     // the check: "cores", "clock"
    std::vector<std::string> hosts{};        // that it is about; of a probe from and to
    std::map<std::string, double> values{};  // "latency_us": 21.5
    // For many hosts, see fold.hpp:
    std::string
        alike{};  // the words that follow the names of hosts with equal findings; empty: it is never folded
    double most = 0;      // "{}" in it stands for the largest of these

    /// A finding about these hosts. Equal findings of several hosts are folded into one line: of one host,
    /// `alike` becomes what follows its name.
    Finding about(std::string its_check, std::vector<std::string> its_hosts,
                  std::map<std::string, double> its_values = {}) const;
    Finding alike_as(std::string its_alike, double its_most = 0) const;
};

inline Finding good(std::string text)
{
    return {Severity::good, std::move(text)};
}
inline Finding warning(std::string text, std::string remedy)
{
    return {Severity::warning, std::move(text), std::move(remedy)};
}
inline Finding failure(std::string text, std::string remedy)
{
    return {Severity::failure, std::move(text), std::move(remedy)};
}

/// "[ok]   text", or "[warn]" and "[FAIL]" with the remedy in lines of its own.
std::string format(const Finding& finding);

/// All findings so far.
class Findings {
public:
    void add(Finding finding) { findings_.push_back(std::move(finding)); }
    std::size_t count(Severity level) const;
    /// "2 warnings, 0 failures"
    std::string summary() const;
    /// A JSON document (docs/guide/doctor.md has its members). `complete`: all checks were made.
    std::string to_json(const std::vector<std::string>& hosts, bool complete) const;

private:
    std::vector<Finding> findings_;
};

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
