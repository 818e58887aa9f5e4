// allgather and allgatherv of a communicator.
#include "collectives/algorithm_name.hpp"
#include "collectives/collectives.hpp"
#include "lib/core/calls/buffer_checks.hpp"
#include "lib/core/messages/packed_buffers.hpp"
#include "tutti/block_collectives.hpp"

namespace tutti {

using collectives::ask_for;
using collectives::CallKind;
using collectives::Group;
using detail::BlockBuffers;
using detail::ByteBlocks;
using detail::CommunicatorState;
using detail::Started;

namespace {

auto plan_allgather(const CommunicatorState& state, const BlockBuffers& buffers,
                    const CollectiveOptions& options)
{
    const auto& [in, out, in_place, in_layout, out_layout] = buffers;
    const std::byte* own = in.data;
    if (in_place) {
        own = detail::block_of("allgather", out, state.size(), state.rank()).data;
    } else {
        detail::check_multiple("allgather", "input", in, "output", out, state.size());
        detail::check_apart("allgather", in, out);
    }
    return [own, out, asked = ask_for(CallKind::allgather, options.algorithm)](Group& group) {
        return collectives::allgather(group, own, {out.data, out.size_bytes()}, asked);
    };
}

auto plan_allgatherv(const CommunicatorState& state, const BlockBuffers& buffers, const BlockCounts& counts,
                     const CollectiveOptions& options)
{
    const auto& [in, out, in_place, in_layout, out_layout] = buffers;
    ByteBlocks blocks("allgatherv", "output", counts, out, state.size(), ByteBlocks::Use::received);
    const std::span<std::byte> place = blocks.in(out.data)[state.rank()];
    if (!in_place) {
        detail::check_own_count("allgatherv", "input", in, place.size(), state.rank());
        detail::check_apart("allgatherv", in, out);
    }
    return [own = in_place ? place.data() : in.data, blocks = std::move(blocks), out = out.data,
            asked = ask_for(CallKind::allgatherv, options.algorithm)](Group& group) {
        return collectives::allgatherv(group, own, blocks.in(out), asked);
    };
}

}  // namespace

Started BlockCollectives::call_allgather(Form form, const Buffers& buffers,
                                         const CollectiveOptions& options) const
{
    const detail::BuffersUsed used{.out_read = buffers.in_place};
    return detail::run_on(form, state_, "allgather", buffers, used, [&](const Buffers& contiguous) {
        return plan_allgather(*state_, contiguous, options);
    });
}

Started BlockCollectives::call_allgatherv(Form form, const Buffers& buffers, const BlockCounts& blocks,
                                          const CollectiveOptions& options) const
{
    return detail::run_on(form, state_, "allgatherv", buffers, {}, [&](const Buffers& contiguous) {
        return plan_allgatherv(*state_, contiguous, blocks, options);
    });
}

}  // namespace tutti
