#include "launcher/job/start_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/base/descriptors.hpp"
#include "launcher/base/host_names.hpp"
#include "launcher/job/agent_words.hpp"

namespace tutti::launcher {
namespace {

constexpr std::size_t kCausesShown = 2000;
constexpr std::size_t kWarningsShown = 500;

/// `text` as one word for any shell.
std::string shell_quoted(std::string_view text)
{
    std::string result = "'";
    for (const char letter : text)
        result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return result + "'";
}

std::vector<std::string> names_of(std::span<const RemoteHost> hosts)
{
    std::vector<std::string> names;
    for (const RemoteHost& host : hosts)
        names.push_back(host.name);
    return names;
}

bool says(const AgentEnd& end, std::string_view part)
{
    return end.output.find(part) != std::string::npos;
}

/// The most frequent causes of messages of ssh and of the remote shell, special ones first.
std::string remedy(const StartMethod& method, const RemoteHost& host, const AgentEnd& end)
{
    const std::string account = host.user.empty() ? host.name : host.user + "@" + host.name;
    struct Row {
        std::string_view output;
        std::string text;
    };
    const std::array<Row, 10> rows = {{
        {"Could not resolve hostname",
         fmt::format("is the name right? This machine must know it: by DNS, /etc/hosts or ~/.ssh/config; an "
                     "address of {} does as well",
                     host.name)},
        {"Host key verification failed",
         fmt::format("run 'ssh {}' once by hand and accept its key, or correct ~/.ssh/known_hosts", account)},
        {"IDENTIFICATION HAS CHANGED",
         fmt::format("if that is right, remove the old key: 'ssh-keygen -R {}'", host.name)},
        {"Permission denied (",
         fmt::format("'ssh {} true' must work without a password: put your public key into "
                     "~/.ssh/authorized_keys there (ssh-copy-id), or name the user: user@{}",
                     account, host.name)},
        {"Connection refused", fmt::format("is sshd running on {}, and at this port?", host.name)},
        {"timed out", fmt::format("is {} up, and does no firewall keep ssh out?", host.name)},
        {"No route to host", fmt::format("is {} up, and the network between the two?", host.name)},
        {"Exec format error",
         fmt::format("{} there is for another processor: all hosts of a job need one architecture",
                     method.program)},
        {"unknown option '--daemon'",
         "another Tutti is installed there: install the same version on all hosts"},
        {"error while loading shared libraries",
         "install the libraries that Tutti needs there: scripts/install-dependencies"},
    }};
    for (const Row& row : rows)
        if (says(end, row.output))
            return row.text;
    const bool not_there = end.number == 127 || end.number == 126 || says(end, "execve(): ");
    if (end.kind == AgentEnd::Kind::exited && not_there) {
        return fmt::format(
            "Tutti must be installed on {} as {}, for this user to run: install it there, or "
            "say where it is: --prefix DIR, for DIR/bin/tuttirun",
            host.name, method.program);
    }
    if (end.kind == AgentEnd::Kind::too_late) {
        return fmt::format(
            "does a firewall of this machine keep {} from connecting back? If it is only slow, "
            "raise --start-timeout",
            host.name);
    }
    return "'tuttirun --doctor' with the same hosts looks for the cause";
}

std::string describe_end(const StartMethod& method, const AgentEnd& end)
{
    switch (end.kind) {
        case AgentEnd::Kind::cannot_run:
            return fmt::format("cannot be run: {}", describe_system_error(end.number));
        case AgentEnd::Kind::exited:
            return fmt::format("ended with status {} before the daemon had connected", end.number);
        case AgentEnd::Kind::killed:
            return fmt::format("was ended by signal {} ({})", end.number, ::strsignal(end.number));
        case AgentEnd::Kind::too_late:
            return fmt::format("brought up no daemon that connects within {} s", method.timeout_seconds);
    }
    return {};
}

/// The end of the lines, each in a line of its own.
std::string indented(const std::vector<std::string>& lines, std::size_t most)
{
    const std::string text = fmt::format("{}", fmt::join(lines, "\n    "));
    return "\n    " + text.substr(text.size() - std::min(text.size(), most));
}

/// The end of the output: first what may be the cause.
std::string shown_output(const std::string& output)
{
    const AgentWords words = words_of_agent(output);
    if (words.causes.empty() && words.warnings.empty())
        return " and said nothing";
    std::string result = " and said";
    if (!words.causes.empty())
        result += ":" + indented(words.causes, kCausesShown);
    if (!words.warnings.empty())
        result += (words.causes.empty() ? " nothing but warnings:" : "\nand, as a warning:") +
                  indented(words.warnings, kWarningsShown);
    return result;
}

}  // namespace

bool is_openssh(const StartMethod& method)
{
    const std::string& name = method.agent.front();
    return method.kind == StartMethod::Agent::remote_shell && name.substr(name.rfind('/') + 1) == "ssh";
}

std::string shown_command(const std::vector<std::string>& command)
{
    std::string text;
    for (const std::string& word : command) {
        text += text.empty() ? "" : " ";
        text += word.find_first_of(" '") == std::string::npos ? word : fmt::format("\"{}\"", word);
    }
    return text;
}

std::vector<std::string> remote_shell_command(const StartMethod& method, const RemoteHost& host)
{
    std::vector<std::string> command = method.agent;
    if (is_openssh(method)) {
        // ssh must not ask the user, and must end.
        command.insert(command.end(), {"-x", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"});
    }
    if (!host.user.empty())
        command.insert(command.end(), {"-l", host.user});
    command.push_back(host.name);
    command.push_back(fmt::format("exec {} --daemon", shell_quoted(method.program)));
    return command;
}

std::vector<std::string> srun_command(const StartMethod& method, std::span<const RemoteHost> hosts)
{
    std::vector<std::string> command = method.agent;
    // --overlap: the batch script may be a step that has all cores. The allocation's number of tasks is for
    // ranks, and this launcher binds them.
    command.insert(command.end(),
                   {fmt::format("--nodes={}", hosts.size()), fmt::format("--ntasks={}", hosts.size()),
                    "--ntasks-per-node=1", "--nodelist=" + folded_hosts(names_of(hosts)), "--overlap",
                    "--mpi=none", "--cpu-bind=none", "--kill-on-bad-exit=0", "--wait=0", "--input=all",
                    "--export=ALL", "--job-name=tuttirun", method.program, "--daemon"});
    return command;
}

std::string describe_start_failure(const StartMethod& method, const std::vector<std::string>& command,
                                   std::span<const RemoteHost> hosts, const AgentEnd& end)
{
    if (end.kind == AgentEnd::Kind::cannot_run && (end.number == EMFILE || end.number == ENFILE)) {
        return fmt::format("cannot start tuttirun on {}: {} {}", hosts_in_words(names_of(hosts)),
                           command.front(), describe_end(method, end));
    }
    if (end.kind == AgentEnd::Kind::cannot_run) {
        return fmt::format(
            "cannot start tuttirun on {}: {} {}; {}", hosts_in_words(names_of(hosts)), command.front(),
            describe_end(method, end),
            method.kind == StartMethod::Agent::srun
                ? "Slurm's srun must be found in PATH inside an allocation; or start daemons by ssh: "
                  "--launcher ssh"
                : "install openssh-client, or name another command by --launch-agent");
    }
    return fmt::format("cannot start tuttirun on {}: '{}' {}{}\n{}", hosts_in_words(names_of(hosts)),
                       shown_command(command), describe_end(method, end), shown_output(end.output),
                       remedy(method, hosts.front(), end));
}

}  // namespace tutti::launcher
