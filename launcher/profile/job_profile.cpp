#include "launcher/profile/job_profile.hpp"

#include <ostream>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/profile/summary.hpp"
#include "launcher/wire/wire.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::launcher {

namespace {

std::string checked(const std::string& path)
{
    if (!path.empty() && !path.ends_with(".json") && !path.ends_with(".html"))
        throw UsageError(fmt::format("--stats={}: the file's name must end in .json or .html", path));
    return path;
}

}  // namespace

JobProfile::JobProfile(const JobOptions& options)
    : options_(options), file_("--stats", checked(options.stats.value_or("")))
{
}

void JobProfile::placed(const JobMap& map)
{
    for (const RankPlacement& placement : map.ranks) {
        node_of_rank_.push_back(placement.node);
        host_of_rank_.push_back(map.nodes.at(static_cast<std::size_t>(placement.node)).name);
    }
}

void JobProfile::add(int node, std::string_view payload)
{
    if (std::optional<RankProfile> profile = parts_.add(payload)) {
        const auto rank = static_cast<std::size_t>(profile->rank);
        if (rank >= node_of_rank_.size() || node_of_rank_[rank] != node)
            throw WireError("a profile of a rank that is not there");
        profiles_.push_back(std::move(*profile));
    }
}

void JobProfile::print() const
{
    if (!options_.stats)
        return;
    const Statistics statistics = Statistics::of(profiles_, host_of_rank_);
    const std::string& path = *options_.stats;
    if (path.empty()) {
        base::say("tuttirun: " + summary_of(statistics));
        return;
    }
    std::vector<std::vector<std::string>> programs;
    for (const AppContext& app : options_.apps)
        programs.push_back(app.argv);
    file_.write([&](std::ostream& out) {
        out << (path.ends_with(".json") ? json_of(statistics, programs) : page_of(statistics, programs));
    });
}

}  // namespace tutti::launcher
