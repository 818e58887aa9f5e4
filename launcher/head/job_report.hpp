// How the job has gone: which ranks ended how, and what ended the job. For --report-json, and for the line
// about ranks that have died alike.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/base/option_values.hpp"
#include "launcher/base/report_file.hpp"
#include "launcher/head/loss_policy.hpp"
#include "launcher/job/job_messages.hpp"
#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {

class JobReport {
public:
    /// `options` must outlive this. Throws UsageError when the file of --report-json cannot be written.
    explicit JobReport(const JobOptions& options);

    void placed(const JobMap& map);
    void rank_ended(const ExitReport& report) { ends_[report.rank] = report; }
    /// What ends the job. The first cause counts.
    void ends_by(const Verdict& verdict);

    /// "ranks 0, 2-9 (on a, b) died alike": those that crashed as the rank did that ended the job. Empty
    /// where there are none.
    std::string died_alike() const;
    /// The document of --report-json.
    std::string to_json(int exit_status) const;
    /// Writes that document, where it is wanted. May wait for a reader of it; a failure to write it is
    /// reported on stderr.
    void write(const std::string& json) const;

private:
    std::vector<std::string> hosts_of(const std::vector<int>& ranks) const;
    /// Ranks by what became of them.
    std::map<std::string, std::vector<int>> outcomes() const;

    const JobOptions& options_;
    const ReportFile file_;
    const std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
    std::vector<std::string> node_names_;
    std::vector<int> node_of_rank_;
    std::map<int, ExitReport> ends_;
    std::optional<Verdict> cause_;
};

}  // namespace tutti::launcher
