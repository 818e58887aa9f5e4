// Persistent requests: they keep the arguments of a call and start it again and again.
#include <exception>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/requests/function_starter.hpp"
#include "lib/core/requests/lend.hpp"
#include "lib/foundation/datatype/typemap.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

void PersistentRequest::start()
{
    if (request_.active())
        throw Error(ErrorCode::invalid_argument, "PersistentRequest::start",
                    "the previous start is still under way; wait for it first");
    request_ = starter_->start();
}

void start_all(std::span<PersistentRequest> requests)
{
    for (PersistentRequest& request : requests)
        request.start();
}

void wait_all(std::span<PersistentRequest> requests)
{
    std::exception_ptr first;
    for (PersistentRequest& request : requests) {
        try {
            request.wait();
        } catch (...) {
            if (!first)
                first = std::current_exception();
        }
    }
    if (first)
        std::rethrow_exception(first);
}

// A persistent message holds its communicator, and its buffer's layout.

PersistentRequest Communicator::send_init_view(detail::ConstView view, int destination, int tag,
                                               SendMode mode) const
{
    const detail::CallHandle made(
        detail::starter_of([on = *this, view, layout = datatype::TypemapRef(view.layout), destination, tag,
                            mode] { return on.isend_view(view, destination, tag, mode); }));
    return detail::lend(state_->process(), made, {&view, 1}).persistent();
}

PersistentRequest Communicator::recv_init_view(detail::View view, int source, int tag) const
{
    const detail::CallHandle made(
        detail::starter_of([on = *this, view, layout = datatype::TypemapRef(view.layout), source, tag] {
            return on.irecv_view(view, source, tag);
        }));
    const detail::ConstView buffer = view;
    return detail::lend(state_->process(), made, {&buffer, 1}).persistent();
}

}  // namespace tutti
