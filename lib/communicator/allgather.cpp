// allgather and allgatherv of a communicator.
#include "lib/communicator/block_plan.hpp"
#include "tutti/block_collectives.hpp"

namespace tutti {

using collectives::Group;
using detail::ByteBlocks;
using detail::CommunicatorState;
using detail::ConstElements;
using detail::Elements;

namespace {

auto plan_allgather(const CommunicatorState& state, const std::optional<ConstElements>& in, Elements out)
{
    const std::byte* own = nullptr;
    if (in) {
        detail::check_multiple("allgather", "input", *in, "output", out, state.size());
        detail::check_apart("allgather", *in, out);
        own = in->data;
    } else {
        own = detail::block_of("allgather", out, state.size(), state.rank()).data;
    }
    return [own, out](Group& group) {
        return collectives::allgather(group, own, {out.data, out.size_bytes()});
    };
}

auto plan_allgatherv(const CommunicatorState& state, const std::optional<ConstElements>& in, Elements out,
                     const BlockCounts& counts)
{
    ByteBlocks blocks("allgatherv", "output", counts, out, state.size(), ByteBlocks::Use::received);
    const std::span<std::byte> place = blocks.in(out.data)[state.rank()];
    if (in) {
        detail::check_own_count("allgatherv", "input", *in, place.size(), state.rank());
        detail::check_apart("allgatherv", *in, out);
    }
    return [own = in ? in->data : place.data(), blocks = std::move(blocks), data = out.data](Group& group) {
        return collectives::allgatherv(group, own, blocks.in(data));
    };
}

}  // namespace

void BlockCollectives::allgather_elements(OptionalInput in, Elements out) const
{
    detail::run_blocking(*state_, plan_allgather(*state_, in, out));
}

Request BlockCollectives::iallgather_elements(OptionalInput in, Elements out) const
{
    return detail::start_plan(state_, plan_allgather(*state_, in, out));
}

void BlockCollectives::allgatherv_elements(OptionalInput in, Elements out, BlockCounts blocks) const
{
    detail::run_blocking(*state_, plan_allgatherv(*state_, in, out, blocks));
}

Request BlockCollectives::iallgatherv_elements(OptionalInput in, Elements out, BlockCounts blocks) const
{
    return detail::start_plan(state_, plan_allgatherv(*state_, in, out, blocks));
}

}  // namespace tutti
