// The file of --trace: FILE.json or FILE.html.
#pragma once

#include <vector>

#include "launcher/base/report_file.hpp"
#include "launcher/job/job_plan.hpp"
#include "launcher/profile/rank_profile.hpp"
#include "launcher/profile/trace_clocks.hpp"

namespace tutti::launcher {

class TraceFile {
public:
    /// `options` must outlive this. Throws UsageError when the file cannot be written.
    explicit TraceFile(const JobOptions& options);

    /// At the end, where it is wanted. May wait for a reader of the file. What was dropped, or cannot be
    /// written, is reported on stderr.
    void write(const JobMap& map, std::vector<RankProfile> profiles,
               const std::vector<ClockTrack>& clocks) const;

private:
    const JobOptions& options_;
    const ReportFile file_;
};

}  // namespace tutti::launcher
