// The collectives of intercommunicators, as calls.hpp has those of others. None works in place.
//
// In rooted calls `root` is the root's rank in the other group; at the root kRootHere, at the other ranks of
// its group kRootBeside: these give no buffers. A barrier is call_barrier() on all_ranks(). `counts` and
// blocks of `received` and `sent` are by rank in the other group, those of reduce_scatterv in the own.
#pragma once

#include <span>

#include "collectives/intercommunicator/two_groups.hpp"
#include "lib/core/communicators/intercommunicator.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

using collectives::inter::kRootBeside;
using collectives::inter::kRootHere;

/// The groups of an intercommunicator in the group of all_ranks().
inline collectives::inter::Groups groups_of(const CommunicatorState& state, collectives::Group& both) noexcept
{
    return {both, state.comes_first() ? state.size() : static_cast<int>(state.peers().size())};
}

CallHandle call_inter_broadcast(const StatePointer& state, Form form, const BlockBuffers& buffer, int root);
/// The root's `out`, and `in` of the ranks of the other group.
CallHandle call_inter_reduce(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                             const Operator& op, int root);
CallHandle call_inter_gather(const StatePointer& state, Form form, const BlockBuffers& buffers, int root);
CallHandle call_inter_gatherv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                              const BlockCounts& counts, int root);
CallHandle call_inter_scatter(const StatePointer& state, Form form, const BlockBuffers& buffers, int root);
CallHandle call_inter_scatterv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                               const BlockCounts& counts, int root);

CallHandle call_inter_allgather(const StatePointer& state, Form form, const BlockBuffers& buffers);
CallHandle call_inter_allgatherv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                                 const BlockCounts& received);
CallHandle call_inter_alltoall(const StatePointer& state, Form form, const BlockBuffers& buffers);
CallHandle call_inter_alltoallv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                                const BlockCounts& sent, const BlockCounts& received);

CallHandle call_inter_alltoallw(const StatePointer& state, Form form, std::span<const TypedBlock> sent,
                                std::span<const TypedBlock> received);

CallHandle call_inter_allreduce(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                                const Operator& op);
/// The input has as many elements at all ranks of both groups.
CallHandle call_inter_reduce_scatter(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                                     const Operator& op);
CallHandle call_inter_reduce_scatterv(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                                      std::span<const std::size_t> counts, const Operator& op);

}  // namespace tutti::detail
