// Intercommunicators: two groups of ranks. Messages go to the other group; collectives move data from each
// group to the other.
#pragma once

#include "lib/core/communicators/communicator_state.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

/// The communicator itself, or for an intercommunicator, the one of all ranks of both groups.
inline const StatePointer& all_ranks(const StatePointer& state) noexcept
{
    return state->both() != nullptr ? state->both() : state;
}

/// Its id is `id`, and `id` + 1 that of both groups together. `rank` is this rank in `local`. At all ranks
/// the same group must come first. Under the lock.
StatePointer make_intercommunicator(Process& process, std::uint64_t id, const Members& local, int rank,
                                    const Members& remote, bool local_first);

/// Collective over `local`, and at the same time over the other group's `local`. The groups share no rank.
/// Only at the rank `leader` of `local` are the other arguments used: the leaders find each other as ranks of
/// `peer`, by `tag` as in create_from(). All ranks of both groups throw ErrorCode::invalid_argument if the
/// groups have a common rank.
StatePointer create_intercommunicator(const StatePointer& local, int leader, const StatePointer& peer,
                                      int remote_leader, int tag);

/// All ranks of both groups. The group that gives false for `high` comes first; if both give the same, any.
/// Collective. Throws ErrorCode::invalid_argument at all ranks if those of a group do not give the same.
StatePointer merge(const StatePointer& state, bool high);

}  // namespace tutti::detail
