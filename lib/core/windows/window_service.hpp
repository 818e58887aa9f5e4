// The windows of a rank: frames for them, and what this rank waits for at them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>

namespace tutti::detail {

class Process;
class Window;
struct WindowHeader;

/// What a call waits for, in the words of a report.
struct WindowWait {
    std::string text;
    int rank = -1;  // of the job, that can end it; -1: any
};

/// The windows of a rank, by the context of their communicator. Under the engine's lock.
class WindowService {
public:
    explicit WindowService(Process& process);

    void add(Window& window);
    void remove(const Window& window) noexcept;
    std::uint64_t next_number() noexcept { return ++made_; }

    /// Calls visit(context, peer) for each rank of the job that a window depends on.
    void for_each_awaited(const std::function<void(std::uint64_t context, int peer)>& visit) const;
    void fail_waits_for_lost();
    /// The newest wait at the window whose communicator has the context; empty where there is none.
    WindowWait wait_of(std::uint64_t context, bool collective) const;

private:
    /// The window of a frame, which has its sender's rank; nullptr: it has been freed.
    Window* window_of(int peer, const WindowHeader& header) const;
    void frame(int peer, std::span<const std::byte> header, std::span<const std::byte> payload);

    std::unordered_map<std::uint64_t, Window*> windows_;
    std::uint64_t made_ = 0;
};

}  // namespace tutti::detail
