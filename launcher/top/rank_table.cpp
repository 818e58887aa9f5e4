#include "launcher/top/rank_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "launcher/report/report_words.hpp"

namespace tutti::launcher {

namespace {

constexpr std::size_t kLeastForWords = 24;
constexpr std::size_t kUsualColumns = 3;  // the first ones, which are never left out

struct Column {
    const char* title;
    std::size_t width;
    std::string (*cell)(const RankGroup& group, std::size_t width);
};

double share_of_rank(const RankGroup& group, double sum)
{
    return group.load.ranks > 0 ? sum / group.load.ranks : 0;
}

std::string short_time(double seconds)
{
    constexpr double kMinute = 60;
    constexpr double kHour = 60 * kMinute;
    if (seconds < 2 * kMinute)
        return fmt::format("{:.0f}s", std::floor(seconds));
    return seconds < 2 * kHour ? fmt::format("{:.0f}m", std::floor(seconds / kMinute))
                               : fmt::format("{:.0f}h", std::floor(seconds / kHour));
}

/// In the order in which they are given up, the last one first.
constexpr std::array kColumns{
    Column{"RANKS", 12,
           [](const RankGroup& group, std::size_t width) {
               return short_ranks(group.ranks, group.load.ranks, width);
           }},
    Column{"TIME", 4, [](const RankGroup& group, std::size_t) { return short_time(group.most_seconds); }},
    Column{"CPU%", 4,
           [](const RankGroup& group, std::size_t) {
               return fmt::format("{:.0f}", 100 * share_of_rank(group, group.load.processors));
           }},
    Column{"OUT/S", 5,
           [](const RankGroup& group, std::size_t) { return short_bytes(group.load.sent_bytes_per_second); }},
    Column{"MEM", 5,
           [](const RankGroup& group, std::size_t) {
               return short_bytes(static_cast<double>(group.load.resident_bytes));
           }},
    Column{"MSG/S", 5,
           [](const RankGroup& group, std::size_t) { return short_number(group.load.messages_per_second); }},
    Column{"QUEUES", 7,
           [](const RankGroup& group, std::size_t) {
               return fmt::format("{}/{}", group.load.posted, group.load.unexpected);
           }},
    Column{"CALLS/S", 7,
           [](const RankGroup& group, std::size_t) { return short_number(group.load.calls_per_second); }},
    Column{"IN/S", 5, [](const RankGroup& group, std::size_t) {
               return short_bytes(group.load.arrived_bytes_per_second);
           }}};

std::string cut(std::string text, std::size_t width)
{
    if (text.size() > width)
        text = width > 2 ? text.substr(0, width - 2) + ".." : text.substr(0, width);
    return text;
}

std::string state_in_words(const RankGroup& group)
{
    const bool has_call = group.operation != observe::Operation::none;
    const std::string after = has_call ? " after " + call_in_words(group) : "";
    switch (group.state) {
        case RankState::waiting:
            return has_call ? call_in_words(group) : "in a call";
        case RankState::computing:
            return "computing" + after;
        case RankState::polling:
            return "polling" + after;
        case RankState::sleeping:
            return "asleep" + after;
        case RankState::stopped:
            return "stopped" + after;
        case RankState::traced:
            return "in a debugger" + after;
        case RankState::left:
            return "has left the job";
        case RankState::ended:
            return "has ended";
        case RankState::unknown:
            break;
    }
    return "has not joined the job";
}

std::string scaled(double value, double unit, std::string_view letters)
{
    std::size_t power = 0;
    while (value >= (power == 0 ? 1000 : 999.5) && power < letters.size()) {
        value /= unit;
        ++power;
    }
    if (power == 0)
        return fmt::format("{:.0f}", value);
    return value < 9.95 ? fmt::format("{:.1f}{}", value, letters[power - 1])
                        : fmt::format("{:.0f}{}", value, letters[power - 1]);
}

double value_of(const RankGroup& group, TopOrder order)
{
    switch (order) {
        case TopOrder::processors:
            return share_of_rank(group, group.load.processors);
        case TopOrder::memory:
            return static_cast<double>(group.load.resident_bytes);
        case TopOrder::bytes:
            return group.load.sent_bytes_per_second + group.load.arrived_bytes_per_second;
        case TopOrder::ranks:
            return group.load.ranks;
        case TopOrder::time:
            break;
    }
    // Those that wait come first, and those that are gone last.
    constexpr double kFar = 1e12;
    const bool gone = group.state >= RankState::left;
    return group.most_seconds + (group.in_call() ? kFar : 0) - (gone ? kFar : 0);
}

}  // namespace

std::vector<const RankGroup*> ordered(const TopSnapshot& snapshot, TopOrder order)
{
    std::vector<const RankGroup*> groups;
    for (const RankGroup& group : snapshot.groups)
        groups.push_back(&group);
    std::ranges::stable_sort(groups, std::greater<>(),
                             [order](const RankGroup* group) { return value_of(*group, order); });
    return groups;
}

std::vector<std::string> head_lines(const TopSnapshot& snapshot)
{
    std::vector<std::string> lines{
        fmt::format("job {}: {} rank{} of {} on {} host{}, for {}", snapshot.job, snapshot.ranks,
                    snapshot.ranks == 1 ? "" : "s", snapshot.program.substr(snapshot.program.rfind('/') + 1),
                    snapshot.hosts, snapshot.hosts == 1 ? "" : "s", duration_in_words(snapshot.seconds))};
    if (snapshot.ended || snapshot.ranks == 0) {
        lines.push_back(snapshot.ended ? "the job has ended" : "the job is being started");
        return lines;
    }
    RankLoad sum;
    const RankGroup* longest = nullptr;
    for (const RankGroup& group : snapshot.groups) {
        sum.add(group.load);
        if (group.in_call() && group.most_seconds >= 1 &&
            (longest == nullptr || longest->most_seconds < group.most_seconds))
            longest = &group;
    }
    lines.push_back(fmt::format("{}B/s, {} messages/s, CPU {:.0f} %, {}B of memory{}",
                                short_bytes(sum.sent_bytes_per_second), short_number(sum.messages_per_second),
                                100 * sum.processors, short_bytes(static_cast<double>(sum.resident_bytes)),
                                snapshot.complete ? "" : "; not all daemons answer"));
    lines.push_back(longest == nullptr
                        ? "no rank waits for a second"
                        : fmt::format("longest wait: rank {}, {}: {}", longest->longest,
                                      duration_in_words(longest->most_seconds), call_in_words(*longest)));
    return lines;
}

std::vector<std::string> table_lines(const std::vector<const RankGroup*>& groups, std::size_t width)
{
    std::size_t columns = 0;
    std::size_t used = 0;
    for (const Column& column : kColumns) {
        if (columns >= kUsualColumns && used + column.width + 1 + kLeastForWords > width)
            break;
        used += column.width + 1;
        ++columns;
    }
    std::vector<std::string> lines(groups.size() + 1);
    for (std::size_t i = 0; i < columns; ++i) {
        const Column& column = kColumns[i];
        // Ranks are words, the others numbers.
        const auto put = [&](std::string& line, const std::string& text) {
            line += i == 0 ? fmt::format("{:<{}} ", text, column.width)
                           : fmt::format("{:>{}} ", text, column.width);
        };
        put(lines[0], column.title);
        for (std::size_t row = 0; row < groups.size(); ++row)
            put(lines[row + 1], cut(column.cell(*groups[row], column.width), column.width));
    }
    lines[0] += "DOES";
    for (std::size_t row = 0; row < groups.size(); ++row)
        lines[row + 1] += state_in_words(*groups[row]);
    for (std::string& line : lines)
        line = cut(std::move(line), width);
    return lines;
}

std::string short_number(double value)
{
    return scaled(value, 1000, "kMGT");
}

std::string short_bytes(double bytes)
{
    return scaled(bytes, 1024, "KMGT");
}

std::string short_ranks(const Ranges& ranges, int count, std::size_t width)
{
    std::string best = fmt::format("{} ranks", count);
    std::string text;
    int shown = 0;
    for (const auto& [first, last] : ranges) {
        text += fmt::format("{}{}", shown > 0 ? ", " : "", first);
        if (last > first)
            text += fmt::format("-{}", last);
        shown += last - first + 1;
        const std::string whole = shown < count ? fmt::format("{} +{}", text, count - shown) : text;
        if (whole.size() <= width)
            best = whole;
        if (text.size() > width)
            break;
    }
    return best;
}

}  // namespace tutti::launcher
