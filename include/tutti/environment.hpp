// Joining and leaving the job.
#pragma once

#include <concepts>
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

/// Who makes messages and collectives progress while the program computes.
enum class Progress {
    calls,  // nobody: they progress in the program's next calls
    thread  // a thread of Tutti, on another core if the rank has a spare one
};

/// How a process joins its job.
struct EnvironmentOptions {
    ThreadLevel threads = ThreadLevel::funneled;  // who calls Tutti
    Progress progress = Progress::calls;          // TUTTI_PROGRESS=calls or =thread overrides it
};

namespace detail {
class Process;
}

/// The job: the constructor joins it and the destructor leaves it. Make one at the start of main and keep it
/// until the last call. A process joins its job once: a second Environment is refused, also after the first
/// has ended. Communicators and requests may be destroyed after it; any other use then is an error.
///
/// On several hosts the constructor returns when this host has exchanged a message with the others over the
/// chosen interfaces. It throws an Error with both hosts, their addresses and interfaces if a host cannot be
/// reached within the transport's limit (10 s), so that a long run does not fail later. The lowest rank of
/// each host makes this test; up to 64 hosts test all pairs, and with more hosts each one tests a few dozen
/// others.
///
/// An exception that leaves main ends the whole job with this rank and the exception's text, so that no peer
/// waits for ever. So does an uncaught Error of the constructor. If an exception destroys the Environment and
/// main catches it outside, Tutti prints nothing, and the job ends when the process ends or after a second.
///
/// A process that the program forks has no part in the job: it may call exec or end, but must not call Tutti.
class Environment {
public:
    /// Joins the job of the launcher, or one of this rank alone. Arguments are not read.
    Environment(int argc, char** argv, EnvironmentOptions options = {});
    explicit Environment(EnvironmentOptions options = {});
    /// Joins the job that `bootstrap` describes; nullptr: as without it. `bootstrap` lives until the
    /// Environment and all objects that refer to it have ended.
    explicit Environment(std::unique_ptr<Bootstrap> bootstrap, EnvironmentOptions options = {});
    // Refused in words.
    template <std::same_as<ThreadLevel> Level>
    Environment(int, char**, Level) : is_thread_(false)
    {
        static_assert(detail::always_false<Level>,
                      "tutti: the thread level is an option: Environment(argc, argv, {.threads = level})");
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment();

    /// All ranks of the job.
    Communicator world() const&;
    /// This rank alone.
    Communicator self() const&;
    // A temporary leaves the job at the end of the statement: keep the Environment in a variable.
    Communicator world() && = delete;
    Communicator self() && = delete;
    ThreadLevel thread_level() const noexcept;

    /// Ends the whole job with exit status `status` (1 to 255); shows `message` with this rank and host.
    [[noreturn]] void abort(int status, const std::string& message = {}) const;

private:
    friend void run_threads(int, const std::function<void(Environment&)>&, EnvironmentOptions);
    explicit Environment(std::shared_ptr<detail::Process> process);

    std::shared_ptr<detail::Process> process_;
    bool is_thread_;  // made by run_threads()
    int uncaught_at_start_ = 0;
};

/// Runs `body` on `ranks` threads of this process, each a rank of one job: for tests, teaching and debugging.
/// Throws the exception of the rank that failed first, after all have ended.
void run_threads(int ranks, const std::function<void(Environment&)>& body, EnvironmentOptions options = {});

/// Seconds since a fixed point, by the monotonic clock.
double wall_time() noexcept;

}  // namespace tutti
