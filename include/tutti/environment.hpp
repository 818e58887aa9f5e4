// Joining and leaving the job.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tutti/bootstrap.hpp"
#include "tutti/communicator.hpp"

namespace tutti {

/// Which threads of the program call Tutti.
enum class ThreadLevel {
    single,      // one thread exists
    funneled,    // only the thread that made the Environment calls
    serialized,  // any thread calls, one at a time
    multiple     // any thread calls, at any time
};

/// Who moves messages and collectives on while the program computes.
enum class Progress {
    calls,  // nobody: they go on in the program's next calls
    thread  // a thread of Tutti's, on another core where the rank has one to spare
};

struct EnvironmentOptions {
    ThreadLevel threads = ThreadLevel::funneled;
    Progress progress = Progress::calls;  // TUTTI_PROGRESS=calls or =thread overrides it
};

namespace detail {
class Process;
}

/// The job, joined by the constructor and left by the destructor. Make one, first thing in main, and keep it
/// until the last call: a process joins its job once, so a second one is refused, also after the first has
/// ended. Communicators and requests may be destroyed after it; to use them then is an error.
///
/// On several hosts the constructor returns when this host has exchanged a message with the others over the
/// interfaces chosen, and throws an Error with both hosts, their addresses and interfaces where one cannot be
/// reached within the transport's bound (10 s): not in the middle of a long run. The lowest rank of each host
/// does so for it; up to 64 hosts all pairs are tried, beyond, each host tries a few dozen others.
///
/// When an exception leaves main, it ends the whole job with this rank and the exception's words, so that no
/// peer waits for ever. So does the constructor's own Error where nobody catches it. Destroyed by an
/// exception that is caught outside, in main, it leaves the words to whoever catches it, and ends the job
/// when the process ends or a second has passed.
///
/// A process that the program forks has no part in the job: it may call exec, or end, but not call Tutti.
class Environment {
public:
    Environment(int argc, char** argv, EnvironmentOptions options = {});
    explicit Environment(EnvironmentOptions options = {});
    /// Joins the job that `bootstrap` describes, whatever has started this process; nullptr: as without it.
    /// It stays until the Environment and all that refers to it have ended.
    explicit Environment(std::unique_ptr<Bootstrap> bootstrap, EnvironmentOptions options = {});
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment();

    /// All ranks of the job.
    Communicator world() const&;
    /// This rank alone.
    Communicator self() const&;
    // Of a temporary, which leaves the job at the end of the statement: keep the Environment in a variable.
    Communicator world() && = delete;
    Communicator self() && = delete;
    ThreadLevel thread_level() const noexcept;

    /// Ends the whole job with exit status `status` (1 to 255); `message` is shown with this rank and host.
    [[noreturn]] void abort(int status, const std::string& message = {}) const;

private:
    friend void run_threads(int, const std::function<void(Environment&)>&, EnvironmentOptions);
    explicit Environment(std::shared_ptr<detail::Process> process);

    std::shared_ptr<detail::Process> process_;
    bool is_thread_;  // as run_threads() makes them
    int uncaught_at_start_ = 0;
};

/// Runs `body` on `ranks` threads of this process, each a rank of a job of its own: for tests, teaching and
/// debugging. Throws the exception of the rank that failed first, after all have ended.
void run_threads(int ranks, const std::function<void(Environment&)>& body, EnvironmentOptions options = {});

/// Seconds since some fixed point, by the monotonic clock.
double wall_time() noexcept;

}  // namespace tutti
