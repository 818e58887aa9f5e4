#include "launcher/head/debuggers.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/base/option_values.hpp"
#include "launcher/ranks/spawn.hpp"

namespace tutti::launcher {

namespace {

std::string require_program(const char* name)
{
    try {
        return find_program(name, environment_variable("PATH"), {});
    } catch (const SpawnError&) {
        throw UsageError(fmt::format(
            "--debug needs {0}, which is not in PATH; install it (Debian: the package {0})", name));
    }
}

/// For the user to copy.
std::string quoted(const std::string& word)
{
    if (word.find_first_of(" '\"$&();*?") == std::string::npos)
        return word;
    std::string result = "'";
    for (const char letter : word)
        result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return result + "'";
}

}  // namespace

Debuggers::Debuggers(const JobOptions& options, const InheritedState& inherited, Say say)
    : options_(options), inherited_(inherited), say_(std::move(say))
{
    if (options.debug.ranks.empty() || options.debug.where == DebugWhere::server)
        return;
    gdb_ = require_program("gdb");
    if (options.debug.where == DebugWhere::tmux)
        window_ = require_program("tmux");
    if (options.debug.where == DebugWhere::xterm)
        window_ = require_program("xterm");
}

Debuggers::~Debuggers()
{
    end();
}

void Debuggers::check(const JobMap& map, const std::vector<Host>& hosts) const
{
    for (const int rank : options_.debug.ranks) {
        if (static_cast<std::size_t>(rank) >= map.ranks.size())
            throw UsageError(fmt::format("--debug: there is no rank {}; the job has ranks 0 to {}", rank,
                                         map.ranks.size() - 1));
        const Host& host = hosts[static_cast<std::size_t>(map.ranks[static_cast<std::size_t>(rank)].node)];
        if (options_.debug.where != DebugWhere::server && !host.local)
            throw UsageError(
                fmt::format("--debug: rank {} is on {}, where no gdb of this machine reaches it; "
                            "give --gdbserver, and start gdb there",
                            rank, host.name));
    }
}

void Debuggers::attach(const DebugServer& server, const std::string& host)
{
    const std::string title = fmt::format("rank {}", server.rank);
    std::vector<std::string> command = {gdb_.empty() ? "gdb" : gdb_,
                                        "-q",
                                        "-ex",
                                        "set sysroot /",
                                        "-ex",
                                        fmt::format("target remote 127.0.0.1:{}", server.port),
                                        server.program};
    switch (options_.debug.where) {
        case DebugWhere::server: {
            std::vector<std::string> words;
            std::ranges::transform(command, std::back_inserter(words), quoted);
            say_(fmt::format("rank {} waits for gdb on {}: {}", server.rank, host, fmt::join(words, " ")));
            return;
        }
        case DebugWhere::here:
            in_terminal_ = execute(command);
            return;
        case DebugWhere::tmux:
            command.insert(command.begin(), {window_, "new-window", "-n", title});
            break;
        case DebugWhere::xterm:
            command.insert(command.begin(), {window_, "-T", title, "-e"});
            break;
    }
    execute(command);
}

pid_t Debuggers::execute(const std::vector<std::string>& command) const
{
    std::vector<char*> argv;
    for (const std::string& word : command)
        argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {  // system calls only: the writer's thread may hold any lock
        ::signal(SIGPIPE, SIG_DFL);
        ::sigprocmask(SIG_SETMASK, &inherited_.signal_mask, nullptr);
        ::execv(argv.front(), argv.data());
        ::_exit(127);
    }
    return child;
}

bool Debuggers::has_terminal() noexcept
{
    if (in_terminal_ > 0 && ::waitpid(in_terminal_, nullptr, WNOHANG) == in_terminal_)
        in_terminal_ = -1;
    return in_terminal_ > 0;
}

void Debuggers::end() noexcept
{
    if (!has_terminal())
        return;
    ::kill(in_terminal_, SIGKILL);
    ::waitpid(in_terminal_, nullptr, 0);
    in_terminal_ = -1;
}

}  // namespace tutti::launcher
