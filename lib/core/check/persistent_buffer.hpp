// The buffer of a persistent request, from the call that makes it to its last start.
#pragma once

#include <memory>

#include "lib/core/check/watched_buffer.hpp"
#include "tutti/buffer.hpp"

namespace tutti::detail {
class Process;
}

namespace tutti::check {

class PersistentBuffer {
public:
    /// nullptr where buffers are not checked. The program makes the request in the call under way.
    static std::shared_ptr<const PersistentBuffer> watch(detail::Process& process,
                                                         const detail::ConstView& view);

    PersistentBuffer(detail::Process& process, const detail::ConstView& view);
    /// At a start: reports a buffer that was freed before. Under the lock.
    void look() const;

private:
    detail::Process& process_;
    const std::size_t size_bytes_;
    const Site site_ = call_site();
    const WatchedBuffer buffer_;
};

}  // namespace tutti::check
