// The collectives among the neighbours of a grid or graph.
#include <fmt/format.h>

#include "collectives/collectives.hpp"
#include "lib/core/calls/buffer_checks.hpp"
#include "lib/core/communicators/topology.hpp"
#include "lib/core/messages/packed_buffers.hpp"
#include "tutti/neighbor_communicator.hpp"

namespace tutti {

using collectives::Group;
using detail::BlockBuffers;
using detail::ByteBlocks;
using detail::Started;
using detail::Topology;

namespace {

using SharedTopology = std::shared_ptr<const Topology>;

auto plan_allgather(const SharedTopology& topology, const BlockBuffers& buffers)
{
    const auto& [in, out, in_place, in_layout, out_layout] = buffers;
    detail::check_multiple("neighbor_allgather", "input", in, "output", out,
                           static_cast<int>(topology->sources.size()), "sources");
    detail::check_apart("neighbor_allgather", in, out);
    return [topology, in = std::span(in.data, in.size_bytes()), out = out.data](Group& group) {
        return collectives::neighbor_allgather(group, topology->neighbors(), in, out);
    };
}

// What a rank sends itself must be as long as where it goes.
void check_kept(std::string_view operation, const Topology& topology, int rank, auto&& sent_bytes,
                const ByteBlocks& received)
{
    topology.neighbors().visit_kept(rank, [&](std::size_t from, std::size_t to) {
        detail::check_kept_count(operation, sent_bytes(from), received.sizes()[to], rank);
    });
}

auto plan_allgatherv(const SharedTopology& topology, int rank, const BlockBuffers& buffers,
                     const BlockCounts& received)
{
    const auto& [in, out, in_place, in_layout, out_layout] = buffers;
    constexpr std::string_view kOperation = "neighbor_allgatherv";
    const auto sources = static_cast<int>(topology->sources.size());
    detail::check_memory(kOperation, "input", in);
    ByteBlocks to(kOperation, "output", received, out, sources, ByteBlocks::Use::received, "source");
    detail::check_apart(kOperation, in, out);
    check_kept(
        kOperation, *topology, rank, [&](std::size_t) { return buffers.in.size_bytes(); }, to);
    return [topology, in = std::span(in.data, in.size_bytes()), to = std::move(to),
            out = out.data](Group& group) {
        return collectives::neighbor_allgatherv(group, topology->neighbors(), in, to.in(out));
    };
}

auto plan_alltoall(const SharedTopology& topology, const BlockBuffers& buffers)
{
    const auto& [in, out, in_place, in_layout, out_layout] = buffers;
    constexpr std::string_view kOperation = "neighbor_alltoall";
    const std::size_t destinations = topology->destinations.size();
    const std::size_t sources = topology->sources.size();
    detail::check_memory(kOperation, "input", in);
    detail::check_memory(kOperation, "output", out);
    const std::size_t block_bytes = destinations != 0 ? in.count / destinations * in.element_bytes
                                    : sources != 0    ? out.count / sources * out.element_bytes
                                                      : 0;
    if (in.size_bytes() != destinations * block_bytes || out.size_bytes() != sources * block_bytes)
        detail::refuse(kOperation,
                       fmt::format("the input has {} elements for {} destinations, the output {} for {} "
                                   "sources; give a block for each, all equally long, or use {}v",
                                   in.count, destinations, out.count, sources, kOperation));
    detail::check_apart(kOperation, in, out);
    return [topology, in = in.data, out = out.data, block_bytes](Group& group) {
        return collectives::neighbor_alltoall(group, topology->neighbors(), in, out, block_bytes);
    };
}

auto plan_alltoallv(const SharedTopology& topology, int rank, const BlockBuffers& buffers,
                    const BlockCounts& sent, const BlockCounts& received)
{
    const auto& [in, out, in_place, in_layout, out_layout] = buffers;
    constexpr std::string_view kOperation = "neighbor_alltoallv";
    const auto destinations = static_cast<int>(topology->destinations.size());
    const auto sources = static_cast<int>(topology->sources.size());
    ByteBlocks from(kOperation, "input", sent, in, destinations, ByteBlocks::Use::sent, "destination");
    ByteBlocks to(kOperation, "output", received, out, sources, ByteBlocks::Use::received, "source");
    detail::check_apart(kOperation, in, out);
    check_kept(
        kOperation, *topology, rank, [&](std::size_t index) { return from.sizes()[index]; }, to);
    return
        [topology, from = std::move(from), to = std::move(to), in = in.data, out = out.data](Group& group) {
            return collectives::neighbor_alltoallv(group, topology->neighbors(), from.in(in), to.in(out));
        };
}

}  // namespace

Neighbors NeighborCommunicator::neighbors() const noexcept
{
    return {topology_->sources, topology_->destinations};
}

Started NeighborCommunicator::call_neighbor_allgather(Form form, const Buffers& buffers) const
{
    return detail::run_on(form, state_, "neighbor_allgather", buffers, {},
                          [&](const Buffers& contiguous) { return plan_allgather(topology_, contiguous); });
}

Started NeighborCommunicator::call_neighbor_allgatherv(Form form, const Buffers& buffers,
                                                       const BlockCounts& received) const
{
    return detail::run_on(form, state_, "neighbor_allgatherv", buffers, {}, [&](const Buffers& contiguous) {
        return plan_allgatherv(topology_, rank(), contiguous, received);
    });
}

Started NeighborCommunicator::call_neighbor_alltoall(Form form, const Buffers& buffers) const
{
    return detail::run_on(form, state_, "neighbor_alltoall", buffers, {},
                          [&](const Buffers& contiguous) { return plan_alltoall(topology_, contiguous); });
}

Started NeighborCommunicator::call_neighbor_alltoallv(Form form, const Buffers& buffers,
                                                      const BlockCounts& sent,
                                                      const BlockCounts& received) const
{
    return detail::run_on(form, state_, "neighbor_alltoallv", buffers, {}, [&](const Buffers& contiguous) {
        return plan_alltoallv(topology_, rank(), contiguous, sent, received);
    });
}

}  // namespace tutti
