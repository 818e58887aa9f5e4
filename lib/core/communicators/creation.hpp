// Makes communicators of the ranks of others, for every interface of the library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "collectives/framework/call.hpp"
#include "tutti/call_handle.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

// All but create_from are collective over `old`. Its ranks make the same calls in the same order.
// Intercommunicators make intercommunicators.

/// A communicator of the ranks of `old`, with messages of its own. The call ends with `made`, under the lock.
/// Not persistent.
CallHandle dup(const StatePointer& old, Form form, std::function<void(StatePointer)> made);
/// Sets `made` when the call ends; `made` must live until then.
inline CallHandle dup(const StatePointer& old, Form form, StatePointer& made)
{
    return dup(old, form, [&made](StatePointer state) { made = std::move(state); });
}

/// The ranks with the same colour, ordered by key and then by rank; nullptr for ranks without a colour, and
/// where the other group of an intercommunicator has no rank of the colour. `call` describes the call and all
/// that must be equal at all ranks.
StatePointer split(const StatePointer& old, const collectives::Call& call, std::optional<int> colour,
                   std::int64_t key = 0);

/// The colour of this rank's node for split().
int node_colour(const CommunicatorState& state);

/// `ranks` of the own group, in this order; nullptr for ranks that their list does not name. Disjoint lists
/// make several communicators at once. Throws ErrorCode::invalid_rank for a wrong list,
/// ErrorCode::invalid_argument if not all ranks of a list give the same one.
StatePointer create(const StatePointer& old, std::span<const int> ranks);

/// Throws ErrorCode::invalid_tag.
void check_create_tag(std::string_view operation, int tag);

/// create() by the listed ranks alone. Calls that may overlap have different tags, from 0 to
/// CommunicatorState::kCreateTags - 1. `old` is no intercommunicator.
StatePointer create_from(const StatePointer& old, std::span<const int> ranks, int tag);

}  // namespace tutti::detail
