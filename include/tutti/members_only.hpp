// Calls that are members of a communicator, written as functions that return a value. Each is refused by one
// sentence.
#pragma once

#include "tutti/collective_options.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace detail {

// Both take their argument by a conversion, so that any function of the user's with the same name is
// preferred.
struct OfCommunicator {
    OfCommunicator(const Communicator&) noexcept;
};
struct Anything {
    Anything() noexcept;
    template <class T>
    Anything(const T&) noexcept;
};

/// What the refused calls return, so that nothing else is said of them.
struct AnyValue {
    template <class T>
    operator T() const;
};

}  // namespace detail

template <class Never = void>
auto reduce(detail::OfCommunicator, detail::Anything, detail::Anything, RootOptions = {})
{
    static_assert(detail::always_false<Never>,
                  "tutti: one rank has the result of a reduce, and others none to return: "
                  "communicator.reduce(in, out, op, {.root = 0}); tutti::allreduce returns it at all ranks");
    return detail::AnyValue();
}
template <class Never = void>
auto scan(detail::OfCommunicator, detail::Anything, detail::Anything)
{
    static_assert(detail::always_false<Never>, "tutti: a scan is a member: communicator.scan(in, out, op)");
    return detail::AnyValue();
}
template <class Never = void>
auto exscan(detail::OfCommunicator, detail::Anything, detail::Anything)
{
    static_assert(detail::always_false<Never>,
                  "tutti: an exscan is a member: communicator.exscan(in, out, op)");
    return detail::AnyValue();
}
template <class Never = void>
auto gather(detail::OfCommunicator, detail::Anything, RootOptions = {})
{
    static_assert(detail::always_false<Never>,
                  "tutti: a gather is a member and fills a buffer of size() blocks: "
                  "communicator.gather(in, out, {.root = 0})");
    return detail::AnyValue();
}
template <class Never = void>
auto allgather(detail::OfCommunicator, detail::Anything)
{
    static_assert(detail::always_false<Never>,
                  "tutti: an allgather is a member and fills a buffer of size() blocks: "
                  "communicator.allgather(in, out)");
    return detail::AnyValue();
}
template <class Never = void>
auto scatter(detail::OfCommunicator, detail::Anything, RootOptions = {})
{
    static_assert(
        detail::always_false<Never>,
        "tutti: a scatter is a member and fills a buffer: communicator.scatter(in, out, {.root = 0})");
    return detail::AnyValue();
}
template <class Never = void>
auto alltoall(detail::OfCommunicator, detail::Anything)
{
    static_assert(detail::always_false<Never>,
                  "tutti: an alltoall is a member and fills a buffer: communicator.alltoall(in, out)");
    return detail::AnyValue();
}
template <class Never = void>
auto send(detail::OfCommunicator, detail::Anything, int, int = 0)
{
    static_assert(detail::always_false<Never>,
                  "tutti: a send is a member: communicator.send(buffer, destination, tag)");
    return detail::AnyValue();
}
template <class Never = void>
auto recv(detail::OfCommunicator, detail::Anything, detail::Anything = {}, detail::Anything = {})
{
    static_assert(detail::always_false<Never>,
                  "tutti: communicator.recv(buffer, source, tag) fills a buffer; "
                  "tutti::recv_value<T>(communicator, source, tag) returns a value");
    return detail::AnyValue();
}
template <class Never = void>
auto barrier(detail::OfCommunicator)
{
    static_assert(detail::always_false<Never>, "tutti: a barrier is a member: communicator.barrier()");
    return detail::AnyValue();
}

}  // namespace tutti
