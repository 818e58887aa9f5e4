// The daemons directly below this process (the head or a daemon), and the connections that lead to those
// further down.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launcher/job/job_messages.hpp"
#include "launcher/job/job_plan.hpp"
#include "launcher/tree/daemon_listener.hpp"
#include "launcher/tree/starter.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

/// The option that sets the limit of watch_for_silence().
inline constexpr const char* kDaemonTimeoutOption = "--daemon-timeout";

class Children {
public:
    struct Events {
        /// A frame of a node below, with the right number. The first one of each node is its hello.
        std::function<void(const Frame& frame)> frame;
        /// These daemons could not be started, or may not take part.
        std::function<void(const MissingDaemons& report)> not_started;
        /// These daemons are lost.
        std::function<void(const MissingDaemons& report)> lost;
        /// A line for the user: a command that is run (-v), a refused connection at the port (once).
        std::function<void(const std::string& text, bool only_verbose)> note;
    };

    /// `self` is the identity that this process proves to its children. All references must outlive this.
    Children(EventLoop& loop, const security::Key& key, security::Identity self,
             const InheritedState& inherited, Events events);
    ~Children();

    /// Starts the daemons of order.hosts that are directly below this process (the head where order.index
    /// is -1), and has each start those below it. To be called once. Throws a std::exception when no
    /// port can be opened, or the interface is not there.
    void start(const StartOrder& order);
    /// The head's start: fills in the hosts of `order`. `local_daemon` leads to the daemon of the host that
    /// is local.
    void start(StartOrder order, std::span<const Host> hosts, UniqueFd local_daemon);

    /// From now on each child gets pings, and is lost when it answers none for `limit_seconds`: its kernel
    /// may keep the connection alive, but the daemon is stopped or hangs. Only time in which this process
    /// runs counts. 0: no pings. `setting` names the option that sets the limit, for the message. A second
    /// call sets another limit.
    void watch_for_silence(double limit_seconds, const std::string& setting);

    /// Sends to the node that the frame names, or to all. Frames to lost nodes are dropped.
    void send(const Frame& frame);

    /// "b (10.0.0.2)", for messages; empty for a node that is no child.
    std::string describe_host(int node) const;
    /// See DaemonStarter::reaped().
    bool reaped(pid_t child, int wait_status) { return starter_ && starter_->reaped(child, wait_status); }

    /// Closes all connections, which ends the daemons, and waits up to `timeout` for their agents to end.
    /// No event follows.
    void finish(std::chrono::milliseconds timeout) noexcept;

private:
    struct Child {
        int node = 0;
        int index = -1;  // in order_.hosts; -1 for one that was adopted
        std::string name;
        std::string address;
        std::vector<int> nodes;  // its own and all below
        std::unique_ptr<Connection> connection;
        bool said_hello = false;
        bool at_work = false;   // it has sent more than its hello
        bool given_up = false;  // not_started or lost was reported
        int unanswered = 0;     // pings since its last frame
    };

    std::string make_record(int node) const;
    Child& add_child(int node, int index, const std::string& name);
    void connect(Child& child, UniqueFd stream);
    void handle_joined(std::uint32_t node, UniqueFd stream);
    void handle_refused(const std::string& address, std::string_view reason);
    void handle_failed_start(const std::vector<int>& nodes, const std::string& reason);
    void handle_frame(Child& child, const Frame& frame);
    void handle_hello(Child& child, std::string_view payload);
    void handle_closed(Child& child, const std::string& reason);
    void report_loss(Child& child, const std::string& reason);
    void ping_all();

    EventLoop& loop_;
    security::Key key_;
    security::Identity self_;
    const InheritedState& inherited_;
    Events events_;
    StartOrder order_;
    std::vector<std::string> addresses_;  // to which children connect
    std::unique_ptr<DaemonListener> listener_;
    std::optional<DaemonStarter> starter_;
    std::map<int, Child> children_;  // by node
    std::map<int, Child*> ways_;     // by node below: the child that leads there
    bool refusal_noted_ = false;
    double silence_limit_seconds_ = 0;
    std::string silence_setting_;
    EventLoop::TimerId ping_timer_ = 0;
};

}  // namespace tutti::launcher
