// Reads the launcher's standard input for the ranks, as fast as they take it, while the launcher is in the
// terminal's foreground.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
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

/// How much of the standard input the slowest reading node has taken.
class StdinWindow {
public:
    void add_reader(int node) { taken_[node] = 0; }
    /// Nobody waits for a lost node. Returns how many more bytes all others have now taken.
    std::uint64_t remove_reader(int node)
    {
        taken_.erase(node);
        return advance();
    }
    /// `node` has taken so many more bytes. Returns how many more bytes all have now taken.
    std::uint64_t taken(int node, std::uint64_t bytes)
    {
        const auto found = taken_.find(node);
        if (found != taken_.end())
            found->second += bytes;
        return advance();
    }

private:
    std::uint64_t advance()
    {
        const auto slowest =
            std::ranges::min_element(taken_, {}, [](const auto& entry) { return entry.second; });
        const std::uint64_t by_all = slowest == taken_.end() ? by_all_ : slowest->second;
        const std::uint64_t more = by_all - by_all_;
        by_all_ = by_all;
        return more;
    }

    std::map<int, std::uint64_t> taken_;  // by node
    std::uint64_t by_all_ = 0;
};

}  // namespace tutti::launcher
