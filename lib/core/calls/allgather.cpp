// allgather and allgatherv of a communicator.
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

/// The blocks of all ranks in the output, and this rank's own, which lies among them in place.
struct GatheredBlocks {
    GatheredBlocks(const CommunicatorState& state, const BlockBuffers& buffers, const BlockCounts& counts)
        : all("allgatherv", "output", counts, buffers.out, state.size(), ByteBlocks::Use::received),
          own(buffers.in.data)
    {
        const std::span<std::byte> place = all.in(buffers.out.data)[state.rank()];
        if (buffers.in_place) {
            own = place.data();
            return;
        }
        check_own_count("allgatherv", "input", buffers.in, place.size(), state.rank());
        check_apart("allgatherv", buffers.in, buffers.out);
    }

    ByteBlocks all;
    const std::byte* own;
};

}  // namespace

CallHandle call_allgather(const StatePointer& state, Form form, const BlockBuffers& given,
                          const CollectiveOptions& options)
{
    const Contiguous buffers("allgather", given, {.out_overwritten = true});
    const Elements out = buffers.out;
    const std::byte* own = buffers.in.data;
    if (buffers.in_place) {
        own = block_of("allgather", out, state->size(), state->rank()).data;
    } else {
        check_multiple("allgather", "input", buffers.in, "output", out, state->size());
        check_apart("allgather", buffers.in, out);
    }
    return run(state, form, buffers,
               [own, out, asked = ask_for(CallKind::allgather, options.algorithm)](Group& group) {
                   return collectives::allgather(group, own, {out.data, out.size_bytes()}, asked);
               });
}

CallHandle call_allgatherv(const StatePointer& state, Form form, const BlockBuffers& given,
                           const BlockCounts& counts, const CollectiveOptions& options)
{
    const Contiguous buffers("allgatherv", given);
    return run(state, form, buffers,
               [blocks = GatheredBlocks(*state, buffers, counts), out = buffers.out.data,
                asked = ask_for(CallKind::allgatherv, options.algorithm)](Group& group) {
                   return collectives::allgatherv(group, blocks.own, blocks.all.in(out), asked);
               });
}

}  // namespace tutti::detail
