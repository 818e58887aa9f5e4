// A convenience layer: calls that return their result as a value. Each does one documented communication.
#pragma once

#include <concepts>
#include <type_traits>
#include <vector>

#include "tutti/communicator.hpp"

namespace tutti {

/// Receives one T.
template <Element T>
requires std::is_default_constructible_v<T> T recv_value(const Communicator& communicator,
                                                         int source = any_source, int tag = any_tag)
{
    T value{};
    communicator.recv(value, source, tag);
    return value;
}

/// Receives a message of unknown length, by a matched probe.
template <class T>
std::vector<T> recv_vector(const Communicator& communicator, int source = any_source, int tag = any_tag)
{
    static_assert(Element<T>,
                  "tutti: elements travel as their bytes; what owns memory comes by "
                  "tutti::recv_serialized<std::vector<T>>");
    Message message = communicator.mprobe(source, tag);
    std::vector<T> values(message.status().template count<T>());
    message.recv(values);
    return values;
}

/// Returns op over all ranks' `value`, at all ranks.
template <class T, class F>
T allreduce(const Communicator& communicator, T value, const F& op, CollectiveOptions options = {})
{
    communicator.allreduce(value, op, options);
    return value;
}

/// Returns root's `value`, at all ranks.
template <class T>
T broadcast(const Communicator& communicator, T value, RootOptions options = {})
{
    communicator.broadcast(value, options);
    return value;
}
// Refused in words.
template <class T>
T broadcast(const Communicator&, T value, std::integral auto)
{
    static_assert(detail::always_false<T>,
                  "tutti: the root is an option: tutti::broadcast(communicator, value, {.root = 0})");
    return value;
}

}  // namespace tutti
