// The object behind an MPI_Group.
#pragma once

#include <mutex>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/object.hpp"

namespace tutti::mpi {

/// An ordered list of ranks, which are the job's. Constant: any thread.
struct Group final : ObjectOf<Group> {
    using Handle = MPI_Group;
    static constexpr std::uintptr_t kFirst = 0x108;
    static constexpr std::size_t kPredefined = 2;
    static constexpr Kind kKind = Kind::group;
    static const Predefined<Group, kPredefined> predefined;

    explicit Group(detail::Members ranks, std::uintptr_t handle = 0);

    int size() const noexcept { return static_cast<int>(members->size()); }
    int operator[](int rank) const noexcept { return (*members)[static_cast<std::size_t>(rank)]; }
    /// The place of a rank of the job in the group; MPI_UNDEFINED if it is not there.
    int rank_of(int job_rank) const;
    bool has(int job_rank) const { return rank_of(job_rank) != MPI_UNDEFINED; }

    const detail::Members members;

private:
    mutable std::once_flag sorted_;
    mutable std::vector<int> order_;  // places by job rank, once rank_of() needs them
};

/// Throws Failure for a handle that is no group's.
const Group& group_of(MPI_Group handle);

/// The handle of a new group; MPI_GROUP_EMPTY for one without ranks.
MPI_Group new_group(detail::Members ranks);
MPI_Group new_group(std::vector<int> ranks);

/// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare(const Group& one, const Group& other);

/// Throws Failure for a rank that the group does not have. `list`: the argument that names it.
void check_rank_in(const Group& group, int rank, const char* list);

}  // namespace tutti::mpi
