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

template <class T>
[[noreturn]] void refuse_send() noexcept
{
    static_assert(
        always_false<T>,
        "tutti: a message is sent by send(buffer, destination, tag), with ranks and tags that are int; "
        "for a pointer and a count the buffer is std::span(pointer, count)");
    std::terminate();
}
template <class T>
[[noreturn]] void refuse_recv() noexcept
{
    static_assert(
        always_false<T>,
        "tutti: a message is received by recv(buffer, source, tag), with ranks and tags that are int; "
        "for a pointer and a count the buffer is std::span(pointer, count)");
    std::terminate();
}
template <class... T>
[[noreturn]] void refuse_sendrecv() noexcept
{
    static_assert(
        always_false<T...>,
        "tutti: sendrecv(out, destination, send_tag, in, source, recv_tag); for a pointer and a count "
        "a buffer is std::span(pointer, count)");
    std::terminate();
}
template <class T>
[[noreturn]] void refuse_broadcast() noexcept
{
    static_assert(
        always_false<T>,
        "tutti: the root is an option: broadcast(buffer, {.root = 0}); for a pointer and a count the "
        "buffer is std::span(pointer, count)");
    std::terminate();
}
template <class T>
[[noreturn]] void refuse_rooted_reduction() noexcept
{
    static_assert(
        always_false<T>,
        "tutti: the root is an option: reduce(in, out, op, {.root = 0}), or reduce(data, op, {.root = 0}) "
        "in place; op is tutti::sum or the like; for a pointer and a count a buffer is "
        "std::span(pointer, count)");
    std::terminate();
}
template <class T>
[[noreturn]] void refuse_reduction() noexcept
{
    static_assert(
        always_false<T>,
        "tutti: reductions are called as allreduce(in, out, op), or allreduce(data, op) in place; op is "
        "tutti::sum or the like; for a pointer and a count a buffer is std::span(pointer, count)");
    std::terminate();
}
template <class T>
[[noreturn]] void refuse_blocks() noexcept
{
    static_assert(
        always_false<T>,
        "tutti: the root is an option: gather(in, out, {.root = 0}), scatter(in, out, {.root = 0}), or "
        "gather(data, {.root = 0}) in place; for a pointer and a count a buffer is "
        "std::span(pointer, count)");
    std::terminate();
}
template <class T>
[[noreturn]] void refuse_unequal_blocks() noexcept
{
    static_assert(
        always_false<T>,
        "tutti: blocks of unequal sizes go by gatherv(in, out, {counts, displacements}, {.root = 0}), "
        "scatterv(in, {counts, displacements}, out, {.root = 0}), allgatherv(in, out, counts), "
        "alltoallv(in, sent, out, received); buffers are ranges, counts ranges of std::size_t");
    std::terminate();
}
template <class T>
[[noreturn]] void refuse_bcast() noexcept
{
    static_assert(always_false<T>, "tutti: bcast is called broadcast(buffer, {.root = 0})");
    std::terminate();
}
template <class T>
[[noreturn]] void refuse_reduction_of_blocks() noexcept
{
    static_assert(
        always_false<T>,
        "tutti: reduce_scatterv(in, out, counts, op), or reduce_scatterv(data, counts, op) in place; counts "
        "are a range of std::size_t, and op is tutti::sum or the like");
    std::terminate();
}

