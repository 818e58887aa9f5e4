// The collectives below the templates, for every interface of the library. They know bytes, counts and
// operators, and no element types.
//
// All ranks of the communicator make the same call. It checks its arguments before it sends anything, and
// throws tutti::Error with its name. Only a blocking call throws its operation's error; else the request
// does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "tutti/blocks.hpp"
#include "tutti/call_handle.hpp"
#include "tutti/collective_options.hpp"
#include "tutti/reduction.hpp"

namespace tutti::collectives {
enum class CallKind : std::uint8_t;
}

namespace tutti::detail {

class CommunicatorState;
struct Topology;

using StatePointer = std::shared_ptr<CommunicatorState>;
using TopologyPointer = std::shared_ptr<const Topology>;

CallHandle call_barrier(const StatePointer& state, Form form, const CollectiveOptions& options);
/// `buffer` is input and output.
CallHandle call_broadcast(const StatePointer& state, Form form, const BlockBuffers& buffer,
                          const RootOptions& options);

CallHandle call_allgather(const StatePointer& state, Form form, const BlockBuffers& buffers,
                          const CollectiveOptions& options);
CallHandle call_allgatherv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                           const BlockCounts& counts, const CollectiveOptions& options);
CallHandle call_gather(const StatePointer& state, Form form, const BlockBuffers& buffers,
                       const RootOptions& options);
CallHandle call_gatherv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                        const BlockCounts& counts, const RootOptions& options);
CallHandle call_scatter(const StatePointer& state, Form form, const BlockBuffers& buffers,
                        const RootOptions& options);
CallHandle call_scatterv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                         const BlockCounts& counts, const RootOptions& options);
CallHandle call_alltoall(const StatePointer& state, Form form, const BlockBuffers& buffers,
                         const CollectiveOptions& options);
/// In place only `received` is used.
CallHandle call_alltoallv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                          const BlockCounts& sent, const BlockCounts& received,
                          const CollectiveOptions& options);

/// A block with a datatype of its own: `count` elements at `base`. The call keeps the datatype.
struct TypedBlock {
    std::byte* base;  // only read if it is sent
    std::size_t count;
    const datatype::Typemap* type;
};

/// A block for each rank. In place `sent` is empty.
CallHandle call_alltoallw(const StatePointer& state, Form form, std::span<const TypedBlock> sent,
                          std::span<const TypedBlock> received);

CallHandle call_reduce(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                       const Operator& op, const RootOptions& options);
CallHandle call_allreduce(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                          const Operator& op, const CollectiveOptions& options);
CallHandle call_reduce_scatter(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                               const Operator& op, const CollectiveOptions& options);
/// `counts` in elements, one for each rank.
CallHandle call_reduce_scatterv(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                                std::span<const std::size_t> counts, const Operator& op,
                                const CollectiveOptions& options);
CallHandle call_scan(const StatePointer& state, Form form, const ReducedBuffers& buffers, const Operator& op,
                     const CollectiveOptions& options);
CallHandle call_exscan(const StatePointer& state, Form form, const ReducedBuffers& buffers,
                       const Operator& op, const CollectiveOptions& options);

CallHandle call_neighbor_allgather(const StatePointer& state, const TopologyPointer& topology, Form form,
                                   const BlockBuffers& buffers);
CallHandle call_neighbor_allgatherv(const StatePointer& state, const TopologyPointer& topology, Form form,
                                    const BlockBuffers& buffers, const BlockCounts& received);
CallHandle call_neighbor_alltoall(const StatePointer& state, const TopologyPointer& topology, Form form,
                                  const BlockBuffers& buffers);
CallHandle call_neighbor_alltoallv(const StatePointer& state, const TopologyPointer& topology, Form form,
                                   const BlockBuffers& buffers, const BlockCounts& sent,
                                   const BlockCounts& received);
/// All neighbour collectives, by their `kind`. `received` has a block for each source. `sent` has one for
/// each destination; in an allgather one for all, or none where there are no destinations.
CallHandle call_neighbor_blocks(const StatePointer& state, const TopologyPointer& topology, Form form,
                                collectives::CallKind kind, std::span<const TypedBlock> sent,
                                std::span<const TypedBlock> received);

}  // namespace tutti::detail
