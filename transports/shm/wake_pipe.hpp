// A pipe that ends a peer's poll(): for an owner that sleeps on file descriptors, where a futex cannot wake
// it.
#pragma once

#include "lib/foundation/base/unique_fd.hpp"
#include "transports/shm/local_process.hpp"

namespace tutti::transport::shm {

/// The owner's pipe. Peers open its writing end as they open memory, so it stays open.
class WakePipe {
public:
    /// False when the process may open no more files.
    bool open() noexcept;
    int reading_end() const noexcept { return reading_.get(); }
    int writing_end() const noexcept { return writing_.get(); }
    /// Reads and discards the bytes.
    void drain() noexcept;

private:
    base::UniqueFd reading_;
    base::UniqueFd writing_;
};

/// A peer's end of that pipe.
class WakeLine {
public:
    /// Writes a byte. The first call opens descriptor `writing_end` of `owner`; if that fails, nothing
    /// happens.
    void ring(const LocalProcess& owner, int writing_end, DescriptorExchange* exchange) noexcept;

private:
    base::UniqueFd line_;
    bool tried_ = false;
};

}  // namespace tutti::transport::shm
