// The transports of a rank, and which of them a pass of progress polls.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "transports/transport.hpp"

namespace tutti::progress {

/// Owns the transports. Those that look into memory are polled in every pass. Those that ask the kernel, which
/// costs many times a look into memory, are polled in every pass only while events come from them.
class PolledTransports {
public:
    /// `asks_kernel_rarely`: ranks spin, so that passes are short and many.
    explicit PolledTransports(bool asks_kernel_rarely) noexcept : asks_kernel_rarely_(asks_kernel_rarely) {}

    transport::Transport& add(std::unique_ptr<transport::Transport> transport);
    const std::vector<std::unique_ptr<transport::Transport>>& all() const noexcept { return all_; }

    /// Polls once; returns the number of events. Transports may be added meanwhile.
    [[gnu::always_inline]] std::size_t poll(transport::Sink& sink)
    {
        std::size_t events = 0;
        for (std::size_t i = 0; i < in_memory_.size(); ++i)
            events += in_memory_[i]->progress(sink);
        if (!in_kernel_.empty()) [[unlikely]]
            events += poll_kernel(sink, events);
        return events;
    }
    /// The next poll() asks the kernel, too.
    void ask_kernel_next() noexcept { passes_without_kernel_ = 0; }

private:
    // Passes that do not ask the kernel: after an event from memory, and from then on between two passes that
    // ask. The next event is likely to come from memory, too.
    static constexpr unsigned kPassesAfterMemory = 16;
    static constexpr unsigned kPassesBetween = 4;

    void flush_kernel();
    std::size_t poll_kernel(transport::Sink& sink, std::size_t events_in_memory);

    const bool asks_kernel_rarely_;
    std::vector<std::unique_ptr<transport::Transport>> all_;
    std::vector<transport::Transport*> in_memory_;
    std::vector<transport::Transport*> in_kernel_;
    unsigned passes_without_kernel_ = 0;  // left until the kernel is asked again
    bool last_was_in_memory_ = false;     // where the last event came from
};

}  // namespace tutti::progress
