#include "lib/foundation/control/job_description.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace tutti::control {

// "KEY HOSTS host... nodes...": a node is written as NODExCOUNT for consecutive ranks on it.
std::string JobDescription::to_text() const
{
    std::string text = fmt::format("{} {}", key, hosts.size());
    for (const std::string& host : hosts)
        text += ' ' + host;
    for (std::size_t rank = 0; rank < node_of_rank.size();) {
        const auto same =
            std::find_if(node_of_rank.begin() + static_cast<std::ptrdiff_t>(rank), node_of_rank.end(),
                         [node = node_of_rank[rank]](int other) { return other != node; });
        const auto end = static_cast<std::size_t>(same - node_of_rank.begin());
        text += fmt::format(" {}x{}", node_of_rank[rank], end - rank);
        rank = end;
    }
    return text;
}

std::optional<JobDescription> JobDescription::from_text(std::string_view text)
{
    constexpr std::size_t kMostRanks = 1u << 23;
    std::istringstream words{std::string(text)};
    JobDescription job;
    std::size_t hosts = 0;
    if (!(words >> job.key >> hosts))
        return std::nullopt;
    std::string word;
    while (job.hosts.size() < hosts && words >> word)
        job.hosts.push_back(word);
    int node = 0;
    char cross = 0;
    std::size_t count = 0;
    while (words >> node >> cross >> count) {
        const bool real = node >= 0 && static_cast<std::size_t>(node) < hosts && cross == 'x' &&
                          count <= kMostRanks - job.node_of_rank.size();
        if (!real)
            return std::nullopt;
        job.node_of_rank.insert(job.node_of_rank.end(), count, node);
    }
    const bool whole = words.eof() && job.hosts.size() == hosts && !job.node_of_rank.empty();
    return whole ? std::optional(std::move(job)) : std::nullopt;
}

}  // namespace tutti::control
