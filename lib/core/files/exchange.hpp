// What the ranks of a file tell each other in calls that block. The values are plain bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/core/communicators/communicator_state.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

/// Collective: the values of all ranks.
template <class T>
std::vector<T> gathered(const StatePointer& communicator, const T& own)
{
    std::vector<T> all(static_cast<std::size_t>(communicator->size()));
    call_allgather(communicator, Form::blocking,
                   {.in = {reinterpret_cast<const std::byte*>(&own), sizeof own, 1},
                    .out = {reinterpret_cast<std::byte*>(all.data()), all.size() * sizeof own, 1},
                    .in_place = false},
                   {});
    return all;
}

/// Collective: the value of rank 0.
template <class T>
T of_first(const StatePointer& communicator, T own)
{
    call_broadcast(communicator, Form::blocking,
                   {.in = {}, .out = {reinterpret_cast<std::byte*>(&own), sizeof own, 1}, .in_place = false},
                   {});
    return own;
}

}  // namespace tutti::detail
