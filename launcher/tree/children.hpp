// The daemons directly below this process, the head or a daemon, and the ways through them to those further
// down.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/daemon_messages.hpp"
#include "launcher/tree/listener.hpp"
#include "launcher/tree/starter.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

/// What watch_for_silence() has its limit from, mostly.
inline constexpr const char* kDaemonTimeoutOption = "--daemon-timeout";

class Children {
public:
    struct Events {
        /// From any node below, the first one of each being its hello. Its number is right.
        std::function<void(const Frame& frame)> frame;
        /// These daemons did not come to be, or may not take part.
        std::function<void(const MissingDaemons& report)> not_started;
        /// Of these daemons nothing will be heard any more.
        std::function<void(const MissingDaemons& report)> lost;
        /// What the user may want to know: a command that is run (-v), a stranger at the port (once).
        std::function<void(const std::string& text, bool only_verbose)> note;
    };

    /// `self` is what this process proves to be to its children. All references must outlive this.
    Children(EventLoop& loop, const security::Key& key, security::Identity self,
             const InheritedState& inherited, Events events);
    ~Children();
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;

    /// A daemon that is connected already, of this machine.
    void adopt(int node, const std::string& name, UniqueFd stream);
    /// Starts those of order.hosts that are this process's to start: the head's where order.index is -1. Each
    /// of them is told to start those below it. Throws a std::exception when no port can be opened, or the
    /// interface is not there. Once.
    void start(const StartOrder& order);

    /// From now on each child is asked now and then to say something, and one that has been silent for
    /// `limit_seconds` is lost: its kernel may keep the connection alive, but it is stopped, or hangs. Only
    /// time in which this process itself is at work counts. 0: nobody is asked. `setting` is where the limit
    /// comes from, for the message. Once more begins anew, with another limit.
    void watch_for_silence(double limit_seconds, const std::string& setting);

    /// To the node that the frame names, or to all. What cannot be reached any more gets nothing.
    void send(const Frame& frame);

    /// "b (10.0.0.2)", for messages; empty for a node that is no child.
    std::string whereabouts(int node) const;
    /// See DaemonStarter::reaped().
    bool reaped(pid_t child, int wait_status) { return starter_ && starter_->reaped(child, wait_status); }

    /// Hangs up on all, which ends them, and waits up to `patience` until those who started them have ended.
    /// No event follows.
    void finish(std::chrono::milliseconds patience) noexcept;

private:
    struct Child {
        int node = 0;
        int index = -1;  // in order_.hosts; -1 for one that was adopted
        std::string name;
        std::string address;
        std::vector<int> nodes;  // its own and all below
        std::unique_ptr<Connection> connection;
        bool said_hello = false;
        bool at_work = false;   // it has said more than hello
        bool given_up = false;  // not_started or lost has been told
        int unanswered = 0;     // pings since it last said anything
    };

    std::string make_record(int node) const;
    void add_child(int node, int index, const std::string& name);
    void connect(Child& child, UniqueFd stream);
    void handle_joined(std::uint32_t node, UniqueFd stream);
    void handle_refused(const std::string& address, std::string_view reason);
    void handle_failed_start(const std::vector<int>& nodes, const std::string& reason);
    void handle_frame(Child& child, const Frame& frame);
    void handle_hello(Child& child, std::string_view payload);
    void handle_closed(Child& child, const std::string& reason);
    void tell_loss(Child& child, const std::string& reason);
    void ping_all();

    EventLoop& loop_;
    security::Key key_;
    security::Identity self_;
    const InheritedState& inherited_;
    Events events_;
    StartOrder order_;
    std::vector<std::string> addresses_;  // for connections back
    std::unique_ptr<Listener> listener_;
    std::optional<DaemonStarter> starter_;
    std::map<int, std::unique_ptr<Child>> children_;  // by node
    std::map<int, Child*> ways_;                      // for each node below, the child that leads there
    bool stranger_noted_ = false;
    double silence_limit_seconds_ = 0;
    std::string silence_setting_;
    EventLoop::TimerId ping_timer_ = 0;
};

}  // namespace tutti::launcher
