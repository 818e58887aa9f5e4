// gather, gatherv, scatter and scatterv of a communicator: two directions of the same thing. A rank has its
// own block, and the root the whole; in place, the root's own block lies within the whole.
#include <optional>

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
using detail::BuffersUsed;
using detail::ByteBlocks;
using detail::CommunicatorState;
using detail::Elements;
using detail::Started;

namespace {

struct Names {
    std::string_view operation;
    std::string_view own;
    std::string_view whole;
};

/// This rank's own block, and what matters at root alone: the whole.
struct EqualParts {
    std::span<std::byte> own;
    std::byte* whole = nullptr;
};

struct UnequalParts {
    std::span<std::byte> own;
    std::byte* whole = nullptr;
    std::optional<ByteBlocks> blocks;  // at root
};

// One of the two buffers is only read, another one in each direction.
Elements input_of(const BlockBuffers& buffers)
{
    return {const_cast<std::byte*>(buffers.in.data), buffers.in.count, buffers.in.element_bytes};
}

std::span<std::byte> bytes_of(const Elements& elements)
{
    return {elements.data, elements.size_bytes()};
}

inline EqualParts equal_parts(const CommunicatorState& state, const Names& names, const Elements& own,
                              const Elements& whole, bool in_place, int root)
{
    if (state.rank() != root) {
        detail::check_memory(names.operation, names.own, own);
        return {bytes_of(own), nullptr};
    }
    if (in_place)
        return {bytes_of(detail::block_of(names.operation, whole, state.size(), root)), whole.data};
    detail::check_multiple(names.operation, names.own, own, names.whole, whole, state.size());
    detail::check_apart(names.operation, own, whole);
    return {bytes_of(own), whole.data};
}

UnequalParts unequal_parts(const CommunicatorState& state, const Names& names, const Elements& own,
                           const Elements& whole, const BlockCounts& counts, ByteBlocks::Use use,
                           bool in_place, int root)
{
    UnequalParts parts{bytes_of(own), whole.data, {}};
    if (state.rank() != root) {
        detail::check_memory(names.operation, names.own, own);
        return parts;
    }
    parts.blocks.emplace(names.operation, names.whole, counts, whole, state.size(), use);
    const std::span<std::byte> place = parts.blocks->in(whole.data)[root];
    if (in_place) {
        parts.own = place;
    } else {
        detail::check_own_count(names.operation, names.own, own, place.size(), root);
        detail::check_apart(names.operation, own, whole);
    }
    return parts;
}

auto plan_gather(const CommunicatorState& state, const BlockBuffers& buffers, const RootOptions& options)
{
    const Elements own = buffers.in_place ? buffers.out : input_of(buffers);
    const EqualParts parts =
        equal_parts(state, {"gather", "input", "output"}, own, buffers.out, buffers.in_place, options.root);
    return [own = parts.own, whole = parts.whole, root = options.root,
            asked = ask_for(CallKind::gather, options.algorithm)](Group& group) {
        return collectives::gather(group, own, whole, root, asked);
    };
}

auto plan_gatherv(const CommunicatorState& state, const BlockBuffers& buffers, const BlockCounts& counts,
                  const RootOptions& options)
{
    const Elements own = buffers.in_place ? buffers.out : input_of(buffers);
    return [parts = unequal_parts(state, {"gatherv", "input", "output"}, own, buffers.out, counts,
                                  ByteBlocks::Use::received, buffers.in_place, options.root),
            root = options.root, asked = ask_for(CallKind::gatherv, options.algorithm)](Group& group) {
        const auto all = parts.blocks ? parts.blocks->in(parts.whole) : collectives::Blocks();
        return collectives::gatherv(group, parts.own, all, root, asked);
    };
}

auto plan_scatter(const CommunicatorState& state, const BlockBuffers& buffers, const RootOptions& options)
{
    const Elements whole = buffers.in_place ? buffers.out : input_of(buffers);
    const EqualParts parts = equal_parts(state, {"scatter", "output", "input"}, buffers.out, whole,
                                         buffers.in_place, options.root);
    return [own = parts.own, whole = parts.whole, root = options.root,
            asked = ask_for(CallKind::scatter, options.algorithm)](Group& group) {
        return collectives::scatter(group, whole, own, root, asked);
    };
}

auto plan_scatterv(const CommunicatorState& state, const BlockBuffers& buffers, const BlockCounts& counts,
                   const RootOptions& options)
{
    const Elements whole = buffers.in_place ? buffers.out : input_of(buffers);
    return [parts = unequal_parts(state, {"scatterv", "output", "input"}, buffers.out, whole, counts,
                                  ByteBlocks::Use::sent, buffers.in_place, options.root),
            root = options.root, asked = ask_for(CallKind::scatterv, options.algorithm)](Group& group) {
        const std::byte* const data = parts.whole;
        const auto all = parts.blocks ? parts.blocks->in(data) : collectives::ConstBlocks();
        return collectives::scatterv(group, all, parts.own, root, asked);
    };
}

// In place, a rank other than root has its own block in the one buffer.
BuffersUsed used_by_gather(bool in_place, bool is_root)
{
    return {.in = true, .out = in_place || is_root, .out_written = is_root};
}

BuffersUsed used_by_scatter(bool in_place, bool is_root)
{
    return {.in = is_root, .out = true, .out_written = !(in_place && is_root)};
}

}  // namespace

Started BlockCollectives::call_gather(Form form, const Buffers& buffers, const RootOptions& options) const
{
    detail::check_root(*state_, "gather", options.root);
    BuffersUsed used = used_by_gather(buffers.in_place, state_->rank() == options.root);
    used.out_read = buffers.in_place;
    return detail::run_on(form, state_, "gather", buffers, used, [&](const Buffers& contiguous) {
        return plan_gather(*state_, contiguous, options);
    });
}

Started BlockCollectives::call_gatherv(Form form, const Buffers& buffers, const BlockCounts& blocks,
                                       const RootOptions& options) const
{
    detail::check_root(*state_, "gatherv", options.root);
    const BuffersUsed used = used_by_gather(buffers.in_place, state_->rank() == options.root);
    return detail::run_on(form, state_, "gatherv", buffers, used, [&](const Buffers& contiguous) {
        return plan_gatherv(*state_, contiguous, blocks, options);
    });
}

Started BlockCollectives::call_scatter(Form form, const Buffers& buffers, const RootOptions& options) const
{
    detail::check_root(*state_, "scatter", options.root);
    BuffersUsed used = used_by_scatter(buffers.in_place, state_->rank() == options.root);
    used.out_read = buffers.in_place;
    return detail::run_on(form, state_, "scatter", buffers, used, [&](const Buffers& contiguous) {
        return plan_scatter(*state_, contiguous, options);
    });
}

Started BlockCollectives::call_scatterv(Form form, const Buffers& buffers, const BlockCounts& blocks,
                                        const RootOptions& options) const
{
    detail::check_root(*state_, "scatterv", options.root);
    const BuffersUsed used = used_by_scatter(buffers.in_place, state_->rank() == options.root);
    return detail::run_on(form, state_, "scatterv", buffers, used, [&](const Buffers& contiguous) {
        return plan_scatterv(*state_, contiguous, blocks, options);
    });
}

}  // namespace tutti
