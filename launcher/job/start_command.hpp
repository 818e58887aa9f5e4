// The commands that start daemons on other hosts, and the causes of their failures.
#pragma once

#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::launcher {

/// A host that needs a daemon. `node` is its index in the job.
struct RemoteHost {
    int node = 0;
    std::string name;
    std::string user;  // empty: the agent chooses

    static auto fields(auto& self) { return std::tie(self.node, self.name, self.user); }
};

/// How daemons are started; the same for all hosts of a job.
struct StartMethod {
    enum class Agent {
        remote_shell,  // one command a host: AGENT [-l USER] HOST COMMAND, as ssh understands it
        srun           // one command for all hosts, inside a Slurm allocation
    };
    Agent kind = Agent::remote_shell;
    std::vector<std::string> agent = {"ssh"};  // the command and its first arguments
    std::string program;                       // path of tuttirun on the other hosts
    double timeout_seconds = 30;               // from the agent's start to the daemon's connection

    static auto fields(auto& self)
    {
        return std::tie(self.kind, self.agent, self.program, self.timeout_seconds);
    }
};

/// How an agent failed.
struct AgentEnd {
    enum class Kind { cannot_run, exited, killed, too_late };
    Kind kind = Kind::exited;
    int number = 0;      // errno, exit status or signal
    std::string output;  // what it wrote to stdout and stderr
};

/// Whether the agent is called ssh.
bool is_openssh(const StartMethod& method);

/// Arguments of the agent for one host. They hold no secret: all users of this machine can read them.
std::vector<std::string> remote_shell_command(const StartMethod& method, const RemoteHost& host);

/// Arguments of one srun for all hosts, which must not be empty.
std::vector<std::string> srun_command(const StartMethod& method, std::span<const RemoteHost> hosts);

/// The command as one line that can be pasted into a terminal.
std::string shown_command(const std::vector<std::string>& command);

/// Why the daemons of `hosts` did not start, with the agent's output and a remedy: "cannot start tuttirun
/// on b: ...". `hosts` must not be empty.
std::string describe_start_failure(const StartMethod& method, const std::vector<std::string>& command,
                                   std::span<const RemoteHost> hosts, const AgentEnd& end);

}  // namespace tutti::launcher
