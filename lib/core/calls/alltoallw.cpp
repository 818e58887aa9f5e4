// The exchanges in which every block has a datatype of its own: alltoallw, also of intercommunicators, and
// all among neighbours.
#include <algorithm>
#include <vector>

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/core/calls/typed_blocks.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/core/communicators/neighbor_topology.hpp"
#include "lib/core/communicators/run_collective.hpp"
#include "lib/core/requests/lend.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

using collectives::CallKind;
using collectives::Group;
using collectives::SeparateBlocks;
using collectives::Task;

namespace {

template <class Exchange>
Task packed_exchange(Group& group, const TypedBlocks& from, const TypedBlocks& to, const Exchange& exchange)
{
    from.pack();
    Task task =
        exchange(group, SeparateBlocks<const std::byte>{from.bytes()}, SeparateBlocks<std::byte>{to.bytes()});
    co_await task;
    to.unpack();
}

/// The blocks of a call as the caller gives them.
struct GivenBlocks {
    std::span<const TypedBlock> sent;
    std::span<const TypedBlock> received;

    std::vector<ConstView> views() const
    {
        std::vector<ConstView> all;
        for (const std::span<const TypedBlock> side : {sent, received})
            for (const auto& [base, count, type] : side)
                all.push_back({base, count * type->size_bytes(), type});
        return all;
    }
};

/// exchange(group, blocks in, blocks out) makes the coroutine.
template <class Exchange>
CallHandle run_exchange(const StatePointer& state, Form form, CallKind kind, const GivenBlocks& given,
                        TypedBlocks from, TypedBlocks to, Exchange exchange)
{
    const CallHandle handle =
        run(state, form,
            [kind, from = std::move(from), to = std::move(to), exchange = std::move(exchange)](Group& group) {
                group.announce({.kind = kind});
                return packed_exchange(group, from, to, exchange);
            });
    const bool is_lent = form != Form::blocking && state->process().checker() != nullptr;
    return is_lent ? lend(state->process(), handle, given.views()) : handle;
}

}  // namespace

CallHandle call_alltoallw(const StatePointer& state, Form form, std::span<const TypedBlock> sent,
                          std::span<const TypedBlock> received)
{
    constexpr std::string_view kOperation = "alltoallw";
    const auto ranks = static_cast<std::size_t>(state->size());
    TypedBlocks to(kOperation, "output", received, ranks);
    TypedBlocks from = sent.empty()
                           ? TypedBlocks(kOperation, "buffer", received, ranks, TypedBlocks::Place::copied)
                           : TypedBlocks(kOperation, "input", sent, ranks);
    const auto own = static_cast<std::size_t>(state->rank());
    check_kept_count(kOperation, from.bytes()[own].size(), to.bytes()[own].size(), state->rank());
    return run_exchange(
        state, form, CallKind::alltoallw, {sent, received}, std::move(from), std::move(to),
        [](Group& group, auto in, auto out) { return collectives::alltoallw(group, in, out); });
}

CallHandle call_inter_alltoallw(const StatePointer& state, Form form, std::span<const TypedBlock> sent,
                                std::span<const TypedBlock> received)
{
    const std::size_t ranks = state->peers().size();
    return run_exchange(all_ranks(state), form, CallKind::alltoallw, {sent, received},
                        TypedBlocks("alltoallw", "input", sent, ranks),
                        TypedBlocks("alltoallw", "output", received, ranks),
                        [state](Group& both, auto in, auto out) {
                            return collectives::inter::alltoallw(groups_of(*state, both), in, out);
                        });
}

CallHandle call_neighbor_blocks(const StatePointer& state, const TopologyPointer& topology, Form form,
                                CallKind kind, std::span<const TypedBlock> sent,
                                std::span<const TypedBlock> received)
{
    const std::string_view operation = name_of(kind);
    const std::size_t destinations = topology->destinations.size();
    const bool is_one_for_all = kind == CallKind::neighbor_allgather || kind == CallKind::neighbor_allgatherv;
    TypedBlocks from(operation, "input", sent,
                     is_one_for_all ? std::min<std::size_t>(destinations, 1) : destinations);
    if (is_one_for_all && destinations > 1)
        from.repeat(destinations);
    // Blocks of sources that are no ranks are unchanged.
    std::vector<TypedBlock> taken(received.begin(), received.end());
    for (std::size_t i = 0; i < std::min(taken.size(), topology->sources.size()); ++i)
        if (topology->sources[i] < 0)
            taken[i].count = 0;
    TypedBlocks to(operation, "output", taken, topology->sources.size());
    topology->neighbors().visit_kept(state->rank(), [&](std::size_t out, std::size_t in) {
        check_kept_count(operation, from.bytes()[out].size(), to.bytes()[in].size(), state->rank());
    });
    return run_exchange(state, form, kind, {sent, taken}, std::move(from), std::move(to),
                        [topology](Group& group, auto in, auto out) {
                            return collectives::neighbor_alltoallw_flat(group, topology->neighbors(), in,
                                                                        out);
                        });
}

}  // namespace tutti::detail
