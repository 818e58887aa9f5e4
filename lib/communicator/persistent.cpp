// Persistent requests: the arguments of a call, kept, and called with again and again.
#include "tutti/communicator.hpp"

namespace tutti {

void PersistentRequest::start()
{
    if (request_.active())
        throw Error(ErrorCode::invalid_argument, "PersistentRequest::start",
                    "the previous start is still under way; wait for it first");
    request_ = starter_->start();
}

namespace detail {

// The view of the buffer with a layout of its own, where it has one.
template <class AnyView>
struct KeptView {
    explicit KeptView(AnyView taken) : view(taken)
    {
        if (view.layout != nullptr)
            layout = *view.layout;
    }
    AnyView get() const { return {view.data, view.size_bytes, layout ? &*layout : nullptr}; }

    AnyView view;
    std::optional<Layout> layout;
};

}  // namespace detail

PersistentRequest Communicator::send_init_view(detail::ConstView view, int destination, int tag,
                                               SendMode mode) const
{
    struct Sender final : PersistentRequest::Starter {
        Sender(Communicator on, detail::ConstView view, int to, int with_tag, SendMode send_mode)
            : communicator(std::move(on)), kept(view), destination(to), tag(with_tag), mode(send_mode)
        {
        }
        Request start() override { return communicator.isend_view(kept.get(), destination, tag, mode); }

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
    struct Receiver final : PersistentRequest::Starter {
        Receiver(Communicator on, detail::View view, int from, int with_tag)
            : communicator(std::move(on)), kept(view), source(from), tag(with_tag)
        {
        }
        Request start() override { return communicator.irecv_view(kept.get(), source, tag); }

        Communicator communicator;
        detail::KeptView<detail::View> kept;
        int source;
        int tag;
    };
    return PersistentRequest(std::make_unique<Receiver>(*this, view, source, tag));
}

}  // namespace tutti
