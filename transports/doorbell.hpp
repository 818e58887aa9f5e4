// What an engine sleeps on while a transport brings nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::transport {

/// Belongs to its transport, and is called as that is. Nothing here blocks.
class Doorbell {
public:
    /// The futex word that changes when something arrives while armed, shared between processes where the
    /// transport is. nullptr: arrivals come through the kernel, and wait_fd() tells of them. Constant.
    virtual std::atomic<std::uint32_t>* word() noexcept { return nullptr; }
    /// A file descriptor, the transport's, that is readable whenever progress() may find something, at least
    /// between arm() and disarm(). Where there is a word(), from the first call on: for an engine that has to
    /// sleep on descriptors. -1: there is none.
    virtual int wait_fd() { return -1; }
    /// From here on every arrival changes the word and wakes its futex. The caller must call progress() once
    /// more after arm() and before it sleeps.
    virtual void arm() {}
    virtual void disarm() noexcept {}

protected:
    ~Doorbell() = default;
};

}  // namespace tutti::transport
