// alltoall and alltoallv of a communicator.
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
using detail::Elements;
using detail::Started;

namespace {

auto plan_alltoall(const CommunicatorState& state, const BlockBuffers& buffers,
                   const CollectiveOptions& options)
{
    const auto& [in, out, in_place, in_layout, out_layout] = buffers;
    detail::block_of("alltoall", out, state.size(), state.rank());
    if (!in_place) {
        detail::check_equal_size("alltoall", in, out);
        detail::check_apart("alltoall", in, out);
    }
    return [in = in.data, out = std::span(out.data, out.size_bytes()), in_place,
            asked = ask_for(in_place ? CallKind::alltoall_in_place : CallKind::alltoall, options.algorithm)](
               Group& group) {
        return in_place ? collectives::alltoall_in_place(group, out, asked)
                        : collectives::alltoall(group, in, out, asked);
    };
}

auto plan_alltoallv(const CommunicatorState& state, const BlockBuffers& buffers, const BlockCounts& sent,
                    const BlockCounts& received, const CollectiveOptions& options)
{
    const auto& [in, out, in_place, in_layout, out_layout] = buffers;
    ByteBlocks from("alltoallv", "input", sent, in, state.size(), ByteBlocks::Use::sent);
    ByteBlocks to("alltoallv", "output", received, out, state.size(), ByteBlocks::Use::received);
    detail::check_apart("alltoallv", in, out);
    const auto rank = static_cast<std::size_t>(state.rank());
    detail::check_kept_count("alltoallv", from.sizes()[rank], to.sizes()[rank], state.rank());
    return [from = std::move(from), to = std::move(to), in = in.data, out = out.data,
            asked = ask_for(CallKind::alltoallv, options.algorithm)](Group& group) {
        return collectives::alltoallv(group, from.in(in), to.in(out), asked);
    };
}

auto plan_alltoallv_in_place(const CommunicatorState& state, Elements data, const BlockCounts& counts,
                             const CollectiveOptions& options)
{
    ByteBlocks blocks("alltoallv", "buffer", counts, data, state.size(), ByteBlocks::Use::received);
    return [blocks = std::move(blocks), data = data.data,
            asked = ask_for(CallKind::alltoallv_in_place, options.algorithm)](Group& group) {
        return collectives::alltoallv_in_place(group, blocks.in(data), asked);
    };
}

}  // namespace

Started BlockCollectives::call_alltoall(Form form, const Buffers& buffers,
                                        const CollectiveOptions& options) const
{
    const detail::BuffersUsed used{.out_read = buffers.in_place};
    return detail::run_on(form, state_, "alltoall", buffers, used, [&](const Buffers& contiguous) {
        return plan_alltoall(*state_, contiguous, options);
    });
}

Started BlockCollectives::call_alltoallv(Form form, const Buffers& buffers, const BlockCounts& sent,
                                         const BlockCounts& received, const CollectiveOptions& options) const
{
    if (buffers.in_place)
        return detail::run_on(form, state_, "alltoallv", buffers, {}, [&](const Buffers& contiguous) {
            return plan_alltoallv_in_place(*state_, contiguous.out, received, options);
        });
    return detail::run_on(form, state_, "alltoallv", buffers, {}, [&](const Buffers& contiguous) {
        return plan_alltoallv(*state_, contiguous, sent, received, options);
    });
}

}  // namespace tutti
