// alltoall and alltoallv of a communicator.
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

struct BothBlocks {
    BothBlocks(const CommunicatorState& state, const ConstElements& in, const BlockCounts& sent,
               const ConstElements& out, const BlockCounts& received)
        : from("alltoallv", "input", sent, in, state.size(), ByteBlocks::Use::sent),
          to("alltoallv", "output", received, out, state.size(), ByteBlocks::Use::received)
    {
        check_apart("alltoallv", in, out);
        const auto rank = static_cast<std::size_t>(state.rank());
        check_kept_count("alltoallv", from.sizes()[rank], to.sizes()[rank], state.rank());
    }

    ByteBlocks from;
    ByteBlocks to;
};

CallHandle call_alltoallv_in_place(const StatePointer& state, Form form, const Contiguous& buffers,
                                   const BlockCounts& counts, const CollectiveOptions& options)
{
    ByteBlocks blocks("alltoallv", "buffer", counts, buffers.out, state->size(), ByteBlocks::Use::received);
    return run(state, form, buffers,
               [blocks = std::move(blocks), data = buffers.out.data,
                asked = ask_for(CallKind::alltoallv_in_place, options.algorithm)](Group& group) {
                   return collectives::alltoallv_in_place(group, blocks.in(data), asked);
               });
}

}  // namespace

CallHandle call_alltoall(const StatePointer& state, Form form, const BlockBuffers& given,
                         const CollectiveOptions& options)
{
    const Contiguous buffers("alltoall", given, {.out_overwritten = true});
    block_of("alltoall", buffers.out, state->size(), state->rank());
    if (!buffers.in_place) {
        check_equal_size("alltoall", buffers.in, buffers.out);
        check_apart("alltoall", buffers.in, buffers.out);
    }
    const CallKind kind = buffers.in_place ? CallKind::alltoall_in_place : CallKind::alltoall;
    return run(state, form, buffers,
               [in = buffers.in.data, out = std::span(buffers.out.data, buffers.out.size_bytes()),
                in_place = buffers.in_place, asked = ask_for(kind, options.algorithm)](Group& group) {
                   return in_place ? collectives::alltoall_in_place(group, out, asked)
                                   : collectives::alltoall(group, in, out, asked);
               });
}

CallHandle call_alltoallv(const StatePointer& state, Form form, const BlockBuffers& given,
                          const BlockCounts& sent, const BlockCounts& received,
                          const CollectiveOptions& options)
{
    const Contiguous buffers("alltoallv", given);
    if (buffers.in_place)
        return call_alltoallv_in_place(state, form, buffers, received, options);
    const auto& in = buffers.in;
    const auto& out = buffers.out;
    return run(state, form, buffers,
               [blocks = BothBlocks(*state, in, sent, out, received), in = in.data, out = out.data,
                asked = ask_for(CallKind::alltoallv, options.algorithm)](Group& group) {
                   return collectives::alltoallv(group, blocks.from.in(in), blocks.to.in(out), asked);
               });
}

}  // namespace tutti::detail
