// gather, gatherv, scatter and scatterv of a communicator: one operation in two directions. A rank has its
// own block, and the root the whole; in place, the root's own block lies within the whole.
#include "collectives/choice/algorithm_name.hpp"
#include "collectives/collectives.hpp"
#include "lib/core/calls/contiguous.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

using collectives::ask_for;
using collectives::CallKind;
using collectives::Group;

namespace {

struct Names {
    std::string_view operation;
    std::string_view own;
    std::string_view whole;
};

/// This rank's own block, and the whole, which matters only at root.
struct EqualParts {
    std::span<std::byte> own;
    std::byte* whole = nullptr;
};

struct UnequalParts {
    UnequalParts(const CommunicatorState& state, const Names& names, const Elements& own_part,
                 const Elements& whole_part, const BlockCounts& counts, ByteBlocks::Use use, bool in_place,
                 int root)
        : own{own_part.data, own_part.size_bytes()},
          whole(whole_part.data),
          blocks(state.rank() == root
                     ? ByteBlocks(names.operation, names.whole, counts, whole_part, state.size(), use)
                     : ByteBlocks())
    {
        if (state.rank() != root) {
            check_memory(names.operation, names.own, own_part);
            return;
        }
        const std::span<std::byte> place = blocks.in(whole)[root];
        if (in_place) {
            own = place;
        } else {
            check_own_count(names.operation, names.own, own_part, place.size(), root);
            check_apart(names.operation, own_part, whole_part);
        }
    }

    std::span<std::byte> own;
    std::byte* whole;
    ByteBlocks blocks;  // at root
};

// As mutable elements: which of the two buffers is only read depends on the direction.
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
        check_memory(names.operation, names.own, own);
        return {bytes_of(own), nullptr};
    }
    if (in_place)
        return {bytes_of(block_of(names.operation, whole, state.size(), root)), whole.data};
    check_multiple(names.operation, names.own, own, names.whole, whole, state.size());
    check_apart(names.operation, own, whole);
    return {bytes_of(own), whole.data};
}

// In place, a rank other than root has its own block in the only buffer.
BuffersUsed used_by_gather(bool in_place, bool is_root, bool overwritten)
{
    return {.in = true, .out = in_place || is_root, .out_written = is_root, .out_overwritten = overwritten};
}

BuffersUsed used_by_scatter(bool in_place, bool is_root, bool overwritten)
{
    return {
        .in = is_root, .out = true, .out_written = !(in_place && is_root), .out_overwritten = overwritten};
}

}  // namespace

CallHandle call_gather(const StatePointer& state, Form form, const BlockBuffers& given,
                       const RootOptions& options)
{
    check_root(*state, "gather", options.root);
    const Contiguous buffers("gather", given,
                             used_by_gather(given.in_place, state->rank() == options.root, true));
    const Elements own = buffers.in_place ? buffers.out : input_of(buffers);
    const EqualParts parts =
        equal_parts(*state, {"gather", "input", "output"}, own, buffers.out, buffers.in_place, options.root);
    return run(state, form, buffers,
               [own = parts.own, whole = parts.whole, root = options.root,
                asked = ask_for(CallKind::gather, options.algorithm)](Group& group) {
                   return collectives::gather(group, own, whole, root, asked);
               });
}

CallHandle call_gatherv(const StatePointer& state, Form form, const BlockBuffers& given,
                        const BlockCounts& counts, const RootOptions& options)
{
    check_root(*state, "gatherv", options.root);
    const Contiguous buffers("gatherv", given,
                             used_by_gather(given.in_place, state->rank() == options.root, false));
    const Elements own = buffers.in_place ? buffers.out : input_of(buffers);
    return run(state, form, buffers,
               [parts = UnequalParts(*state, {"gatherv", "input", "output"}, own, buffers.out, counts,
                                     ByteBlocks::Use::received, buffers.in_place, options.root),
                root = options.root, asked = ask_for(CallKind::gatherv, options.algorithm)](Group& group) {
                   return collectives::gatherv(group, parts.own, parts.blocks.in(parts.whole), root, asked);
               });
}

CallHandle call_scatter(const StatePointer& state, Form form, const BlockBuffers& given,
                        const RootOptions& options)
{
    check_root(*state, "scatter", options.root);
    const Contiguous buffers("scatter", given,
                             used_by_scatter(given.in_place, state->rank() == options.root, true));
    const Elements whole = buffers.in_place ? buffers.out : input_of(buffers);
    const EqualParts parts = equal_parts(*state, {"scatter", "output", "input"}, buffers.out, whole,
                                         buffers.in_place, options.root);
    return run(state, form, buffers,
               [own = parts.own, whole = parts.whole, root = options.root,
                asked = ask_for(CallKind::scatter, options.algorithm)](Group& group) {
                   return collectives::scatter(group, whole, own, root, asked);
               });
}

CallHandle call_scatterv(const StatePointer& state, Form form, const BlockBuffers& given,
                         const BlockCounts& counts, const RootOptions& options)
{
    check_root(*state, "scatterv", options.root);
    const Contiguous buffers("scatterv", given,
                             used_by_scatter(given.in_place, state->rank() == options.root, false));
    const Elements whole = buffers.in_place ? buffers.out : input_of(buffers);
    return run(state, form, buffers,
               [parts = UnequalParts(*state, {"scatterv", "output", "input"}, buffers.out, whole, counts,
                                     ByteBlocks::Use::sent, buffers.in_place, options.root),
                root = options.root, asked = ask_for(CallKind::scatterv, options.algorithm)](Group& group) {
                   const std::byte* const data = parts.whole;
                   return collectives::scatterv(group, parts.blocks.in(data), parts.own, root, asked);
               });
}

}  // namespace tutti::detail
