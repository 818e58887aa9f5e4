// alltoall and alltoallv of a communicator.
#include "lib/communicator/block_plan.hpp"
#include "tutti/block_collectives.hpp"

namespace tutti {

using collectives::Group;
using detail::ByteBlocks;
using detail::CommunicatorState;
using detail::ConstElements;
using detail::Elements;

namespace {

using Input = std::optional<ConstElements>;  // nothing: in place

auto plan_alltoall(const CommunicatorState& state, const Input& in, Elements out)
{
    detail::block_of("alltoall", out, state.size(), state.rank());
    if (in) {
        detail::check_equal_size("alltoall", *in, out);
        detail::check_apart("alltoall", *in, out);
    }
    return [in, bytes = std::span(out.data, out.size_bytes())](Group& group) {
        return in ? collectives::alltoall(group, in->data, bytes)
                  : collectives::alltoall_in_place(group, bytes);
    };
}

auto plan_alltoallv(const CommunicatorState& state, ConstElements in, const BlockCounts& sent, Elements out,
                    const BlockCounts& received)
{
    ByteBlocks from("alltoallv", "input", sent, in, state.size(), ByteBlocks::Use::sent);
    ByteBlocks to("alltoallv", "output", received, out, state.size(), ByteBlocks::Use::received);
    detail::check_apart("alltoallv", in, out);
    const auto rank = static_cast<std::size_t>(state.rank());
    detail::check_kept_count("alltoallv", from.sizes()[rank], to.sizes()[rank], state.rank());
    return [from = std::move(from), to = std::move(to), in = in.data, out = out.data](Group& group) {
        return collectives::alltoallv(group, from.in(in), to.in(out));
    };
}

auto plan_alltoallv_in_place(const CommunicatorState& state, Elements data, const BlockCounts& counts)
{
    ByteBlocks blocks("alltoallv", "buffer", counts, data, state.size(), ByteBlocks::Use::received);
    return [blocks = std::move(blocks), data = data.data](Group& group) {
        return collectives::alltoallv_in_place(group, blocks.in(data));
    };
}

}  // namespace

void BlockCollectives::alltoall_elements(OptionalInput in, Elements out) const
{
    detail::run_blocking(*state_, plan_alltoall(*state_, in, out));
}

Request BlockCollectives::ialltoall_elements(OptionalInput in, Elements out) const
{
    return detail::start_plan(state_, plan_alltoall(*state_, in, out));
}

void BlockCollectives::alltoallv_elements(OptionalInput in, BlockCounts sent, Elements out,
                                          BlockCounts received) const
{
    if (in)
        detail::run_blocking(*state_, plan_alltoallv(*state_, *in, sent, out, received));
    else
        detail::run_blocking(*state_, plan_alltoallv_in_place(*state_, out, received));
}

Request BlockCollectives::ialltoallv_elements(OptionalInput in, BlockCounts sent, Elements out,
                                              BlockCounts received) const
{
    return in ? detail::start_plan(state_, plan_alltoallv(*state_, *in, sent, out, received))
              : detail::start_plan(state_, plan_alltoallv_in_place(*state_, out, received));
}

}  // namespace tutti
