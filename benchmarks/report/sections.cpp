#include "benchmarks/report/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "benchmarks/compare/modes.hpp"

#include "benchmarks/report/escape.hpp"
#include "benchmarks/suite/measure/statistics.hpp"

namespace tutti::bench {

namespace {

using namespace record;

// Without what changes from run to run on the same machine.
nlohmann::json lasting_part(nlohmann::json environment)
{
    if (!environment.is_object())
        return environment;
    for (const char* const name : {"date", "load", "usable_cores", "binding"})
        environment.erase(name);
    return environment;
}

// Limits are measured, too, and have an error of some percent.
constexpr double kDoubtful = 1.1;

struct Doubts {
    double others_share = 0.0;
    std::size_t beyond_limit = 0;
    std::vector<double> trips_ns;  // of all runs

    void count(const Beside& beside) { beyond_limit += beside.share.value_or(0) > kDoubtful ? 1 : 0; }

    void count(const Case& one)
    {
        others_share = std::max(others_share, one.others_share.value_or(0));
        for (const CaseRow& row : one.rows) {
            count(row);
            count(row.allocated.value_or(Beside{}));
        }
        if (one.rows.empty())
            return;
        for (const auto& [library, measured] : one.rows.front().libraries)  // a run has all rows
            trips_ns.insert(trips_ns.end(), measured.trips_ns.begin(), measured.trips_ns.end());
    }
};

}  // namespace

std::vector<std::string> admissions(const std::vector<Record>& records)
{
    std::vector<std::string> found;
    for (const Record& one : records) {
        const auto* const comparison = std::get_if<Comparison>(&one);
        if (comparison == nullptr || comparison->cases.empty())
            continue;
        Doubts doubts;
        for (const Case& which : comparison->cases)
            doubts.count(which);
        found.push_back(fmt::format("Other programs had up to {:.0f} % of the cores while it was measured.",
                                    100 * doubts.others_share));
        if (doubts.beyond_limit > 0)
            found.push_back(fmt::format(
                "Rows beyond the limit of the machine: {}, as something else ran while limits were measured.",
                doubts.beyond_limit));
        const double usual_ns = median(doubts.trips_ns);
        const auto in_other_mode =
            std::ranges::count_if(doubts.trips_ns, [&](double ns) { return !is_same_mode(ns, usual_ns); });
        if (in_other_mode > 0)
            found.push_back(fmt::format(
                "{} of {} runs were taken in another mode of the machine, in which cores are not {:.0f} ns "
                "apart as usual.",
                in_other_mode, doubts.trips_ns.size(), usual_ns));
    }
    return found;
}

std::vector<std::string> reading_help(const std::vector<Record>& records)
{
    const auto comparisons = std::count_if(records.begin(), records.end(), [](const Record& one) {
        return std::holds_alternative<Comparison>(one);
    });
    std::vector<std::string> help = {
        "Each figure is a median. The smaller figures with it are the 95 % interval in which "
        "the true median lies; in pictures, where both axes are logarithmic, these intervals "
        "are bands, often narrower than the line."};
    if (comparisons > 0) {
        help.push_back(
            "Libraries took turns, each run a job of its own; a figure is the median over its "
            "runs. A peer stands as it is and, where its name says \u201ctuned\u201d, with settings that "
            "suit one host. "
            "Buffers come from malloc; \u201callocate\u201d is Tutti with those of tutti::allocate, beside "
            "the same "
            "peers. The ratio is Tutti's time by that of the best peer, or the best peer's rate by "
            "Tutti's: below 1 is better. \u201cFaster\u201d and \u201cslower\u201d stand only where "
            "the ratio's 95 % interval excludes 1; all else is \u201csame\u201d. How many times "
            "as fast Tutti is: the geometric mean over a case's rows.");
        help.push_back(
            "Of the limit: how much Tutti reaches of what the machine itself allows, measured in "
            "the same go; 100 % is at the limit. In pictures, limits are grey dashed lines.");
    }
    if (comparisons < std::ssize(records))
        help.push_back(
            "Tables of single runs have percentiles over iterations. Outliers are counted and "
            "shown, never dropped.");
    return help;
}

std::vector<Origin> origins_of(const std::vector<Record>& records)
{
    std::vector<Origin> origins;
    std::vector<nlohmann::json> environments;
    for (const Record& one : records) {
        const auto [file, command, environment] = std::visit(
            [](const auto& record) { return std::tie(record.file, record.command, record.environment); },
            one);
        const nlohmann::json whole = environment ? *environment : nlohmann::json();
        const nlohmann::json lasting = lasting_part(whole);
        const auto found = std::find(environments.begin(), environments.end(), lasting);
        const auto index = static_cast<std::size_t>(found - environments.begin());
        if (found == environments.end()) {
            environments.push_back(lasting);
            origins.push_back({{}, {}, facts_of(whole)});
        }
        origins[index].files.push_back(std::filesystem::path(file).filename().string());
        std::vector<std::string>& commands = origins[index].commands;
        const std::string text = command_text(command);
        if (!text.empty() && std::find(commands.begin(), commands.end(), text) == commands.end())
            commands.push_back(text);
    }
    return origins;
}

std::vector<TopicGroup> groups_of(const std::vector<Topic>& topics)
{
    std::vector<TopicGroup> groups;
    for (const Topic& topic : topics) {
        std::string name = topic.which == nullptr ? "Runs" : topic.which->group;
        if (name.empty())
            name = "Comparisons";
        name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
        auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const TopicGroup& group) { return group.name == name; });
        if (found == groups.end())
            found = groups.insert(found, {name, {}});
        found->topics.push_back(&topic);
    }
    return groups;
}

std::string heading_of(const Topic& topic)
{
    return topic.job.empty() ? topic.title : topic.title + ", " + topic.job;
}

}  // namespace tutti::bench
