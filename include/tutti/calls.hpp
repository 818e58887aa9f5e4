// The collectives below the templates: the calls that every face of the library makes. They know bytes,
// counts and operators, and no element types.
//
// All ranks of the communicator call the same. Each call checks its arguments before anything is sent, and
// throws tutti::Error in its name; a blocking one throws what it meets, others leave that to their request.
#pragma once

#include <memory>
#include <span>

#include "tutti/blocks.hpp"
#include "tutti/collective_options.hpp"
#include "tutti/reduction.hpp"
#include "tutti/call_handle.hpp"

namespace tutti::detail {

class CommunicatorState;
struct Topology;

using StatePointer = std::shared_ptr<CommunicatorState>;
using TopologyPointer = std::shared_ptr<const Topology>;

CallHandle call_barrier(const StatePointer& state, Form form, const CollectiveOptions& options);
/// `buffer` is in place.
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
/// In place only `received` counts.
CallHandle call_alltoallv(const StatePointer& state, Form form, const BlockBuffers& buffers,
                       const BlockCounts& sent, const BlockCounts& received,
                       const CollectiveOptions& options);

CallHandle call_reduce(const StatePointer& state, Form form, const ReducedBuffers& buffers, const Operator& op,
                    const RootOptions& options);
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
CallHandle call_exscan(const StatePointer& state, Form form, const ReducedBuffers& buffers, const Operator& op,
                    const CollectiveOptions& options);

CallHandle call_neighbor_allgather(const StatePointer& state, const TopologyPointer& topology, Form form,
                                const BlockBuffers& buffers);
CallHandle call_neighbor_allgatherv(const StatePointer& state, const TopologyPointer& topology, Form form,
                                 const BlockBuffers& buffers, const BlockCounts& received);
CallHandle call_neighbor_alltoall(const StatePointer& state, const TopologyPointer& topology, Form form,
                               const BlockBuffers& buffers);
CallHandle call_neighbor_alltoallv(const StatePointer& state, const TopologyPointer& topology, Form form,
                                const BlockBuffers& buffers, const BlockCounts& sent,
                                const BlockCounts& received);

}  // namespace tutti::detail
