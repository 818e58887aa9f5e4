// The job that this process has joined. It is joined once, and by each face that the program uses: the C++
// interface, and others.
#pragma once

#include <memory>

#include "tutti/bootstrap.hpp"
#include "tutti/environment.hpp"

namespace tutti::detail {

class Process;

/// From any thread.
class Job {
public:
    /// Joins the job that `own` describes, or else a launcher's. Where it is joined already: counts one more;
    /// bootstrap and options are then those of the first. Throws where this process has left it, and where
    /// the job cannot be joined.
    static std::shared_ptr<Process> join(std::unique_ptr<Bootstrap> own, const EnvironmentOptions& options);

    /// Counts one less. The last leaves the job: it waits for what was let go, and what still refers to
    /// `process` throws from then on. `unwinding`: an exception takes the face away, and ends the job.
    static void leave(std::shared_ptr<Process> process, bool unwinding);
};

/// For a rank that is a thread, and has no part in the process's job.
void leave_thread(Process& process, bool unwinding);

}  // namespace tutti::detail
