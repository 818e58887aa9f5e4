// Persistent requests: they keep the arguments of a call and start it again and again.
#include <exception>

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

namespace detail {

// The view of a buffer; keeps its layout alive.
template <class AnyView>
struct KeptView {
    explicit KeptView(AnyView taken) : view(taken), layout(taken.layout) {}

    AnyView view;
    datatype::TypemapRef layout;
};

}  // namespace detail

PersistentRequest Communicator::send_init_view(detail::ConstView view, int destination, int tag,
                                               SendMode mode) const
{
    struct Sender final : detail::Starter {
        Sender(Communicator on, detail::ConstView view, int to, int with_tag, SendMode send_mode)
            : communicator(std::move(on)), kept(view), destination(to), tag(with_tag), mode(send_mode)
        {
        }
        Request start() override { return communicator.isend_view(kept.view, destination, tag, mode); }

        Communicator communicator;
        detail::KeptView<detail::ConstView> kept;
        int destination;
        int tag;
        SendMode mode;
    };
    return PersistentRequest(std::make_unique<Sender>(*this, view, destination, tag, mode));
}

PersistentRequest Communicator::recv_init_view(detail::View view, int source, int tag) const
{
    struct Receiver final : detail::Starter {
        Receiver(Communicator on, detail::View view, int from, int with_tag)
            : communicator(std::move(on)), kept(view), source(from), tag(with_tag)
        {
        }
        Request start() override { return communicator.irecv_view(kept.view, source, tag); }

        Communicator communicator;
        detail::KeptView<detail::View> kept;
        int source;
        int tag;
    };
    return PersistentRequest(std::make_unique<Receiver>(*this, view, source, tag));
}

}  // namespace tutti
