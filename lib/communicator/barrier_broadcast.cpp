// barrier and broadcast of a communicator.
#include "collectives/collectives.hpp"
#include "lib/communicator/buffer_checks.hpp"
#include "lib/communicator/packed_buffers.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

using collectives::Group;
using detail::BlockBuffers;
using detail::Started;

Started Communicator::call_barrier(Form form) const
{
    return detail::run(form, state_, [](Group& group) { return collectives::barrier(group); });
}

Started Communicator::call_broadcast(Form form, const BlockBuffers& buffer, int root) const
{
    detail::check_root(*state_, "broadcast", root);
    const detail::BuffersUsed used{.out_written = rank_ != root};
    return detail::run_on(form, state_, "broadcast", buffer, used, [root](const BlockBuffers& buffers) {
        return [data = std::span(buffers.out.data, buffers.out.size_bytes()), root](Group& group) {
            return collectives::broadcast(group, data, root);
        };
    });
}

}  // namespace tutti
