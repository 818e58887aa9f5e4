// The daemon's end of what ranks write: reads their pipes and sends the bytes to the head, no faster than the
// head's terminal or file takes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "launcher/job/messages.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

class RankOutput {
public:
    /// Both must outlive this. `on_all_closed` is called when the last pipe is at its end after drain().
    RankOutput(EventLoop& loop, Uplink& head, std::function<void()> on_all_closed);

    void add(int rank, Channel channel, UniqueFd read_end);
    /// The head has passed on so many bytes.
    void taken(std::uint64_t bytes);
    /// No rank is left: what the pipes hold is all that comes, even if a process that left the job's process
    /// groups still has one of them open.
    void drain();

private:
    struct Stream {
        int rank;
        Channel channel;
        UniqueFd pipe;
    };
    static std::string payload_of(const Stream& stream);
    void read_ready();
    void read_one(int fd);
    void end_stream(int fd);
    void read_rest();
    void switch_reading();

    EventLoop& loop_;
    Uplink& head_;
    std::function<void()> on_all_closed_;
    UniqueFd ready_;  // an epoll set of the pipes in the loop's epoll set: one switch stops all reading
    std::unordered_map<int, Stream> streams_;
    std::uint64_t on_the_way_bytes_ = 0;
    bool reading_ = true;
    bool draining_ = false;
};

}  // namespace tutti::launcher
