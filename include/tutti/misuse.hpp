// Calls that are written wrongly, each refused by one sentence. Names of right calls bring them into scope
// beside themselves: they take what fits no right call.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <span>

#include "tutti/collective_options.hpp"
#include "tutti/reduction.hpp"
#include "tutti/request.hpp"
#include "tutti/status.hpp"

namespace tutti::detail {

/// Not between `min` and `max` numbers.
template <std::size_t min, std::size_t max, class... A>
concept NotNumbers = sizeof...(A)<min || sizeof...(A)> max || !(std::convertible_to<A, int> && ...);

template <class A>
concept Counts = std::convertible_to<A, std::span<const std::size_t>>;

/// Arguments behind a reduction's first buffer: op; out, op; and options behind either.
template <class Options, class... A>
inline constexpr bool kReduction = false;
template <class Options, ReductionOperator F>
inline constexpr bool kReduction<Options, F> = true;
template <class Options, class A, class B>
inline constexpr bool kReduction<Options, A, B> = ReductionOperator<B> ||
                                                  (ReductionOperator<A> && std::convertible_to<B, Options>);
template <class Options, class O, ReductionOperator F, std::convertible_to<Options> C>
inline constexpr bool kReduction<Options, O, F, C> = true;

/// Arguments of a reduction of blocks: counts come before the operator.
template <class... A>
inline constexpr bool kReductionOfBlocks = false;
template <Counts C, ReductionOperator F>
inline constexpr bool kReductionOfBlocks<C, F> = true;
template <class A, class B, class C>
inline constexpr bool kReductionOfBlocks<A, B, C> = (Counts<B> && ReductionOperator<C>) ||
                                                    (Counts<A> && ReductionOperator<B> &&
                                                     std::convertible_to<C, CollectiveOptions>);
template <class O, Counts C, ReductionOperator F, std::convertible_to<CollectiveOptions> P>
inline constexpr bool kReductionOfBlocks<O, C, F, P> = true;

template <class Options, class... A>
concept NoReduction = !kReduction<Options, A...>;
template <class... A>
concept NoReductionOfBlocks = !kReductionOfBlocks<A...>;

/// More than `max` arguments, the last one of which may be options behind `max` others.
template <std::size_t max, class Options, class... A>
inline constexpr bool kTooMany = sizeof...(A) > max + 1;
template <class Options, class A, class B>
inline constexpr bool kTooMany<1, Options, A, B> = !std::convertible_to<B, Options>;
template <class Options, class A, class B, class C>
inline constexpr bool kTooMany<2, Options, A, B, C> = !std::convertible_to<C, Options>;
template <class Options, class A, class B, class C, class D>
inline constexpr bool kTooMany<3, Options, A, B, C, D> = !std::convertible_to<D, Options>;
template <std::size_t max, class Options, class... A>
concept TooMany = kTooMany<max, Options, A...>;

// The sentences, by what the call is.

template <class T>
void refuse_send()
{
    static_assert(always_false<T>,
                  "tutti: a message is sent by send(buffer, destination, tag), with ranks and tags that are "
                  "int; for a pointer and a count the buffer is std::span(pointer, count)");
}
template <class T>
void refuse_recv()
{
    static_assert(always_false<T>,
                  "tutti: a message is received by recv(buffer, source, tag), with ranks and tags that are "
                  "int; for a pointer and a count the buffer is std::span(pointer, count)");
}
template <class T>
void refuse_sendrecv()
{
    static_assert(always_false<T>,
                  "tutti: sendrecv(out, destination, send_tag, in, source, recv_tag); for a pointer and a "
                  "count a buffer is std::span(pointer, count)");
}
template <class T>
void refuse_bcast()
{
    static_assert(always_false<T>, "tutti: bcast is called broadcast(buffer, {.root = 0})");
}
template <class T>
void refuse_broadcast()
{
    static_assert(always_false<T>,
                  "tutti: the root is an option: broadcast(buffer, {.root = 0}); for a pointer and a count "
                  "the buffer is std::span(pointer, count)");
}
template <class T>
void refuse_rooted_reduction()
{
    static_assert(always_false<T>,
                  "tutti: the root is an option: reduce(in, out, op, {.root = 0}), or reduce(data, op, "
                  "{.root = 0}) in place; op is tutti::sum or the like; for a pointer and a count a buffer "
                  "is std::span(pointer, count)");
}
template <class T>
void refuse_reduction()
{
    static_assert(
        always_false<T>,
        "tutti: reductions are called as allreduce(in, out, op), or allreduce(data, op) in place; op is "
        "tutti::sum or the like; for a pointer and a count a buffer is std::span(pointer, count)");
}
template <class T>
void refuse_reduction_of_blocks()
{
    static_assert(always_false<T>,
                  "tutti: reduce_scatterv(in, out, counts, op), or reduce_scatterv(data, counts, op) in "
                  "place; counts are a range of std::size_t, and op is tutti::sum or the like");
}
template <class T>
void refuse_blocks()
{
    static_assert(always_false<T>,
                  "tutti: the root is an option: gather(in, out, {.root = 0}), scatter(in, out, {.root = "
                  "0}), or gather(data, {.root = 0}) in place; for a pointer and a count a buffer is "
                  "std::span(pointer, count)");
}
template <class T>
void refuse_unequal_blocks()
{
    static_assert(
        always_false<T>,
        "tutti: blocks of unequal sizes go by gatherv(in, out, {counts, displacements}, {.root = 0}), "
        "scatterv(in, {counts, displacements}, out, {.root = 0}), allgatherv(in, out, counts), alltoallv(in, "
        "sent, out, received); buffers are ranges, counts ranges of std::size_t");
}

// A table: the names, and which of their calls with a buffer B and arguments A are wrong.
#define TUTTI_MISUSE(name, result, refuse, ...)              \
    template <class B, class... A>                           \
    requires(__VA_ARGS__) result name(const B&, const A&...) \
    const                                                    \
    {                                                        \
        refuse<B>();                                         \
        std::terminate();                                    \
    }
#define TUTTI_MISUSE_IN_THREE_FORMS(name, refuse, ...)  \
    TUTTI_MISUSE(name, void, refuse, __VA_ARGS__)       \
    TUTTI_MISUSE(i##name, Request, refuse, __VA_ARGS__) \
    TUTTI_MISUSE(name##_init, PersistentRequest, refuse, __VA_ARGS__)

/// Misuse of communicators.
struct Misuse {
    TUTTI_MISUSE(sendrecv, Status, refuse_sendrecv, sizeof...(A) != 5)
    TUTTI_MISUSE_IN_THREE_FORMS(send, refuse_send, NotNumbers<1, 2, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(ssend, refuse_send, NotNumbers<1, 2, A...>)
    TUTTI_MISUSE(rsend, void, refuse_send, NotNumbers<1, 2, A...>)
    TUTTI_MISUSE(irsend, Request, refuse_send, NotNumbers<1, 2, A...>)
    TUTTI_MISUSE(recv, Status, refuse_recv, NotNumbers<0, 2, A...>)
    TUTTI_MISUSE(irecv, Request, refuse_recv, NotNumbers<0, 2, A...>)
    TUTTI_MISUSE(recv_init, PersistentRequest, refuse_recv, NotNumbers<0, 2, A...>)
    TUTTI_MISUSE(bcast, void, refuse_bcast, true)
    TUTTI_MISUSE_IN_THREE_FORMS(broadcast, refuse_broadcast, TooMany<1, RootOptions, B, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(reduce, refuse_rooted_reduction, NoReduction<RootOptions, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(allreduce, refuse_reduction, NoReduction<CollectiveOptions, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(reduce_scatter, refuse_reduction, NoReduction<CollectiveOptions, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(scan, refuse_reduction, NoReduction<CollectiveOptions, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(exscan, refuse_reduction, NoReduction<CollectiveOptions, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(reduce_scatterv, refuse_reduction_of_blocks, NoReductionOfBlocks<A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(gather, refuse_blocks, TooMany<2, RootOptions, B, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(scatter, refuse_blocks, TooMany<2, RootOptions, B, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(allgather, refuse_blocks, TooMany<2, CollectiveOptions, B, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(alltoall, refuse_blocks, TooMany<2, CollectiveOptions, B, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(gatherv, refuse_unequal_blocks, TooMany<3, RootOptions, B, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(scatterv, refuse_unequal_blocks, TooMany<3, RootOptions, B, A...>)
    TUTTI_MISUSE_IN_THREE_FORMS(allgatherv, refuse_unequal_blocks, TooMany<3, CollectiveOptions, B, A...>)
};
#undef TUTTI_MISUSE_IN_THREE_FORMS
#undef TUTTI_MISUSE

}  // namespace tutti::detail
