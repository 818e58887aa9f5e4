#include "lib/torch/job.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include <ATen/Parallel.h>

#include "lib/torch/bootstrap_over_store.hpp"
#include "tutti/environment.hpp"
#include "tutti/introspection.hpp"

namespace torch_tutti {

namespace {

constexpr std::chrono::seconds kPatienceWithOperations{2};
constexpr std::chrono::milliseconds kBetweenPolls{1};

struct Job {
    std::mutex mutex;
    std::optional<tutti::Environment> environment;
    std::vector<int> global_ranks;  // of the job's ranks, where they are not the same numbers
    pid_t pid = 0;                  // of the process that has joined; a forked child has no part in the job
};

// Never destroyed: Python's objects may outlive it.
Job& job()
{
    static Job& only = *new Job;
    return only;
}

std::string_view from_environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

[[noreturn]] void refuse(const std::string& why)
{
    throw tutti::Error(tutti::ErrorCode::invalid_argument, "init_process_group", why);
}

void start(Job& all, std::unique_ptr<tutti::Bootstrap> bootstrap)
{
    // Autograd and the program's own threads call.
    all.environment.emplace(std::move(bootstrap),
                            tutti::EnvironmentOptions{.threads = tutti::ThreadLevel::multiple});
    all.pid = ::getpid();
    if (all.environment->thread_level() == tutti::ThreadLevel::multiple)
        return;
    all.environment.reset();
    refuse("MPI has begun in this process at a thread level below MPI_THREAD_MULTIPLE, and torch calls from threads of "
           "its own; begin it by MPI_Init_thread with MPI_THREAD_MULTIPLE (mpi4py: mpi4py.rc.thread_level = "
           "\"multiple\"), or begin torch.distributed first");
}

// The job's number of a global rank.
int number_of(const Job& all, int global_rank)
{
    if (all.global_ranks.empty())
        return global_rank;
    const auto found = std::ranges::find(all.global_ranks, global_rank);
    if (found == all.global_ranks.end())
        refuse("rank " + std::to_string(global_rank) +
               " is not in the first group of backend tutti, whose ranks are the job; make the default group "
               "with this backend");
    return static_cast<int>(found - all.global_ranks.begin());
}

void start_first(Job& all, const c10::intrusive_ptr<c10d::Store>& store, const Member& member)
{
    const bool launched = is_launched() && from_environment("PMIX_RANK") == std::to_string(member.rank) &&
                          member.global_ranks.empty();
    if (launched) {
        start(all, nullptr);
        return;
    }
    start(all, std::make_unique<BootstrapOverStore>(store, member.rank, member.size));
    all.global_ranks = member.global_ranks;
}

// Separates groups that are made at the same time.
int tag_of(const std::string& group)
{
    return static_cast<int>(std::hash<std::string>{}(group) % (1u << 30));
}

// False if operations of this rank have not ended in time: their peers may wait for this rank in turn.
bool all_have_ended(const tutti::Communicator& world) noexcept
{
    const auto until = std::chrono::steady_clock::now() + kPatienceWithOperations;
    try {
        while (Unattended::are_there() && std::chrono::steady_clock::now() < until) {
            world.iprobe();  // makes progress
            std::this_thread::sleep_for(kBetweenPolls);
        }
    } catch (const tutti::Error&) {
        return true;  // the job has failed: there is nothing to wait for
    }
    return !Unattended::are_there();
}

}  // namespace

bool is_launched()
{
    // torchrun's processes are no ranks of a launcher's that started torchrun.
    return !from_environment("PMIX_RANK").empty() && from_environment("TORCHELASTIC_RUN_ID").empty();
}

bool has_launcher()
{
    return !from_environment("PMIX_RANK").empty() || !from_environment("TORCHELASTIC_RUN_ID").empty();
}

tutti::Communicator join_launched()
{
    Job& all = job();
    const std::lock_guard lock(all.mutex);
    if (!all.environment)
        start(all, nullptr);
    return all.environment->world();
}

tutti::Communicator join(const c10::intrusive_ptr<c10d::Store>& store, const Member& member)
{
    Job& all = job();
    const std::lock_guard lock(all.mutex);
    if (!all.environment)
        start_first(all, store, member);
    const tutti::Communicator world = all.environment->world();
    std::vector<int> ranks;
    for (const int global_rank : member.global_ranks)
        ranks.push_back(number_of(all, global_rank));
    if (ranks.empty() || member.global_ranks == all.global_ranks) {
        if (world.size() != member.size || world.rank() != member.rank)
            refuse("this process is rank " + std::to_string(world.rank()) + " of " +
                   std::to_string(world.size()) + " in its job, and is to be rank " +
                   std::to_string(member.rank) + " of " + std::to_string(member.size) +
                   "; a process joins one job in its life");
        return world.dup();
    }
    return world.create_from(ranks, tag_of(member.group));
}

void leave() noexcept
{
    Job& all = job();
    if (all.pid != ::getpid())
        return;
    const std::lock_guard lock(all.mutex);
    if (all.environment && all_have_ended(all.environment->world()))
        all.environment.reset();
}

bool all_have_spare_core(const tutti::Communicator& communicator)
{
    const tutti::ProgressInfo own = tutti::progress_of(communicator);
    int is_spare = own.by_thread && own.cores > at::get_num_threads();
    communicator.allreduce(is_spare, tutti::min);
    return is_spare != 0;
}

}  // namespace torch_tutti
