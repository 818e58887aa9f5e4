// Communicator's collectives: runs the algorithms' coroutines, to their end (blocking) or by progress.
#include "collectives/collectives.hpp"

#include "lib/communicator/run_collective.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

namespace {

using collectives::Group;
using detail::check_root;
using detail::CollectiveRequest;
using detail::run_blocking;
using detail::start;

}  // namespace

void Communicator::barrier() const
{
    run_blocking(*state_, [](Group& group) { return collectives::barrier(group); });
}

Request Communicator::ibarrier() const
{
    return start(state_, [](CollectiveRequest& request) { return collectives::barrier(request.group); });
}

Request Communicator::ibroadcast_view(detail::View view, int root) const
{
    check_root(*state_, "broadcast", root);
    return start(state_, [&](CollectiveRequest& request) {
        std::span<std::byte> bytes(view.data, view.size_bytes);
        if (view.layout != nullptr) {
            request.packed.resize(view.size_bytes);
            bytes = request.packed;
            if (root == rank_)
                view.layout->pack(view.data, 0, bytes);
            else
                request.after = [&request, base = view.data, layout = *view.layout] {
                    layout.unpack(base, 0, request.packed);
                };
        }
        return collectives::broadcast(request.group, bytes, root);
    });
}

void Communicator::broadcast_view(detail::View view, int root) const
{
    if (view.layout != nullptr) {
        ibroadcast_view(view, root).wait();
        return;
    }
    check_root(*state_, "broadcast", root);
    run_blocking(*state_, [&](Group& group) {
        return collectives::broadcast(group, {view.data, view.size_bytes}, root);
    });
}

}  // namespace tutti
