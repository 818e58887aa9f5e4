// The job that this process has joined, which it can do once. Counts the interfaces that use the job: the C++
// interface and others.
#pragma once

#include <memory>

#include "tutti/bootstrap.hpp"
#include "tutti/environment.hpp"

namespace tutti::detail {

class Process;

/// Its functions may be called from any thread.
class Job {
public:
    /// Joins the job that `own` describes, or else the launcher's. If it is joined already: counts one more
    /// user, with the first user's bootstrap and options. Throws if this process has left the job, or if the
    /// job cannot be joined.
    static std::shared_ptr<Process> join(std::unique_ptr<Bootstrap> own, const EnvironmentOptions& options);

    /// Counts one user less. The last one leaves the job: it waits for detached operations, and later uses of
    /// `process` throw. `unwinding`: an exception ends the interface and so the job.
    static void leave(std::shared_ptr<Process> process, bool unwinding);
};

/// For a rank that is a thread and has not joined the process's job.
void leave_thread(Process& process, bool unwinding);

}  // namespace tutti::detail
