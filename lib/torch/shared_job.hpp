// The one job of this process, which all process groups share.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "tutti/communicator.hpp"

namespace torch_tutti {

/// A process that makes a process group.
struct Member {
    int rank = 0;
    int size = 1;
    std::vector<int> global_ranks;  // of the group's members; empty: all ranks
    std::string group;              // its name, the same at all members
};

/// Joins the job at the first call: the launcher's (tuttirun, srun, mpirun) if all processes are ranks of one
/// with the same numbers, else one whose ranks find each other through `store`. All ranks call, before any
/// group is made. Throws tutti::Error.
void join_all(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size);
/// Returns a communicator of the members, who call it. If it has all ranks, they join the job.
tutti::Communicator join(const c10::intrusive_ptr<c10d::Store>& store, const Member& member);

/// Whether a launcher has started this process as a rank.
bool is_launched();
/// Joins the launcher's job and returns all its ranks.
tutti::Communicator join_launched();
/// Whether this rank and rank 0 are on one node. Collective.
bool is_beside_rank_0(const tutti::Communicator& world);
/// Whether this process is a rank of a launcher's or of torchrun's, which ends all ranks when one dies.
bool has_launcher();

/// Leaves the job, if this process has joined one. Other ranks that wait for this one get an error. Does not
/// wait long for operations that cannot end: then the end of the process leaves the job.
void leave() noexcept;

/// An operation under way that nobody waits for. leave() gives it a little time.
class Unattended {
public:
    Unattended() noexcept { ++count_; }
    Unattended(const Unattended&) noexcept { ++count_; }
    Unattended& operator=(const Unattended&) = default;
    ~Unattended() { --count_; }
    static bool are_there() noexcept { return count_ != 0; }

private:
    inline static std::atomic<int> count_{0};
};

/// Whether begun collectives pay: a thread of Tutti's moves them on (TUTTI_PROGRESS=thread), on a core that
/// torch's threads leave free, at all ranks. Collective.
bool all_have_spare_core(const tutti::Communicator& communicator);

}  // namespace torch_tutti
