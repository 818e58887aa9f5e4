// Runs another program to its end, within a limit of time.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutti::bench {

struct Outcome {
    int status = 0;            // exit status, 128 + signal when killed
    bool timed_out = false;    // ended by us
    bool interrupted = false;  // ended by us, because a user interrupted this process
    double seconds = 0.0;      // from before fork to the end of the program
    std::string output;        // stdout and stderr

    bool good() const { return status == 0 && !timed_out && !interrupted; }
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs `command` with `variables` added to the environment and stdin empty. After `timeout_seconds` its
/// process group is told to end, and 5 s later killed. It also ends when this process does, and on an
/// interruption. Throws std::runtime_error when it cannot be started at all; a program that does not exist
/// has status 127.
Outcome run_program(const std::vector<std::string>& command, const Variables& variables,
                    double timeout_seconds);

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGPIPE do not end this process but the program that
/// run_program() runs, and are remembered: what has been measured can be kept. One at a time.
class Interruptible {
public:
    Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
    ~Interruptible();

    /// The signal that came; 0: none.
    static int signal() noexcept;
};

/// What went wrong, for people: the command, its status and the end of its output.
std::string describe_failure(const std::vector<std::string>& command, const Outcome& outcome);

}  // namespace tutti::bench
