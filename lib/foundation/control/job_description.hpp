// What a rank needs to know of its job, from its daemon: for ranks whom the PMIx server does not take for the
// job's user.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::control {

/// Fetched as `kJobName` of rank `kJobRank`.
inline constexpr const char* kJobName = "job";
inline constexpr int kJobRank = -1;

struct JobDescription {
    std::string key;                 // as hexadecimal digits
    std::vector<std::string> hosts;  // by node
    std::vector<int> node_of_rank;   // for each rank of the job

    std::string to_text() const;
    /// Nothing for what no to_text() gives.
    static std::optional<JobDescription> from_text(std::string_view text);
};

}  // namespace tutti::control
