#include "launcher/top/snapshot.hpp"

namespace tutti::launcher {

namespace {

constexpr std::size_t kMostStatesShown = 32;
/// The answer fits into a socket's buffer.
constexpr std::size_t kMostRanges = 256;

}  // namespace

void TopSnapshot::take(const JobStatus& job_status)
{
    complete = job_status.complete;
    groups = job_status.groups;
    fold_communicators(groups, kMostStatesShown);
    for (RankGroup& group : groups)
        if (group.ranks.size() > kMostRanges)
            group.ranks.resize(kMostRanges);
}

template void put<TopSnapshot>(WireWriter& writer, const TopSnapshot& value);
template TopSnapshot take<TopSnapshot>(WireReader& reader);

}  // namespace tutti::launcher
