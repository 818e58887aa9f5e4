// The collectives among the neighbours of a grid or graph.
#include <fmt/format.h>

#include "collectives/collectives.hpp"
#include "lib/core/calls/contiguous.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/core/communicators/neighbor_topology.hpp"
#include "tutti/calls.hpp"
#include "tutti/neighbor_communicator.hpp"

namespace tutti {

Neighbors NeighborCommunicator::neighbors() const noexcept
{
    return {topology_->sources, topology_->destinations};
}

namespace detail {

using collectives::Group;

namespace {

// The blocks that a rank sends to itself must be as long as the blocks that it receives from itself.
void check_kept(std::string_view operation, const Topology& topology, int rank, auto&& sent_bytes,
                const ByteBlocks& received)
{
    topology.neighbors().visit_kept(rank, [&](std::size_t from, std::size_t to) {
        check_kept_count(operation, sent_bytes(from), received.sizes()[to], rank);
    });
}

}  // namespace

CallHandle call_neighbor_allgather(const StatePointer& state, const TopologyPointer& topology, Form form,
                                   const BlockBuffers& given)
{
    constexpr std::string_view kOperation = "neighbor_allgather";
    const Contiguous buffers(kOperation, given);
    check_multiple(kOperation, "input", buffers.in, "output", buffers.out,
                   static_cast<int>(topology->sources.size()), "sources");
    check_apart(kOperation, buffers.in, buffers.out);
    return run(
        state, form, buffers,
        [topology, in = std::span(buffers.in.data, buffers.in.size_bytes()), out = buffers.out.data](
            Group& group) { return collectives::neighbor_allgather(group, topology->neighbors(), in, out); });
}

CallHandle call_neighbor_allgatherv(const StatePointer& state, const TopologyPointer& topology, Form form,
                                    const BlockBuffers& given, const BlockCounts& received)
{
    constexpr std::string_view kOperation = "neighbor_allgatherv";
    const Contiguous buffers(kOperation, given);
    const std::span in(buffers.in.data, buffers.in.size_bytes());
    check_memory(kOperation, "input", buffers.in);
    ByteBlocks to(kOperation, "output", received, buffers.out, static_cast<int>(topology->sources.size()),
                  ByteBlocks::Use::received, "source");
    check_apart(kOperation, buffers.in, buffers.out);
    check_kept(
        kOperation, *topology, state->rank(), [&](std::size_t) { return in.size(); }, to);
    return run(state, form, buffers,
               [topology, in, to = std::move(to), out = buffers.out.data](Group& group) {
                   return collectives::neighbor_allgatherv(group, topology->neighbors(), in, to.in(out));
               });
}

CallHandle call_neighbor_alltoall(const StatePointer& state, const TopologyPointer& topology, Form form,
                                  const BlockBuffers& given)
{
    constexpr std::string_view kOperation = "neighbor_alltoall";
    const Contiguous buffers(kOperation, given);
    const auto& in = buffers.in;
    const auto& out = buffers.out;
    const std::size_t destinations = topology->destinations.size();
    const std::size_t sources = topology->sources.size();
    check_memory(kOperation, "input", in);
    check_memory(kOperation, "output", out);
    const std::size_t block_bytes = destinations != 0 ? in.count / destinations * in.element_bytes
                                    : sources != 0    ? out.count / sources * out.element_bytes
                                                      : 0;
    if (in.size_bytes() != destinations * block_bytes || out.size_bytes() != sources * block_bytes)
        refuse(kOperation, fmt::format("the input has {} elements for {} destinations, the output {} for {} "
                                       "sources; give a block for each, all equally long, or use {}v",
                                       in.count, destinations, out.count, sources, kOperation));
    check_apart(kOperation, in, out);
    return run(state, form, buffers, [topology, in = in.data, out = out.data, block_bytes](Group& group) {
        return collectives::neighbor_alltoall(group, topology->neighbors(), in, out, block_bytes);
    });
}

CallHandle call_neighbor_alltoallv(const StatePointer& state, const TopologyPointer& topology, Form form,
                                   const BlockBuffers& given, const BlockCounts& sent,
                                   const BlockCounts& received)
{
    constexpr std::string_view kOperation = "neighbor_alltoallv";
    const Contiguous buffers(kOperation, given);
    const auto& in = buffers.in;
    const auto& out = buffers.out;
    ByteBlocks from(kOperation, "input", sent, in, static_cast<int>(topology->destinations.size()),
                    ByteBlocks::Use::sent, "destination");
    ByteBlocks to(kOperation, "output", received, out, static_cast<int>(topology->sources.size()),
                  ByteBlocks::Use::received, "source");
    check_apart(kOperation, in, out);
    check_kept(
        kOperation, *topology, state->rank(), [&](std::size_t index) { return from.sizes()[index]; }, to);
    return run(
        state, form, buffers,
        [topology, from = std::move(from), to = std::move(to), in = in.data, out = out.data](Group& group) {
            return collectives::neighbor_alltoallv(group, topology->neighbors(), from.in(in), to.in(out));
        });
}

}  // namespace detail
}  // namespace tutti
