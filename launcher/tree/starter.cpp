#include "launcher/tree/starter.hpp"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "launcher/base/option_values.hpp"

namespace tutti::launcher {
namespace {

/// Only the end of an agent's output is kept: that says why it failed.
constexpr std::size_t kOutputKept = 8192;
/// Between asking an agent to end and killing it.
constexpr std::chrono::milliseconds kAgentGrace{500};
/// When ssh is first and last examined for a connection. Where it waits longer for a name server or a host,
/// 80 ms do not matter.
constexpr std::chrono::milliseconds kFirstLook{10};
constexpr std::chrono::milliseconds kLastLook{2000};

/// A file in memory with these bytes, at its start. Unlike a pipe it takes all of them at once, and has an
/// end.
UniqueFd file_with(const std::string& bytes)
{
    UniqueFd fd(::memfd_create("tuttirun-record", MFD_CLOEXEC));
    std::size_t written = 0;
    while (fd && written < bytes.size()) {
        const ssize_t count = ::write(fd.get(), bytes.data() + written, bytes.size() - written);
        if (count <= 0)
            return {};
        written += static_cast<std::size_t>(count);
    }
    if (fd)
        ::lseek(fd.get(), 0, SEEK_SET);
    return fd;
}

/// This process's environment without variables that make srun bind daemons to the cores of one task.
std::vector<char*> environment_of_agents()
{
    constexpr std::array<std::string_view, 3> kOfOneTask = {
        "SRUN_CPUS_PER_TASK=", "SLURM_CPUS_PER_TASK=", "SLURM_TRES_PER_TASK="};
    std::vector<char*> result;
    for (char** entry = ::environ; *entry != nullptr; ++entry)
        if (std::ranges::none_of(kOfOneTask, [entry](std::string_view name) {
                return std::string_view(*entry).starts_with(name);
            }))
            result.push_back(*entry);
    result.push_back(nullptr);
    return result;
}

void signal_agent(pid_t pid, int signal) noexcept
{
    ::kill(-pid, signal);
    ::kill(-pid, SIGCONT);
}

/// A program's first descriptors; those above standard error are its own.
constexpr int kFirstOwn = 3;
constexpr int kLastOwn = 15;

bool is_tcp(int fd) noexcept
{
    int protocol = 0;
    socklen_t size = sizeof protocol;
    return ::getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 && protocol == IPPROTO_TCP;
}

}  // namespace

DaemonStarter::DaemonStarter(EventLoop& loop, StartMethod method, const InheritedState& inherited,
                             Events events)
    : loop_(loop), method_(std::move(method)), inherited_(inherited), events_(std::move(events))
{
}

DaemonStarter::~DaemonStarter()
{
    finish(std::chrono::milliseconds(0));
}

void DaemonStarter::start(const std::vector<RemoteHost>& hosts)
{
    if (hosts.empty())
        return;
    if (method_.kind == StartMethod::Agent::srun) {
        run(hosts);
        return;
    }
    waiting_.insert(waiting_.end(), hosts.begin(), hosts.end());
    start_some();
}

void DaemonStarter::start_some()
{
    while (!finished_ && !waiting_.empty() && starting_ < kAgentsAtOnce) {
        RemoteHost host = std::move(waiting_.front());
        waiting_.pop_front();
        run({std::move(host)});
    }
}

void DaemonStarter::run(std::vector<RemoteHost> hosts)
{
    const bool by_srun = method_.kind == StartMethod::Agent::srun;
    Agent& agent = agents_.emplace_back();
    ++starting_;
    agent.command = by_srun ? srun_command(method_, hosts) : remote_shell_command(method_, hosts.front());
    const int record_for = by_srun ? kNodeByName : hosts.front().node;
    for (const RemoteHost& host : hosts)
        agent.nodes.push_back(host.node);
    agent.missing = std::move(hosts);
    if (events_.starting)
        events_.starting(agent.command);

    const UniqueFd record = file_with(events_.record(record_for));
    std::array<int, 2> ends{-1, -1};
    if (!record || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
        fail(agent, AgentEnd::Kind::cannot_run, errno);
        return;
    }
    agent.output.reset(ends[0]);
    const UniqueFd write_end(ends[1]);
    ::fcntl(agent.output.get(), F_SETFL, O_NONBLOCK);
    try {
        agent.pid = execute(agent, record.get(), write_end.get());
    } catch (const SpawnError& error) {
        fail(agent, AgentEnd::Kind::cannot_run, error.error_number);
        return;
    }
    agent.process.reset(static_cast<int>(::syscall(SYS_pidfd_open, agent.pid, 0)));
    if (!agent.process) {
        fail(agent, AgentEnd::Kind::cannot_run, errno);
        return;
    }
    loop_.watch(agent.output.get(), EPOLLIN, [this, &agent](std::uint32_t) { read_output(agent); });
    loop_.watch(agent.process.get(), EPOLLIN, [this, &agent](std::uint32_t) { handle_end(agent); });
    agent.timer = loop_.after_awake(std::chrono::duration<double>(method_.timeout_seconds), [this, &agent] {
        fail(agent, AgentEnd::Kind::too_late, 0);
        start_some();
    });
    if (is_openssh(method_))
        disable_nagle_soon(agent, kFirstLook);
}

/// Looks for ssh's connection after `wait`, and then after twice that time each, until it is there.
void DaemonStarter::disable_nagle_soon(Agent& agent, std::chrono::milliseconds wait)
{
    agent.nagle_timer = loop_.after(wait, [this, &agent, wait] {
        if (agent.process && !disable_nagle(agent.process.get()) && wait < kLastLook)
            disable_nagle_soon(agent, wait * 2);
    });
}

pid_t DaemonStarter::execute(Agent& agent, int standard_input, int output) const
{
    const std::string program = find_program(agent.command.front(), environment_variable("PATH"), {});
    const std::vector<int> unbound;
    std::vector<char*> environment = environment_of_agents();
    return spawn({.program = program.c_str(),
                  .argv = &agent.command,
                  .environment = environment.data(),
                  .working_directory = "",
                  .cpus = &unbound,
                  .standard_streams = {standard_input, output, output},
                  .inherited = &inherited_});
}

void DaemonStarter::connected(int node)
{
    for (Agent& agent : agents_) {
        const bool waits =
            std::erase_if(agent.missing, [&](const RemoteHost& host) { return host.node == node; }) > 0;
        if (waits && agent.missing.empty() && !agent.failed) {
            loop_.cancel(agent.timer);
            --starting_;
            start_some();
            return;
        }
    }
}

std::string DaemonStarter::output_of(int node) const
{
    for (const Agent& agent : agents_)
        if (std::ranges::find(agent.nodes, node) != agent.nodes.end())
            return agent.text;
    return {};
}

void DaemonStarter::read_output(Agent& agent)
{
    std::array<char, 4096> buffer;
    ssize_t count = 0;
    while ((count = ::read(agent.output.get(), buffer.data(), buffer.size())) > 0) {
        agent.text.append(buffer.data(), static_cast<std::size_t>(count));
        if (agent.text.size() > kOutputKept)
            agent.text.erase(0, agent.text.size() - kOutputKept);
    }
    if (count == 0 || errno != EAGAIN) {
        loop_.forget(agent.output.get());
        agent.output.reset();
    }
}

void DaemonStarter::handle_end(Agent& agent)
{
    int status = 0;
    const pid_t result = ::waitpid(agent.pid, &status, WNOHANG);
    if (result == agent.pid)
        ended(agent, status);
}

bool DaemonStarter::reaped(pid_t child, int wait_status)
{
    const auto found = std::ranges::find_if(agents_, [&](const Agent& agent) { return agent.pid == child; });
    if (found == agents_.end())
        return false;
    ended(*found, wait_status);
    return true;
}

/// An agent that ended well before its daemon has connected may have started that in the background: the
/// daemon keeps its time.
void DaemonStarter::ended(Agent& agent, int wait_status)
{
    loop_.forget(agent.process.get());
    agent.process.reset();
    agent.pid = -1;
    if (agent.output)
        read_output(agent);
    if (agent.missing.empty() || agent.failed || wait_status == 0)
        return;
    if (WIFSIGNALED(wait_status))
        fail(agent, AgentEnd::Kind::killed, WTERMSIG(wait_status));
    else
        fail(agent, AgentEnd::Kind::exited, WEXITSTATUS(wait_status));
    start_some();
}

void DaemonStarter::fail(Agent& agent, AgentEnd::Kind kind, int number)
{
    agent.failed = true;
    --starting_;
    loop_.cancel(agent.timer);
    if (agent.pid > 0) {
        signal_agent(agent.pid, SIGTERM);
        agent.timer = loop_.after(kAgentGrace, [&agent] {
            if (agent.pid > 0)
                signal_agent(agent.pid, SIGKILL);
        });
    }
    std::vector<int> nodes;
    for (const RemoteHost& host : agent.missing)
        nodes.push_back(host.node);
    const std::string reason =
        describe_start_failure(method_, agent.command, agent.missing, {kind, number, agent.text});
    events_.failed(nodes, reason);
}

void DaemonStarter::forget(Agent& agent)
{
    loop_.cancel(agent.timer);
    loop_.cancel(agent.nagle_timer);
    for (UniqueFd* fd : {&agent.process, &agent.output})
        if (*fd)
            loop_.forget(fd->get());
    agent.output.reset();
}

void DaemonStarter::finish(std::chrono::milliseconds timeout) noexcept
{
    const auto now = std::chrono::steady_clock::now();
    finished_ = true;
    waiting_.clear();
    for (Agent& agent : agents_) {
        forget(agent);
        if (agent.pid > 0 && !agent.missing.empty())
            signal_agent(agent.pid, SIGTERM);
    }
    if (!wait_for_agents(now + timeout)) {
        for (const int signal : {SIGTERM, SIGKILL}) {
            for (Agent& agent : agents_)
                if (agent.pid > 0)
                    signal_agent(agent.pid, signal);
            if (wait_for_agents(std::chrono::steady_clock::now() + kAgentGrace))
                break;
        }
    }
    agents_.clear();
}

/// True when no agent is left.
bool DaemonStarter::wait_for_agents(std::chrono::steady_clock::time_point until) noexcept
{
    using std::chrono::milliseconds;
    for (Agent& agent : agents_) {
        while (agent.pid > 0) {
            const auto left =
                std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now()).count();
            pollfd entry{agent.process.get(), POLLIN, 0};
            const int ready = ::poll(&entry, 1, static_cast<int>(std::max<long>(0, left)));
            const pid_t result = ::waitpid(agent.pid, nullptr, WNOHANG);
            if (result == agent.pid || (result < 0 && errno == ECHILD))
                agent.pid = -1;
            else if (ready == 0 && left <= 0)
                return false;
        }
    }
    return true;
}

bool disable_nagle(int process) noexcept
{
    bool any = false;
    for (int number = kFirstOwn; number <= kLastOwn; ++number) {
        const UniqueFd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, process, number, 0U)));
        if (copy && is_tcp(copy.get())) {
            const int yes = 1;
            any = ::setsockopt(copy.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0 || any;
        }
    }
    return any;
}

}  // namespace tutti::launcher
