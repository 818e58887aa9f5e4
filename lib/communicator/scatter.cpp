// scatter and scatterv of a communicator.
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

auto plan_scatter(const CommunicatorState& state, const Input& in, Elements out, int root)
{
    detail::check_root(state, "scatter", root);
    const bool is_root = state.rank() == root;
    Elements own = out;
    if (is_root && in) {
        detail::check_multiple("scatter", "output", out, "input", *in, state.size());
        detail::check_apart("scatter", *in, out);
    } else if (is_root) {
        own = detail::block_of("scatter", out, state.size(), root);
    } else {
        detail::check_memory("scatter", "output", out);
    }
    return [own, all = is_root ? in.value_or(out).data : nullptr, root](Group& group) {
        return collectives::scatter(group, all, {own.data, own.size_bytes()}, root);
    };
}

/// The blocks at root; nothing elsewhere, where the counts do not matter.
std::optional<ByteBlocks> scattered_blocks(const CommunicatorState& state, const Input& in, Elements out,
                                           const BlockCounts& counts, int root)
{
    detail::check_root(state, "scatterv", root);
    if (state.rank() != root) {
        detail::check_memory("scatterv", "output", out);
        return std::nullopt;
    }
    ByteBlocks blocks("scatterv", "input", counts, in.value_or(out), state.size(), ByteBlocks::Use::sent);
    if (in) {
        detail::check_own_count("scatterv", "output", out, blocks.sizes()[static_cast<std::size_t>(root)],
                                root);
        detail::check_apart("scatterv", *in, out);
    }
    return blocks;
}

auto plan_scatterv(const CommunicatorState& state, const Input& in, Elements out, const BlockCounts& counts,
                   int root)
{
    return [blocks = scattered_blocks(state, in, out, counts, root), in, out, root](Group& group) {
        std::span<std::byte> own(out.data, out.size_bytes());
        collectives::ConstBlocks all;
        if (blocks) {
            all = blocks->in(in.value_or(out).data);
            if (!in)
                own = blocks->in(out.data)[root];
        }
        return collectives::scatterv(group, all, own, root);
    };
}

}  // namespace

void BlockCollectives::scatter_elements(OptionalInput in, Elements out, int root) const
{
    detail::run_blocking(*state_, plan_scatter(*state_, in, out, root));
}

Request BlockCollectives::iscatter_elements(OptionalInput in, Elements out, int root) const
{
    return detail::start_plan(state_, plan_scatter(*state_, in, out, root));
}

void BlockCollectives::scatterv_elements(OptionalInput in, BlockCounts blocks, Elements out, int root) const
{
    detail::run_blocking(*state_, plan_scatterv(*state_, in, out, blocks, root));
}

Request BlockCollectives::iscatterv_elements(OptionalInput in, BlockCounts blocks, Elements out,
                                             int root) const
{
    return detail::start_plan(state_, plan_scatterv(*state_, in, out, blocks, root));
}

}  // namespace tutti