/// Misuse of communicators.
struct Misuse {
    template <class... A>
    requires(sizeof...(A) != 6) Status sendrecv(const A&...)
    const { refuse_sendrecv<A...>(); }
    template <class B, class... A>
    requires NotNumbers<1, 2, A...>
    void send(const B&, const A&...) const { refuse_send<B>(); }
    template <class B, class... A>
    requires NotNumbers<1, 2, A...>
    void ssend(const B&, const A&...) const { refuse_send<B>(); }
    template <class B, class... A>
    requires NotNumbers<1, 2, A...>
    void rsend(const B&, const A&...) const { refuse_send<B>(); }
    template <class B, class... A>
    requires NotNumbers<1, 2, A...> Request isend(const B&, const A&...)
    const { refuse_send<B>(); }
    template <class B, class... A>
    requires NotNumbers<1, 2, A...> Request issend(const B&, const A&...)
    const { refuse_send<B>(); }
    template <class B, class... A>
    requires NotNumbers<1, 2, A...> Request irsend(const B&, const A&...)
    const { refuse_send<B>(); }
    template <class B, class... A>
    requires NotNumbers<1, 2, A...> PersistentRequest send_init(const B&, const A&...)
    const { refuse_send<B>(); }
    template <class B, class... A>
    requires NotNumbers<1, 2, A...> PersistentRequest ssend_init(const B&, const A&...)
    const { refuse_send<B>(); }
    template <class B, class... A>
    requires NotNumbers<0, 2, A...> Status recv(const B&, const A&...)
    const { refuse_recv<B>(); }
    template <class B, class... A>
    requires NotNumbers<0, 2, A...> Request irecv(const B&, const A&...)
    const { refuse_recv<B>(); }
    template <class B, class... A>
    requires NotNumbers<0, 2, A...> PersistentRequest recv_init(const B&, const A&...)
    const { refuse_recv<B>(); }
    template <class B, class... A>
    requires TooMany<1, RootOptions, B, A...>
    void broadcast(const B&, const A&...) const { refuse_broadcast<B>(); }
    template <class B, class... A>
    requires TooMany<1, RootOptions, B, A...> Request ibroadcast(const B&, const A&...)
    const { refuse_broadcast<B>(); }
    template <class B, class... A>
    requires TooMany<1, RootOptions, B, A...> PersistentRequest broadcast_init(const B&, const A&...)
    const { refuse_broadcast<B>(); }
    template <class B, class... A>
    requires NoReduction<RootOptions, A...>
    void reduce(const B&, const A&...) const { refuse_rooted_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<RootOptions, A...> Request ireduce(const B&, const A&...)
    const { refuse_rooted_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<RootOptions, A...> PersistentRequest reduce_init(const B&, const A&...)
    const { refuse_rooted_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...>
    void allreduce(const B&, const A&...) const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...> Request iallreduce(const B&, const A&...)
    const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...> PersistentRequest allreduce_init(const B&, const A&...)
    const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...>
    void reduce_scatter(const B&, const A&...) const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...> Request ireduce_scatter(const B&, const A&...)
    const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...> PersistentRequest reduce_scatter_init(const B&, const A&...)
    const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...>
    void scan(const B&, const A&...) const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...> Request iscan(const B&, const A&...)
    const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...> PersistentRequest scan_init(const B&, const A&...)
    const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...>
    void exscan(const B&, const A&...) const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...> Request iexscan(const B&, const A&...)
    const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReduction<CollectiveOptions, A...> PersistentRequest exscan_init(const B&, const A&...)
    const { refuse_reduction<B>(); }
    template <class B, class... A>
    requires NoReductionOfBlocks<A...>
    void reduce_scatterv(const B&, const A&...) const { refuse_reduction_of_blocks<B>(); }
    template <class B, class... A>
    requires NoReductionOfBlocks<A...> Request ireduce_scatterv(const B&, const A&...)
    const { refuse_reduction_of_blocks<B>(); }
    template <class B, class... A>
    requires NoReductionOfBlocks<A...> PersistentRequest reduce_scatterv_init(const B&, const A&...)
    const { refuse_reduction_of_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, RootOptions, B, A...>
    void gather(const B&, const A&...) const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, RootOptions, B, A...> Request igather(const B&, const A&...)
    const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, RootOptions, B, A...> PersistentRequest gather_init(const B&, const A&...)
    const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, RootOptions, B, A...>
    void scatter(const B&, const A&...) const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, RootOptions, B, A...> Request iscatter(const B&, const A&...)
    const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, RootOptions, B, A...> PersistentRequest scatter_init(const B&, const A&...)
    const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, CollectiveOptions, B, A...>
    void allgather(const B&, const A&...) const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, CollectiveOptions, B, A...> Request iallgather(const B&, const A&...)
    const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, CollectiveOptions, B, A...> PersistentRequest allgather_init(const B&, const A&...)
    const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, CollectiveOptions, B, A...>
    void alltoall(const B&, const A&...) const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, CollectiveOptions, B, A...> Request ialltoall(const B&, const A&...)
    const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<2, CollectiveOptions, B, A...> PersistentRequest alltoall_init(const B&, const A&...)
    const { refuse_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, RootOptions, B, A...>
    void gatherv(const B&, const A&...) const { refuse_unequal_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, RootOptions, B, A...> Request igatherv(const B&, const A&...)
    const { refuse_unequal_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, RootOptions, B, A...> PersistentRequest gatherv_init(const B&, const A&...)
    const { refuse_unequal_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, RootOptions, B, A...>
    void scatterv(const B&, const A&...) const { refuse_unequal_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, RootOptions, B, A...> Request iscatterv(const B&, const A&...)
    const { refuse_unequal_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, RootOptions, B, A...> PersistentRequest scatterv_init(const B&, const A&...)
    const { refuse_unequal_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, CollectiveOptions, B, A...>
    void allgatherv(const B&, const A&...) const { refuse_unequal_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, CollectiveOptions, B, A...> Request iallgatherv(const B&, const A&...)
    const { refuse_unequal_blocks<B>(); }
    template <class B, class... A>
    requires TooMany<3, CollectiveOptions, B, A...> PersistentRequest allgatherv_init(const B&, const A&...)
    const { refuse_unequal_blocks<B>(); }

    template <class B, class... A>
    void bcast(const B&, const A&...) const
    {
        refuse_bcast<B>();
    }
};

}  // namespace tutti::detail
