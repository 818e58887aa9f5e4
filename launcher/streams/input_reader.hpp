// Reads the launcher's standard input for the ranks, as fast as they take it, while the launcher is in the
// terminal's foreground.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "launcher/base/event_loop.hpp"

namespace tutti::launcher {

class InputReader {
public:
    /// `deliver` gets what was read, and an empty text once at the end of the file. SIGTTIN must be
    /// blocked.
    InputReader(EventLoop& loop, std::function<void(std::string_view)> deliver);
    ~InputReader();
    InputReader(const InputReader&) = delete;
    InputReader& operator=(const InputReader&) = delete;

    /// The ranks have taken so many more bytes.
    void taken(std::uint64_t bytes);

private:
    void start();
    void stop();
    void read();
    void retry_later();

    EventLoop& loop_;
    std::function<void(std::string_view)> deliver_;
    std::uint64_t on_the_way_bytes_ = 0;
    bool watching_ = false;
    bool ended_ = false;
    EventLoop::TimerId timer_ = 0;
};

}  // namespace tutti::launcher
