#include "launcher/report/node_report.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tutti::launcher {

namespace {

constexpr std::size_t kMostInWords = 12;

// What may differ between ranks of one group, the less telling first.
enum class Detail { bytes, peer, tag, all };

void blur(RankGroup& group, Detail detail)
{
    const bool has_peer =
        !group.is_collective() && !group.is_at_file() && group.operation != observe::Operation::none;
    if (detail >= Detail::bytes && has_peer) {
        group.bytes = 0;
        group.more.clear();  // ranges of a window
    }
    if (detail >= Detail::peer && has_peer)
        group.peer = RankGroup::kVarious;
    if (detail >= Detail::tag && has_peer)
        group.tag = RankGroup::kVarious;
    if (detail >= Detail::all && !group.in_call()) {
        group.operation = observe::Operation::none;
        group.kind = 0;
        group.context = group.number = 0;
        group.communicator.clear();
        group.bytes = 0;
        group.peer = group.tag = 0;
        group.more.clear();
    }
}

/// Whether `group` is like `other`, whose differences count less.
bool is_covered(RankGroup group, const RankGroup& other)
{
    if (other.peer == RankGroup::kVarious)
        blur(group, other.tag == RankGroup::kVarious ? Detail::tag : Detail::peer);
    else if (other.is_at_window() && other.more.empty())
        blur(group, Detail::bytes);
    return group.is_like(other);
}

void check_ranges(const Ranges& ranges)
{
    for (const auto& [first, last] : ranges)
        if (first < 0 || last < first)
            throw WireError("a report of ranks that do not exist");
}

void join(std::vector<RankGroup>& groups, RankGroup group)
{
    const auto like =
        std::ranges::find_if(groups, [&](const RankGroup& other) { return is_covered(group, other); });
    if (like == groups.end()) {
        groups.push_back(std::move(group));
        return;
    }
    like->ranks = merged(like->ranks, group.ranks);
    like->load.add(group.load);
    if (group.most_seconds > like->most_seconds)
        like->longest = group.longest;
    like->least_seconds = std::min(like->least_seconds, group.least_seconds);
    like->most_seconds = std::max(like->most_seconds, group.most_seconds);
}

}  // namespace

void add_rank(Ranges& ranges, int rank)
{
    ranges = merged(ranges, {{rank, rank}});
}

Ranges merged(const Ranges& one, const Ranges& other)
{
    Ranges all = one;
    all.insert(all.end(), other.begin(), other.end());
    std::ranges::sort(all);
    Ranges result;
    for (const auto& [first, last] : all) {
        if (!result.empty() && first <= std::int64_t{result.back().second} + 1)
            result.back().second = std::max(result.back().second, last);
        else
            result.emplace_back(first, last);
    }
    return result;
}

int count_of(const Ranges& ranges)
{
    int count = 0;
    for (const auto& [first, last] : ranges)
        count += last - first + 1;
    return count;
}

std::string ranges_in_words(const Ranges& ranges)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(ranges.size(), kMostInWords); ++i) {
        const auto& [first, last] = ranges[i];
        text += fmt::format("{}{}", i > 0 ? ", " : "", first);
        if (last != first)
            text += fmt::format("{}{}", last == first + 1 ? ", " : "-", last);
    }
    if (ranges.size() > kMostInWords)
        text += fmt::format(" and {} more", count_of({ranges.begin() + kMostInWords, ranges.end()}));
    return text;
}

bool RankGroup::is_like(const RankGroup& other) const
{
    const auto key = [](const RankGroup& group) {
        return std::tie(group.state, group.many_threads, group.operation, group.kind, group.context,
                        group.communicator, group.number, group.peer, group.tag, group.bytes, group.more);
    };
    return key(*this) == key(other);
}

void RankGroup::check() const
{
    if (state > RankState::unknown || operation > observe::kLastOperation)
        throw WireError("a report of a state or operation that does not exist");
    check_ranges(ranks);
}

void LockHolders::check() const
{
    check_ranges(holders);
    check_ranges(ranks);
}

void add_holders(std::vector<LockHolders>& locks, const LockHolders& more, std::size_t most)
{
    const auto like = std::ranges::find_if(locks, [&](const LockHolders& other) {
        return other.context == more.context && other.target == more.target && other.shared == more.shared;
    });
    if (like != locks.end()) {
        like->holders = merged(like->holders, more.holders);
        like->ranks = merged(like->ranks, more.ranks);
    } else if (locks.size() < most) {
        locks.push_back(more);
    }
}

void fold(std::vector<RankGroup>& groups, RankGroup group, std::size_t most)
{
    join(groups, std::move(group));
    for (const Detail detail : {Detail::bytes, Detail::peer, Detail::tag, Detail::all}) {
        if (groups.size() <= most)
            return;
        std::vector<RankGroup> fewer;
        for (RankGroup& one : groups) {
            blur(one, detail);
            join(fewer, std::move(one));
        }
        groups = std::move(fewer);
    }
}

void fold_communicators(std::vector<RankGroup>& groups, std::size_t most)
{
    if (groups.size() <= most)
        return;
    std::vector<RankGroup> fewer;
    for (RankGroup& group : groups) {
        if (group.in_call()) {
            blur(group, Detail::tag);
            group.context = RankGroup::kVariousContexts;
            group.communicator = "different communicators";
            group.number = 0;
            group.more.clear();
        }
        join(fewer, std::move(group));
    }
    groups = std::move(fewer);
}

template void put<NodeReport>(WireWriter& writer, const NodeReport& value);
template NodeReport take<NodeReport>(WireReader& reader);

}  // namespace tutti::launcher
