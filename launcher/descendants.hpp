// The processes below this one, whatever sessions and process groups they are in.
//
// What a process leaves behind when it ends goes to the nearest process above it that is a subreaper
// (PR_SET_CHILD_SUBREAPER). Daemon and watchdog are: so all that ranks start stays below them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace tutti::launcher {

struct Descendant {
    pid_t pid = -1;
    pid_t group = -1;
};

class Descendants {
public:
    /// Those that are there now, and what they start, are the launcher's own helpers, and are not found.
    void exempt_present();

    /// All others that have not ended. Reads /proc, some microseconds a process of the machine; finds nothing
    /// where /proc is not there, or shows other processes than this one's.
    std::vector<Descendant> find() const;

private:
    std::set<std::pair<pid_t, std::uint64_t>> helpers_;  // with their start times: numbers are given anew
};

/// Ends all processes below this one and reaps them: SIGTERM, since one may itself have to clean up, and
/// SIGKILL to what is left after `patience`. Gives up after as long again (the kernel may hold a process).
void end_descendants(std::chrono::milliseconds patience) noexcept;

}  // namespace tutti::launcher
