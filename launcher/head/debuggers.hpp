// --debug: the head's part. Each rank to be debugged waits below a gdbserver for a gdb, which this starts in
// this terminal, in windows of others, or leaves to the user.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "launcher/job/job_messages.hpp"
#include "launcher/job/job_plan.hpp"
#include "launcher/ranks/launcher_signals.hpp"

namespace tutti::launcher {

class Debuggers {
public:
    using Say = std::function<void(const std::string& line)>;

    /// The references must outlive this. Throws UsageError where a program that is needed is not installed.
    Debuggers(const JobOptions& options, const InheritedState& inherited, Say say);
    ~Debuggers();
    Debuggers(const Debuggers&) = delete;
    Debuggers& operator=(const Debuggers&) = delete;

    /// Throws UsageError for ranks that the job does not have, or that no gdb of this machine reaches.
    void check(const JobMap& map, const std::vector<Host>& hosts) const;
    /// A rank waits for its gdb.
    void attach(const DebugServer& server, const std::string& host);
    /// A gdb uses this terminal: its keys, Ctrl-C too, are for it.
    bool has_terminal() noexcept;
    /// Ends the gdb of this terminal.
    void end() noexcept;

private:
    pid_t execute(const std::vector<std::string>& command) const;

    const JobOptions& options_;
    const InheritedState& inherited_;
    Say say_;
    std::string gdb_;     // paths
    std::string window_;  // of tmux or xterm
    pid_t in_terminal_ = -1;
};

}  // namespace tutti::launcher
