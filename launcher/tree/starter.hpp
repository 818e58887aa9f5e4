// Starts daemons on other hosts by ssh, srun or another agent, and watches the agents.
//
// An agent is one ssh for each host, or one srun for all. It gets the record of its daemon on its standard
// input, since all users can read command lines. It runs as long as its daemon does. Its output is kept for
// messages.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/job/start_command.hpp"
#include "launcher/ranks/spawn.hpp"

namespace tutti::launcher {

/// In place of a node, for Events::record: one record for several hosts. A daemon then finds its node by
/// SLURMD_NODENAME.
inline constexpr int kNodeByName = -1;

class DaemonStarter {
public:
    struct Events {
        /// The bytes for the standard input of the daemon of `node`, or of all (kNodeByName).
        std::function<std::string(int node)> record;
        /// For -v: this command is about to run. May be empty.
        std::function<void(const std::vector<std::string>& command)> starting;
        /// The daemons of `nodes` will not come: their agent has failed or timed out, and is being killed.
        /// `reason` is whole sentences with hosts, command, the agent's output and a remedy. Called from
        /// start() or from the loop, at most once for each agent. It must not destroy the starter.
        std::function<void(const std::vector<int>& nodes, const std::string& reason)> failed;
    };

    /// All references must outlive the starter. To be used in the main thread only: agents die with the
    /// thread that starts them.
    DaemonStarter(EventLoop& loop, StartMethod method, const InheritedState& inherited, Events events);
    /// Kills what is left.
    ~DaemonStarter();
    DaemonStarter(const DaemonStarter&) = delete;
    DaemonStarter& operator=(const DaemonStarter&) = delete;

    /// Starts daemons on `hosts`, no more than kAgentsAtOnce at a time. Does not block.
    void start(const std::vector<RemoteHost>& hosts);

    /// The daemon of `node` has connected and proved that it belongs to the job: its agent may end from now
    /// on.
    void connected(int node);

    /// The end of what the agent of `node` has written so far. It may say why a connection was lost.
    std::string output_of(int node) const;

    /// For a process that reaps all its children: true when `child` was an agent.
    bool reaped(pid_t child, int wait_status);

    /// Ends all agents, and blocks until they are gone. Those whose daemons had connected get `timeout` to
    /// end by themselves, so that their hosts are clean afterwards; then they are killed. No event follows.
    void finish(std::chrono::milliseconds timeout) noexcept;

    /// Bounds the load of this machine. Each sshd gets one connection only.
    static constexpr std::size_t kAgentsAtOnce = 64;

private:
    struct Agent {
        std::vector<RemoteHost> missing;  // hosts whose daemons have not connected
        std::vector<int> nodes;           // all of its
        std::vector<std::string> command;
        std::string text;  // it has written, the end of it
        pid_t pid = -1;
        UniqueFd process;  // pidfd
        UniqueFd output;
        EventLoop::TimerId timer = 0;
        EventLoop::TimerId nagle_timer = 0;
        bool failed = false;
    };

    void start_some();
    void run(std::vector<RemoteHost> hosts);
    pid_t execute(Agent& agent, int standard_input, int output) const;
    void disable_nagle_soon(Agent& agent, std::chrono::milliseconds wait);
    void read_output(Agent& agent);
    void handle_end(Agent& agent);
    void ended(Agent& agent, int wait_status);
    void fail(Agent& agent, AgentEnd::Kind kind, int number);
    void forget(Agent& agent);
    bool wait_for_agents(std::chrono::steady_clock::time_point until) noexcept;

    EventLoop& loop_;
    StartMethod method_;
    InheritedState inherited_;
    Events events_;
    std::deque<RemoteHost> waiting_;
    std::list<Agent> agents_;   // they do not move
    std::size_t starting_ = 0;  // agents whose daemons have not all connected
    bool finished_ = false;
};

/// Makes ssh's own connection faster from outside: ssh sends its handshake in small messages with Nagle's
/// algorithm on, and twice a message waits 40 ms for the delayed acknowledgement of the one before. No option
/// of ssh changes that, so its parent does. Sets TCP_NODELAY on the TCP connections of a child, given by its
/// pidfd. False where it has none yet, or the kernel does not permit it (seccomp, Yama).
bool disable_nagle(int process) noexcept;

}  // namespace tutti::launcher
