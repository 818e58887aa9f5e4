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
/// At most about so many are on their way to the head. All at once would take as much memory as ranks have
/// recorded.
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 20;

}  // namespace

void ProfileCollector::add(int rank, UniqueFd memory)
{
    if (observe::ProfileMemory opened = observe::ProfileMemory::open(std::move(memory)))
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
    time_.end = base::tick_moment(base::ticks_are_of_processor());
    std::set<CodePlace> places;
    for (const auto& [rank, held] : ranks_)
        for (CodePlace& place : places_of(held.memory))
            if (places.size() < kMostPlaces)
                places.insert(std::move(place));
    std::vector<CodePlace> asked(places.begin(), places.end());
    reader_.name(asked, kNamesTime, [this, asked, done = std::move(done)](std::vector<StackFrame> frames) {
        for (std::size_t i = 0; i < std::min(frames.size(), asked.size()); ++i)
            names_[asked[i]] = std::move(frames[i]);
        done_ = done;
        send_some();
    });
    return false;
}

void ProfileCollector::taken(std::uint64_t bytes)
{
    on_the_way_bytes_ -= std::min(bytes, on_the_way_bytes_);
    send_some();
}

/// As much as the head may still get, rank by rank. The memory of a rank goes when it is sent.
void ProfileCollector::send_some()
{
    while (done_ && !ranks_.empty() && on_the_way_bytes_ < kWindowBytes) {
        const auto& [rank, held] = *ranks_.begin();
        if (!trace_)
            trace_.emplace(held.memory, time_, end_of(held));
        if (TraceChunk chunk; trace_->next(chunk)) {
            send(piece_of(rank, chunk));
            continue;
        }
        send_profile(rank, held);
        trace_.reset();
        ranks_.erase(ranks_.begin());
    }
    if (done_ && ranks_.empty())
        std::exchange(done_, nullptr)();
}

void ProfileCollector::send_profile(int rank, const Held& held)
{
    RankProfile profile = read_profile(rank, held.memory, time_, end_of(held));
    const std::vector<CodePlace> places = places_of(held.memory);
    for (std::size_t i = 0; i < std::min(places.size(), profile.callers.size()); ++i) {
        const auto name = names_.find(places[i]);
        profile.callers[i] = name != names_.end() ? name->second : unnamed(places[i]);
    }
    for (const std::string& piece : pieces_of(profile))
        send(piece);
}

void ProfileCollector::send(const std::string& piece)
{
    head_.send(FrameType::profile, piece);
    on_the_way_bytes_ += piece.size();
}

/// One that could not be killed has no end yet.
base::TickMoment ProfileCollector::end_of(const Held& held)
{
    return held.end.ns != 0 ? held.end : moment_of(held.memory);
}

}  // namespace tutti::launcher
