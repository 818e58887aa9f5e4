// Groups of the ranks of other groups.
#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <utility>

#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

/// Ranks that a list names, each once.
class Listed {
public:
    explicit Listed(const Group& group) : group_(group), is_in_(static_cast<std::size_t>(group.size())) {}

    void add(int rank, const char* list)
    {
        check_rank_in(group_, rank, list);
        if (is_in_[static_cast<std::size_t>(rank)])
            fail(MPI_ERR_RANK, fmt::format("{} names rank {} twice; name each rank once", list, rank));
        is_in_[static_cast<std::size_t>(rank)] = true;
        ranks_.push_back(rank);
    }

    /// In the order of the list.
    MPI_Group included() const
    {
        std::vector<int> members;
        for (const int rank : ranks_)
            members.push_back(group_[rank]);
        return new_group(std::move(members));
    }
    /// The others, in the order of the group.
    MPI_Group others() const
    {
        std::vector<int> members;
        for (int rank = 0; rank < group_.size(); ++rank)
            if (!is_in_[static_cast<std::size_t>(rank)])
                members.push_back(group_[rank]);
        return new_group(std::move(members));
    }

private:
    const Group& group_;
    std::vector<bool> is_in_;
    std::vector<int> ranks_;
};

Listed listed_ranks(MPI_Group group, int n, const int* ranks)
{
    Listed listed(group_of(group));
    check_array("ranks", ranks, n);
    for (int i = 0; i < n; ++i)
        listed.add(ranks[i], "ranks");
    return listed;
}

// A range is (first, last, stride). The last rank is in it only if the strides lead there.
Listed listed_ranges(MPI_Group group, int n, const int (*ranges)[3])
{
    const Group& of = group_of(group);
    Listed listed(of);
    check_array("ranges", ranges, n);
    for (int i = 0; i < n; ++i) {
        const std::int64_t first = ranges[i][0];
        const std::int64_t last = ranges[i][1];
        const std::int64_t stride = ranges[i][2];
        if (stride == 0 || (last - first) * (stride < 0 ? -1 : 1) < 0)
            fail(MPI_ERR_ARG,
                 fmt::format("ranges[{}] is from {} to {} by {}; the stride must lead from the first rank to "
                             "the last",
                             i, first, last, stride));
        for (std::int64_t step = 0; step <= (last - first) / stride; ++step)
            listed.add(static_cast<int>(first + step * stride), "ranges");
    }
    return listed;
}

// `make` gives the members from two groups.
template <class Make>
int group_from(const char* call, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup, Make make)
{
    return guard_result(call, newgroup, "newgroup",
                        [&] { return new_group(make(group_of(group1), group_of(group2))); });
}

// The ranks of `from` that are in `other`, or those that are not.
std::vector<int> part_of(const Group& from, const Group& other, bool in_other)
{
    std::vector<int> part;
    for (const int rank : *from.members)
        if (other.has(rank) == in_other)
            part.push_back(rank);
    return part;
}

}  // namespace

int group_incl(MPI_Group group, int n, const int* ranks, MPI_Group* newgroup)
{
    return guard_result("MPI_Group_incl", newgroup, "newgroup",
                        [&] { return listed_ranks(group, n, ranks).included(); });
}

int group_excl(MPI_Group group, int n, const int* ranks, MPI_Group* newgroup)
{
    return guard_result("MPI_Group_excl", newgroup, "newgroup",
                        [&] { return listed_ranks(group, n, ranks).others(); });
}

int group_range_incl(MPI_Group group, int n, int (*ranges)[3], MPI_Group* newgroup)
{
    return guard_result("MPI_Group_range_incl", newgroup, "newgroup",
                        [&] { return listed_ranges(group, n, ranges).included(); });
}

int group_range_excl(MPI_Group group, int n, int (*ranges)[3], MPI_Group* newgroup)
{
    return guard_result("MPI_Group_range_excl", newgroup, "newgroup",
                        [&] { return listed_ranges(group, n, ranges).others(); });
}

int group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)
{
    return group_from("MPI_Group_union", group1, group2, newgroup, [](const Group& one, const Group& two) {
        std::vector<int> members(*one.members);
        std::ranges::copy(part_of(two, one, false), std::back_inserter(members));
        return members;
    });
}

int group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)
{
    return group_from("MPI_Group_intersection", group1, group2, newgroup,
                      [](const Group& one, const Group& two) { return part_of(one, two, true); });
}

int group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)
{
    return group_from("MPI_Group_difference", group1, group2, newgroup,
                      [](const Group& one, const Group& two) { return part_of(one, two, false); });
}

}  // namespace tutti::mpi
