// What an engine sleeps on while a transport has nothing to deliver.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::transport {

/// Belongs to its transport, whose rules hold for its calls. Nothing here blocks.
class Doorbell {
public:
    /// The futex word that changes when something arrives while armed. It is shared between processes if the
    /// transport is. nullptr: arrivals come through the kernel, and wait_fd() reports them. Constant.
    virtual std::atomic<std::uint32_t>* word() noexcept { return nullptr; }
    /// The transport's file descriptor, readable whenever progress() may find something, at least between
    /// arm() and disarm(). Where there is a word(), it works from the first call on: for an engine that must
    /// sleep on descriptors. -1: there is none.
    virtual int wait_fd() { return -1; }
    /// From now on every arrival changes the word and wakes its futex. After arm() the caller must call
    /// progress() once more before it sleeps.
    virtual void arm() {}
    virtual void disarm() noexcept {}

protected:
    ~Doorbell() = default;
};

}  // namespace tutti::transport
