// A pipe by which a peer ends a poll(): for an owner that sleeps on file descriptors, which a futex cannot
// end.
#pragma once

#include "lib/foundation/base/unique_fd.hpp"
#include "transports/shm/local_process.hpp"

namespace tutti::transport::shm {

/// The owner's pipe. Peers open its writing end as they open memory, so it stays open.
class WakePipe {
public:
    /// False where the process may open no more files.
    bool open() noexcept;
    int reading_end() const noexcept { return reading_.get(); }
    int writing_end() const noexcept { return writing_.get(); }
    /// Takes out what was written.
    void drain() noexcept;

private:
    base::UniqueFd reading_;
    base::UniqueFd writing_;
};

/// A peer's way to ring it.
class WakeLine {
public:
    /// Opens descriptor `writing_end` of `owner` when it is first used; then, and where that fails, costs a
    /// write or nothing.
    void ring(const LocalProcess& owner, int writing_end, DescriptorExchange* exchange) noexcept;

private:
    base::UniqueFd line_;
    bool tried_ = false;
};

}  // namespace tutti::transport::shm
