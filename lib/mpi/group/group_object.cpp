#include "lib/mpi/group/group_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

namespace {

constexpr std::uintptr_t kEmpty = 0x109;

}  // namespace

const Predefined<Group, Group::kPredefined> Group::predefined = {
    nullptr, new Group(std::make_shared<const std::vector<int>>(), kEmpty)};

Group::Group(detail::Members ranks, std::uintptr_t handle) : ObjectOf(handle), members(std::move(ranks)) {}

int Group::rank_of(int job_rank) const
{
    const std::vector<int>& ranks = *members;
    // Most groups have all ranks in their order.
    const auto guess = static_cast<std::size_t>(job_rank);
    if (guess < ranks.size() && ranks[guess] == job_rank)
        return job_rank;
    const auto rank_at = [&](int place) { return ranks[static_cast<std::size_t>(place)]; };
    std::call_once(sorted_, [&] {
        order_.resize(ranks.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::ranges::sort(order_, {}, rank_at);
    });
    const auto found = std::ranges::lower_bound(order_, job_rank, {}, rank_at);
    return found != order_.end() && rank_at(*found) == job_rank ? *found : MPI_UNDEFINED;
}

const Group& group_of(MPI_Group handle)
{
    const Group* const found = find<Group>(handle);
    if (found == nullptr) [[unlikely]]
        fail(MPI_ERR_GROUP, handle == MPI_GROUP_NULL
                                ? "the group is MPI_GROUP_NULL; one without ranks is MPI_GROUP_EMPTY"
                                : fmt::format("{} is no group, or one that was freed", fmt::ptr(handle)));
    return *found;
}

MPI_Group new_group(detail::Members ranks)
{
    return ranks->empty() ? MPI_GROUP_EMPTY : handle_of(*new Group(std::move(ranks)));
}

MPI_Group new_group(std::vector<int> ranks)
{
    return new_group(std::make_shared<const std::vector<int>>(std::move(ranks)));
}

int compare(const Group& one, const Group& other)
{
    if (one.members == other.members || *one.members == *other.members)
        return MPI_IDENT;
    const bool similar = one.size() == other.size() &&
                         std::ranges::all_of(*one.members, [&](int rank) { return other.has(rank); });
    return similar ? MPI_SIMILAR : MPI_UNEQUAL;
}

void check_rank_in(const Group& group, int rank, const char* list)
{
    if (rank < 0 || rank >= group.size()) [[unlikely]]
        fail(MPI_ERR_RANK,
             fmt::format("there is no rank {}, which {} names, in the group; it has {} ranks, from 0 on",
                         rank, list, group.size()));
}

}  // namespace tutti::mpi
