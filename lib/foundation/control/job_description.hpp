// What a rank must know of its job, from its daemon: for ranks that the PMIx server does not accept as the
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
    /// Nothing when `text` is not a result of to_text().
    static std::optional<JobDescription> from_text(std::string_view text);
};

}  // namespace tutti::control
