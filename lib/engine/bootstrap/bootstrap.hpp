// How a rank learns who it is and reaches its peers before any transport is up.
//
// Five implementations: pmix (under tuttirun, Open MPI's mpirun, srun --mpi=pmix), the control channel (under
// tuttirun, where its PMIx server does not take the rank), embedded (the program brings its own), inproc
// (ranks are threads of one process) and singleton (started alone: a job of one).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/error.hpp"

namespace tutti::control {
class Channel;
}

namespace tutti::bootstrap {

/// All calls may be made from any thread, one at a time. Every call but abort() throws tutti::Error
/// (ErrorCode::bootstrap) with the launcher's own words when it fails.
class Bootstrap {
public:
    virtual ~Bootstrap() = default;

    /// "pmix", "control channel", "embedded", "inproc" or "singleton".
    virtual std::string_view name() const noexcept = 0;
    /// This process's rank in the job, 0 <= rank < size.
    virtual int rank() const noexcept = 0;
    virtual int size() const noexcept = 0;
    /// Ranks that the launcher placed on this node, ascending, this one included.
    virtual std::span<const int> local_peers() const noexcept = 0;
    /// The node of each rank, any numbers, equal for ranks of the same node. Empty where all are on this one.
    virtual std::span<const int> node_of_rank() const noexcept { return {}; }
    /// The host of `rank` by the launcher's name for it, for messages; empty where it told none.
    virtual std::string host_of(int) const { return {}; }
    /// What only ranks of this job know: 32 random bytes as hexadecimal digits. The same at all ranks; may
    /// block as fetch() does. Called once, by all ranks of the job or by none.
    virtual std::string job_key() = 0;

    /// Makes `value` known to every rank as `key` of this rank. May be called once a key; returns without
    /// waiting for anybody.
    virtual void publish(std::string_view key, std::span<const std::byte> value) = 0;
    /// The value that `rank` published as `key`. Blocks, without using the CPU, until it has.
    virtual std::vector<std::byte> fetch(int rank, std::string_view key) = 0;
    /// The same without waiting: nothing while the value is not known here. It is asked for meanwhile.
    virtual std::optional<std::vector<std::byte>> find(int rank, std::string_view key) = 0;
    /// This rank's channel to the daemon that started it; nullptr under launchers of others, and without one.
    virtual control::Channel* control() noexcept { return nullptr; }
    /// Whether tuttirun started the job: its daemons hand ranks' memory over to each other.
    virtual bool started_by_tuttirun() const { return false; }
    /// Returns when all ranks of the job have called it. Carries no data.
    virtual void fence() = 0;
    /// For a rank that fails because another is gone: the launcher is then about to end the job, and knows
    /// why. Gives it the time to do so, after which this rank may say what it knows.
    virtual void let_launcher_end_the_job() {}
    /// Tells the launcher to end the whole job with exit status `status` and does not come back.
    [[noreturn]] virtual void abort(int status, std::string_view message) = 0;
    /// Leaves the job in good order: after it, an exit of this process is no failure. Called once.
    virtual void finalize() = 0;
};

/// The job that this process was started in: PMIx where a PMIx server's environment is found, else a
/// singleton. Throws when a scheduler started several processes without PMIx, which would otherwise become
/// several silent jobs of one.
std::unique_ptr<Bootstrap> connect_to_job();

}  // namespace tutti::bootstrap
