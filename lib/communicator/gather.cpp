// gather and gatherv of a communicator.
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

auto plan_gather(const CommunicatorState& state, const Input& in, Elements out, int root)
{
    detail::check_root(state, "gather", root);
    const bool is_root = state.rank() == root;
    ConstElements own = in.value_or(out);
    if (is_root && in) {
        detail::check_multiple("gather", "input", *in, "output", out, state.size());
        detail::check_apart("gather", *in, out);
    } else if (is_root) {
        own = detail::block_of("gather", out, state.size(), root);
    } else {
        detail::check_memory("gather", "input", own);
    }
    return [own, all = is_root ? out.data : nullptr, root](Group& group) {
        return collectives::gather(group, {own.data, own.size_bytes()}, all, root);
    };
}

/// The blocks at root; nothing elsewhere, where the counts do not matter.
std::optional<ByteBlocks> gathered_blocks(const CommunicatorState& state, const Input& in, Elements out,
                                          const BlockCounts& counts, int root)
{
    detail::check_root(state, "gatherv", root);
    if (state.rank() != root) {
        detail::check_memory("gatherv", "input", in.value_or(out));
        return std::nullopt;
    }
    ByteBlocks blocks("gatherv", "output", counts, out, state.size(), ByteBlocks::Use::received);
    if (in) {
        detail::check_own_count("gatherv", "input", *in, blocks.sizes()[static_cast<std::size_t>(root)],
                                root);
        detail::check_apart("gatherv", *in, out);
    }
    return blocks;
}

auto plan_gatherv(const CommunicatorState& state, const Input& in, Elements out, const BlockCounts& counts,
                  int root)
{
    return [blocks = gathered_blocks(state, in, out, counts, root), in, out, root](Group& group) {
        const ConstElements given = in.value_or(out);
        std::span<const std::byte> own(given.data, given.size_bytes());
        collectives::Blocks all;
        if (blocks) {
            all = blocks->in(out.data);
            if (!in)
                own = all[root];
        }
        return collectives::gatherv(group, own, all, root);
    };
}

}  // namespace

void BlockCollectives::gather_elements(OptionalInput in, Elements out, int root) const
{
    detail::run_blocking(*state_, plan_gather(*state_, in, out, root));
}

Request BlockCollectives::igather_elements(OptionalInput in, Elements out, int root) const
{
    return detail::start_plan(state_, plan_gather(*state_, in, out, root));
}

void BlockCollectives::gatherv_elements(OptionalInput in, Elements out, BlockCounts blocks, int root) const
{
    detail::run_blocking(*state_, plan_gatherv(*state_, in, out, blocks, root));
}

Request BlockCollectives::igatherv_elements(OptionalInput in, Elements out, BlockCounts blocks,
                                            int root) const
{
    return detail::start_plan(state_, plan_gatherv(*state_, in, out, blocks, root));
}

}  // namespace tutti
