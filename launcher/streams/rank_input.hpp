// The daemon's end of standard input: keeps for each rank the bytes that its pipe does not take yet.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/event_loop.hpp"

namespace tutti::launcher {

class RankInput {
public:
    /// `on_taken` is called when the slowest rank has taken so many more bytes.
    RankInput(EventLoop& loop, std::function<void(std::uint64_t bytes)> on_taken);

    void add(int rank, UniqueFd write_end);
    /// For one rank or kAllRanks. No bytes: end of file. A rank may have closed its input.
    void write(int rank, std::string_view bytes);
    void remove(int rank);

private:
    struct Stream {
        UniqueFd pipe;
        std::string queue;
        bool ended = false;    // close the pipe when the queue is empty
        bool watched = false;  // waits for room in the pipe
    };
    void flush(int rank);
    void report_taken();

    EventLoop& loop_;
    std::function<void(std::uint64_t)> on_taken_;
    std::map<int, Stream> streams_;
    std::uint64_t outstanding_bytes_ = 0;  // received and not yet reported as taken
};

}  // namespace tutti::launcher
