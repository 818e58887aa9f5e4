// The daemon's ends of its ranks' control channels: ranks report that they join, leave or abort, and
// deposit values for each other.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/event_loop.hpp"
#include "lib/foundation/control/packet.hpp"

namespace tutti::launcher {

class ControlChannels {
public:
    /// `missing`: perhaps later. `gone`: never.
    enum class Deposit { found, missing, gone };
    using Answer = std::function<void(Deposit result, std::string bytes)>;

    struct Events {
        std::function<void(int rank, const std::string& leaving_call)> joined;  // see control::Channel
        std::function<void(int rank)> left;
        /// `thread` waits for let_go(), where it is not 0.
        std::function<void(int rank, int status, const std::string& message, pid_t thread)> aborted;
        /// It waits for let_go().
        std::function<void(int rank, pid_t process, const control::Crash& crash)> crashed;
        /// A rank of this node asks for a deposit of `rank`, which is on another node or does not exist.
        /// `answer` may be called later, or never.
        std::function<void(int rank, const std::string& name, Answer answer)> wanted_of_other_node;
        std::function<void(int rank, UniqueFd page)> showed_status = [](int, UniqueFd) {};
        std::function<void(int rank, UniqueFd memory)> showed_profile = [](int, UniqueFd) {};
    };

    ControlChannels(EventLoop& loop, Events events) : loop_(loop), events_(std::move(events)) {}
    ~ControlChannels();
    ControlChannels(const ControlChannels&) = delete;
    ControlChannels& operator=(const ControlChannels&) = delete;

    /// Opens the channel of a rank of this node, and returns the rank's end. Its number is one that scripts
    /// do not use. Throws std::system_error.
    UniqueFd open(int rank);

    /// The job's description, for ranks that fetch it.
    void set_job(std::string description) { job_ = std::move(description); }

    /// The rank's process has ended: reads what it has sent before. Its descriptors are closed, its other
    /// deposits stay.
    void ended(int rank);

    /// A rank that waits to crash or abort does so.
    void let_go(int rank);

    /// What a rank of this node has deposited.
    Deposit find(int rank, const std::string& name, std::string& bytes) const;

private:
    struct Deposited {
        std::string bytes;
        UniqueFd descriptor;
    };
    struct Rank {
        UniqueFd socket;  // empty once the rank has ended or closed its end
        bool ended = false;
        std::size_t waiting = 0;  // of its fetches
        std::map<std::string, Deposited> deposits;
    };

    struct Fetch {
        int asker;
        control::Packet packet;
    };

    void read(int rank);
    void take_packets(int rank, int most);
    void answer_fetches();
    void close(Rank& rank);
    void handle(int rank, control::Packet& packet);
    void fetch(int asker, const control::Packet& packet);
    void answer(int asker, std::uint32_t serial, Deposit result, std::string bytes, int descriptor = -1);

    EventLoop& loop_;
    Events events_;
    std::string job_;
    std::map<int, Rank> ranks_;
    std::deque<Fetch> fetches_;  // that have no answer yet
    bool answers_later_ = false;
};

}  // namespace tutti::launcher
