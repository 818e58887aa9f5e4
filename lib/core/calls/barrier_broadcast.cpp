// barrier and broadcast of a communicator.
#include "collectives/algorithm_name.hpp"
#include "collectives/collectives.hpp"
#include "lib/core/calls/buffer_checks.hpp"
#include "lib/core/messages/packed_buffers.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

using collectives::ask_for;
using collectives::CallKind;
using collectives::Group;
using detail::BlockBuffers;
using detail::Started;

Started Communicator::call_barrier(Form form, const CollectiveOptions& options) const
{
    return detail::run(form, state_, [asked = ask_for(CallKind::barrier, options.algorithm)](Group& group) {
        return collectives::barrier(group, asked);
    });
}

Started Communicator::call_broadcast(Form form, const BlockBuffers& buffer, const RootOptions& options) const
{
    detail::check_root(*state_, "broadcast", options.root);
    const detail::BuffersUsed used{.out_read = rank_ == options.root, .out_written = rank_ != options.root};
    return detail::run_on(form, state_, "broadcast", buffer, used, [&](const BlockBuffers& buffers) {
        detail::check_memory("broadcast", "buffer", buffers.out);
        return [data = std::span(buffers.out.data, buffers.out.size_bytes()), root = options.root,
                asked = ask_for(CallKind::broadcast, options.algorithm)](Group& group) {
            return collectives::broadcast(group, data, root, asked);
        };
    });
}

}  // namespace tutti
