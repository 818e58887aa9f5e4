// The head's part of profiles: collects those of all ranks, and writes the report of --stats at the end.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/base/report_file.hpp"
#include "launcher/job/job_plan.hpp"
#include "launcher/profile/profile_frames.hpp"

namespace tutti::launcher {

class JobProfile {
public:
    /// `options` must outlive this. Throws UsageError when a file cannot be written, or has a wrong ending.
    explicit JobProfile(const JobOptions& options);

    void placed(const JobMap& map);
    /// A frame of the daemon of `node`. Throws WireError.
    void add(int node, std::string_view payload);
    std::vector<RankProfile> take() noexcept { return std::move(profiles_); }
    /// At the end: on stderr, or to the file, whose reader it may wait for. What cannot be written is
    /// reported on stderr.
    void print() const;

private:
    const JobOptions& options_;
    const ReportFile file_;
    std::vector<int> node_of_rank_;
    std::vector<std::string> host_of_rank_;
    ProfileParts parts_;
    std::vector<RankProfile> profiles_;
};

}  // namespace tutti::launcher
