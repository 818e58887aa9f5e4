// barrier and broadcast of a communicator.
#include "collectives/choice/algorithm_name.hpp"
#include "collectives/collectives.hpp"
#include "lib/core/calls/contiguous.hpp"
#include "lib/core/communicators/buffer_checks.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

using collectives::ask_for;
using collectives::CallKind;
using collectives::Group;

CallHandle call_barrier(const StatePointer& state, Form form, const CollectiveOptions& options)
{
    return run(state, form, [asked = ask_for(CallKind::barrier, options.algorithm)](Group& group) {
        return collectives::barrier(group, asked);
    });
}

CallHandle call_broadcast(const StatePointer& state, Form form, const BlockBuffers& buffer,
                          const RootOptions& options)
{
    check_root(*state, "broadcast", options.root);
    const bool is_root = state->rank() == options.root;
    const Contiguous buffers("broadcast", {{}, buffer.out, is_root, nullptr, buffer.out_layout},
                             {.out_written = !is_root, .out_overwritten = true});
    check_memory("broadcast", "buffer", buffers.out);
    return run(state, form, buffers,
               [data = std::span(buffers.out.data, buffers.out.size_bytes()), root = options.root,
                asked = ask_for(CallKind::broadcast, options.algorithm)](Group& group) {
                   return collectives::broadcast(group, data, root, asked);
               });
}

}  // namespace tutti::detail
