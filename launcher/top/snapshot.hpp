// What tuttirun --top shows of a job at one moment, as the job's tuttirun sends it.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "launcher/report/analysis.hpp"
#include "launcher/report/node_report.hpp"

namespace tutti::launcher {

struct TopSnapshot {
    int job = 0;
    std::string program;
    int ranks = 0;  // 0: they are being started
    int hosts = 0;
    double seconds = 0;     // since the start
    bool complete = false;  // all daemons have answered
    bool ended = false;
    std::vector<RankGroup> groups;  // of each as many ranges as a view can need

    void take(const JobStatus& job_status);

    static auto fields(auto& self)
    {
        return std::tie(self.job, self.program, self.ranks, self.hosts, self.seconds, self.complete,
                        self.ended, self.groups);
    }
};

// The codec of so many fields is large: it is compiled once.
extern template void put<TopSnapshot>(WireWriter& writer, const TopSnapshot& value);
extern template TopSnapshot take<TopSnapshot>(WireReader& reader);

}  // namespace tutti::launcher
