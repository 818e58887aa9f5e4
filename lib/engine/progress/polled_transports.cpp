#include "lib/engine/progress/polled_transports.hpp"

namespace tutti::progress {

transport::Transport& PolledTransports::add(std::unique_ptr<transport::Transport> transport)
{
    transport::Doorbell* const doorbell = transport->doorbell();
    const bool asks_kernel = doorbell != nullptr && doorbell->word() == nullptr;
    (asks_kernel ? in_kernel_ : in_memory_).push_back(transport.get());
    return *all_.emplace_back(std::move(transport));
}

// Frames do not wait for the turn of their transport.
void PolledTransports::flush_kernel()
{
    for (transport::Transport* const transport : in_kernel_)
        transport->flush();
}

std::size_t PolledTransports::poll_kernel(transport::Sink& sink, std::size_t events_in_memory)
{
    if (events_in_memory != 0) {
        last_was_in_memory_ = true;
        passes_without_kernel_ = asks_kernel_rarely_ ? kPassesAfterMemory : 0;
        flush_kernel();
        return 0;
    }
    if (passes_without_kernel_ != 0) {
        --passes_without_kernel_;
        flush_kernel();
        return 0;
    }
    std::size_t events = 0;
    for (std::size_t i = 0; i < in_kernel_.size(); ++i)
        events += in_kernel_[i]->progress(sink);
    if (events != 0)
        last_was_in_memory_ = false;
    else if (last_was_in_memory_ && asks_kernel_rarely_)
        passes_without_kernel_ = kPassesBetween;
    return events;
}

}  // namespace tutti::progress
