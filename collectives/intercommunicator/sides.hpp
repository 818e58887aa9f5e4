// Sides: one rank's view of two groups.
#pragma once

#include <numeric>
#include <vector>

#include "collectives/framework/sub_group.hpp"
#include "collectives/intercommunicator/two_groups.hpp"

namespace tutti::collectives::inter {

/// Lives in the frame of the algorithm that uses it.
class Sides {
public:
    explicit Sides(Groups groups)
        : both_(groups.both),
          in_first_(groups.both.rank() < groups.first_size),
          remote_begin_(in_first_ ? groups.first_size : 0),
          members_(static_cast<std::size_t>(in_first_ ? groups.first_size
                                                      : groups.both.size() - groups.first_size)),
          own_(groups.both, numbered(members_, in_first_ ? 0 : groups.first_size),
               groups.both.rank() - (in_first_ ? 0 : groups.first_size), placement_of(groups.both))
    {
    }
    Sides(const Sides&) = delete;
    Sides& operator=(const Sides&) = delete;

    Group& both() noexcept { return both_; }
    /// The group of this rank.
    Group& own() noexcept { return own_; }
    bool leads() const noexcept { return own_.rank() == 0; }
    int remote_size() const noexcept { return both_.size() - own_.size(); }
    /// A rank of the other group as a rank of both().
    int remote(int rank) const noexcept { return remote_begin_ + rank; }
    int remote_leader() const noexcept { return remote_begin_; }

private:
    static std::span<const int> numbered(std::vector<int>& members, int first)
    {
        std::iota(members.begin(), members.end(), first);
        return members;
    }
    // The nodes of both groups are not those of one.
    static Placement placement_of(const Group& both) noexcept
    {
        return {both.placement().one_node, both.placement().more_ranks_than_cores};
    }

    Group& both_;
    bool in_first_;
    int remote_begin_;
    std::vector<int> members_;
    SubGroup own_;
};

}  // namespace tutti::collectives::inter
