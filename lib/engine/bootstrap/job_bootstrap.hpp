// How a rank learns who it is and reaches its peers before any transport is up.
//
// Six implementations: pmix (under tuttirun, Open MPI's mpirun, srun --mpi=pmix), the control channel (under
// tuttirun, if its PMIx server rejects the rank), pmi (under Hydra, srun --mpi=pmi2), embedded (the program
// brings its own), inproc (ranks are threads of one process) and singleton (a job of one rank, without a
// launcher).
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

/// A context id holds 23 bits of a rank.
inline constexpr int kMostRanks = 1 << 23;

/// All calls may be made from any thread, one at a time. Every call but abort() throws tutti::Error
/// (ErrorCode::bootstrap) with the launcher's own words when it fails.
class Bootstrap {
public:
    virtual ~Bootstrap() = default;

    /// "pmix", "control channel", "pmi", "embedded", "inproc" or "singleton".
    virtual std::string_view name() const noexcept = 0;
    /// This process's rank in the job, 0 <= rank < size.
    virtual int rank() const noexcept = 0;
    virtual int size() const noexcept = 0;
    /// Ranks that the launcher placed on this node, ascending, this one included.
    virtual std::span<const int> local_peers() const noexcept = 0;
    /// The node of each rank as a number, equal for ranks of one node. Empty if all ranks are on this node.
    virtual std::span<const int> node_of_rank() const noexcept { return {}; }
    /// The host of `rank` as the launcher names it, for messages; empty if unknown.
    virtual std::string host_of(int) const { return {}; }
    /// A secret of the job: 32 random bytes as hexadecimal digits, the same at all ranks. May block as
    /// fetch() does. Either all ranks call it, once, or none does.
    virtual std::string job_key() = 0;

    /// Makes `value` known to every rank as `key` of this rank. Called at most once for each key; does not
    /// wait.
    virtual void publish(std::string_view key, std::span<const std::byte> value) = 0;
    /// All ranks of the job call it at the same places: between publish() and the others' fetch(). Makes
    /// known what they have published, where the launcher does so only for all ranks at once (PMI).
    virtual void make_known() {}
    /// The value that `rank` publishes as `key`. Blocks, without using the CPU, until it is published.
    virtual std::vector<std::byte> fetch(int rank, std::string_view key) = 0;
    /// fetch() without waiting: empty while the value is not known here. The first call asks for it.
    virtual std::optional<std::vector<std::byte>> find(int rank, std::string_view key) = 0;
    /// This rank's channel to the daemon that started it; nullptr if there is none.
    virtual control::Channel* control() noexcept { return nullptr; }
    /// Whether tuttirun started the job. Its daemons can pass shared memory between ranks.
    virtual bool started_by_tuttirun() const { return false; }
    /// Returns when all ranks of the job have called it. Carries no data.
    virtual void fence() = 0;
    /// Called by a rank that fails because another rank is lost. The launcher knows the cause and is about to
    /// end the job. Waits a while for that; afterwards this rank may report what it knows.
    virtual void let_launcher_end_the_job() {}
    /// Tells the launcher to end the whole job with exit status `status`. Does not return.
    [[noreturn]] virtual void abort(int status, std::string_view message) = 0;
    /// Leaves the job in good order: an exit of this process is not a failure afterwards. Called once.
    virtual void finalize() = 0;
};

/// The job that this process was started in: by PMIx or PMI-1 if the environment names a server of these,
/// else a singleton. Throws if a launcher started several processes without either: each of them would be a
/// job of one.
std::unique_ptr<Bootstrap> connect_to_job();

}  // namespace tutti::bootstrap
