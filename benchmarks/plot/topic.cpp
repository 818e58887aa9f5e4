#include "benchmarks/plot/topic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "benchmarks/plot/plot_words.hpp"

namespace tutti::bench {

namespace {

// What may stand in a file's name and in a link. Names come from files that others wrote.
std::string plain(const std::string& name)
{
    std::string kept;
    for (const char letter : name)
        kept += std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ? letter : '-';
    return kept.empty() ? "benchmark" : kept;
}

Topic topic_of(const record::Case& which, const record::Comparison& comparison)
{
    Topic topic{.name = fmt::format("{}-{}", plain(which.quantity.benchmark), which.quantity.ranks),
                .title = which.quantity.title,
                .job = job_text(which.quantity.ranks, which.quantity.hosts, which.binding),
                .quantity = which.quantity,
                .series = {},
                .limits = {},
                .which = &which,
                .comparison = &comparison,
                .runs = {}};
    for (const std::string& library : which.libraries) {
        Figures series{which.library_names.at(library), library, {}};
        for (const record::CaseRow& row : which.rows) {
            const auto found = row.libraries.find(library);
            if (found != row.libraries.end())
                series.rows.push_back({row.key, row.labels, found->second});
        }
        if (!series.rows.empty())
            topic.series.push_back(std::move(series));
    }
    for (const record::CaseRow& row : which.rows) {
        if (row.limit)
            topic.limits.push_back({row.limit_name, row.key, *row.limit});
    }
    return topic;
}

// "Open MPI 4.1.4" is drawn as openmpi is.
std::string library_of(const std::string& name)
{
    std::string letters;
    for (const char letter : name) {
        if (std::isalpha(static_cast<unsigned char>(letter)) != 0)
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return letters;
}

Figures series_of(const record::Run& run)
{
    Figures series{run.library, library_of(run.library), {}};
    for (const record::RunRow& row : run.rows)
        series.rows.push_back({row.key, row.labels, {row.median, row.interval}});
    return series;
}

bool all_differ(const std::vector<Figures>& series)
{
    std::set<std::string> names;
    return std::all_of(series.begin(), series.end(),
                       [&](const Figures& one) { return names.insert(one.name).second; });
}

bool same_quantity(const record::Quantity& a, const record::Quantity& b)
{
    return a.benchmark == b.benchmark && a.key == b.key && a.value == b.value && a.unit == b.unit &&
           a.labels == b.labels;
}

void distinguish(Topic& topic)
{
    const record::Quantity& first = topic.runs.front()->quantity;
    const bool same_job = std::all_of(topic.runs.begin(), topic.runs.end(), [&](const record::Run* run) {
        return run->quantity.ranks == first.ranks && run->quantity.hosts == first.hosts;
    });
    if (same_job) {
        topic.job = job_text(first.ranks, first.hosts, "");
        topic.name += fmt::format("-{}", first.ranks);
    }
    for (std::size_t i = 0; i < topic.runs.size() && !same_job; ++i)
        topic.series[i].name +=
            ", " + job_text(topic.runs[i]->quantity.ranks, topic.runs[i]->quantity.hosts, "");
    if (all_differ(topic.series))
        return;
    for (std::size_t i = 0; i < topic.runs.size(); ++i)
        topic.series[i].name += ", " + std::filesystem::path(topic.runs[i]->file).stem().string();
}

std::vector<Topic> topics_of_runs(const std::vector<record::Record>& records)
{
    std::vector<Topic> topics;
    for (const record::Record& one : records) {
        const record::Run* const run = std::get_if<record::Run>(&one);
        if (run == nullptr)
            continue;
        auto found = std::find_if(topics.begin(), topics.end(), [&](const Topic& topic) {
            return same_quantity(topic.quantity, run->quantity);
        });
        if (found == topics.end()) {
            found = topics.insert(found, Topic{});
            found->name = plain(run->quantity.benchmark);
            found->title = run->quantity.title;
            found->quantity = run->quantity;
        }
        found->runs.push_back(run);
        found->series.push_back(series_of(*run));
    }
    std::for_each(topics.begin(), topics.end(), distinguish);
    return topics;
}

}  // namespace

std::vector<Topic> topics_of(const std::vector<record::Record>& records)
{
    std::vector<Topic> topics;
    for (const record::Record& one : records) {
        if (const record::Comparison* const comparison = std::get_if<record::Comparison>(&one)) {
            for (const record::Case& which : comparison->cases)
                topics.push_back(topic_of(which, *comparison));
        }
    }
    for (Topic& topic : topics_of_runs(records))
        topics.push_back(std::move(topic));
    std::set<std::string> names;
    for (Topic& topic : topics) {
        const std::string name = topic.name;
        for (int i = 2; !names.insert(topic.name).second; ++i)
            topic.name = fmt::format("{}-{}", name, i);
    }
    return topics;
}

}  // namespace tutti::bench
