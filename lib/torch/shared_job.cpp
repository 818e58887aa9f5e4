#include "lib/torch/shared_job.hpp"

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

constexpr const char* kLaunchedKey = "tutti.launched/";
constexpr const char* kLaunchedAnswer = "tutti.launched";

struct Job {
    std::mutex mutex;
    std::optional<tutti::Environment> environment;
    pid_t pid = 0;  // of the process that has joined; a forked child has no part in the job
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
    refuse(
        "MPI has begun in this process at a thread level below MPI_THREAD_MULTIPLE, and torch calls from "
        "threads of "
        "its own; begin it by MPI_Init_thread with MPI_THREAD_MULTIPLE (mpi4py: mpi4py.rc.thread_level = "
        "\"multiple\"), or begin torch.distributed first");
}

// The launcher's name for the job, if this process has the same number there; else empty.
std::string launched_as(int rank)
{
    const bool is_same = is_launched() && from_environment("PMIX_RANK") == std::to_string(rank);
    return is_same ? std::string(from_environment("PMIX_NAMESPACE")) : std::string();
}

// Whether the ranks of the store are those of one launcher. All say what they are, and rank 0 answers.
bool are_launched_as_one(c10d::Store& store, int rank, int size)
{
    const auto set = [&store](const std::string& key, const std::string& text) {
        store.set(key, std::vector<uint8_t>(text.begin(), text.end()));
    };
    const auto get = [&store](const std::string& key) {
        const std::vector<uint8_t> bytes = store.get(key);
        return std::string(bytes.begin(), bytes.end());
    };
    const std::string own = launched_as(rank);
    set(kLaunchedKey + std::to_string(rank), own + '.');  // no value is empty
    if (rank == 0) {
        bool are_one = !own.empty();
        for (int other = 1; other < size; ++other)
            are_one = get(kLaunchedKey + std::to_string(other)) == own + '.' && are_one;
        set(kLaunchedAnswer, are_one ? "yes" : "no");
        return are_one;
    }
    return get(kLaunchedAnswer) == "yes";
}

// Under the lock.
void start_all(Job& all, const c10::intrusive_ptr<c10d::Store>& store, int rank, int size)
{
    if (!all.environment) {
        const bool launched = are_launched_as_one(*store, rank, size);
        start(all, launched ? nullptr : std::make_unique<BootstrapOverStore>(store, rank, size));
    }
    const tutti::Communicator world = all.environment->world();
    if (world.size() != size || world.rank() != rank)
        refuse("this process is rank " + std::to_string(world.rank()) + " of " +
               std::to_string(world.size()) + " in its job, and is to be rank " + std::to_string(rank) +
               " of " + std::to_string(size) + "; a process joins one job in its life");
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

void join_all(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size)
{
    Job& all = job();
    const std::lock_guard lock(all.mutex);
    start_all(all, store, rank, size);
}

tutti::Communicator join(const c10::intrusive_ptr<c10d::Store>& store, const Member& member)
{
    Job& all = job();
    const std::lock_guard lock(all.mutex);
    if (member.global_ranks.empty()) {
        start_all(all, store, member.rank, member.size);
        return all.environment->world().dup();
    }
    if (!all.environment)
        refuse(
            "the first group of backend tutti has a part of the ranks, and not all have joined the job; "
            "import torch_tutti at all ranks, and make groups by torch.distributed");
    return all.environment->world().create_from(member.global_ranks, tag_of(member.group));
}

bool is_beside_rank_0(const tutti::Communicator& world)
{
    int lowest = world.rank();
    world.split_by_node().allreduce(lowest, tutti::min);
    return lowest == 0;
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
