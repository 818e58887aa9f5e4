// The daemon's end of ranks' output: reads their pipes and sends the bytes to the head, as fast as the
// head's terminal or file takes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "launcher/job/job_messages.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

class RankOutput {
public:
    /// Both references must outlive this. `on_all_closed` is called when all pipes have ended after
    /// drain().
    RankOutput(EventLoop& loop, Uplink& head, std::function<void()> on_all_closed);

    void add(int rank, Channel channel, UniqueFd read_end);
    /// The head has written so many more bytes.
    void taken(std::uint64_t bytes);
    /// No rank is left: reads the rest of the pipes and closes them. A process that left the job's process
    /// groups may still have one open.
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
    UniqueFd
        ready_;  // an epoll set of the pipes, inside the loop's epoll set: one change there stops all reading
    std::unordered_map<int, Stream> streams_;
    std::uint64_t on_the_way_bytes_ = 0;
    bool reading_ = true;
    bool draining_ = false;
};

}  // namespace tutti::launcher
