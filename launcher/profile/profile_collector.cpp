#include "launcher/profile/profile_collector.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "launcher/profile/profile_frames.hpp"

namespace tutti::launcher {

namespace {

/// For names out of debug information.
constexpr std::chrono::milliseconds kNamesTime{3000};
constexpr std::size_t kMostPlaces = 16384;

}  // namespace

void ProfileCollector::add(int rank, UniqueFd memory)
{
    if (base::ProfileMemory opened = base::ProfileMemory::open(std::move(memory)))
        ranks_[rank] = {std::move(opened), {}};
}

void ProfileCollector::rank_ended(int rank)
{
    if (const auto found = ranks_.find(rank); found != ranks_.end())
        found->second.end = moment_of(found->second.memory);
}

bool ProfileCollector::is_sent(std::function<void()> done)
{
    if (ranks_.empty())
        return true;
    if (std::exchange(reading_, true))
        return false;
    std::set<CodePlace> places;
    for (const auto& [rank, held] : ranks_)
        for (CodePlace& place : places_of(held.memory))
            if (places.size() < kMostPlaces)
                places.insert(std::move(place));
    std::vector<CodePlace> asked(places.begin(), places.end());
    reader_.name(asked, kNamesTime, [this, asked, done = std::move(done)](std::vector<StackFrame> frames) {
        std::map<CodePlace, StackFrame> names;
        for (std::size_t i = 0; i < std::min(frames.size(), asked.size()); ++i)
            names[asked[i]] = std::move(frames[i]);
        send(names);
        done();
    });
    return false;
}

void ProfileCollector::send(const std::map<CodePlace, StackFrame>& names)
{
    for (const auto& [rank, held] : std::exchange(ranks_, {})) {
        // One that could not be killed has no end yet.
        const base::TickMoment end = held.end.ns != 0 ? held.end : moment_of(held.memory);
        RankProfile profile = read_profile(rank, held.memory, end);
        const std::vector<CodePlace> places = places_of(held.memory);
        for (std::size_t i = 0; i < std::min(places.size(), profile.callers.size()); ++i) {
            const auto name = names.find(places[i]);
            profile.callers[i] = name != names.end() ? name->second : unnamed(places[i]);
        }
        for (const std::string& piece : pieces_of(profile))
            head_.send(FrameType::profile, piece);
    }
}

}  // namespace tutti::launcher
