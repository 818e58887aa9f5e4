#include "lib/core/job/job.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "lib/core/job/conclude.hpp"
#include "lib/core/job/make_process.hpp"
#include "lib/core/job/reachability.hpp"
#include "lib/core/process/crash_handler.hpp"
#include "lib/core/process/process.hpp"
#include "lib/engine/bootstrap/embedded.hpp"
#include "lib/foundation/base/futex.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::detail {

// An address in the library whose runtime has joined the job. An inline variable is one in the whole process,
// also where it has loaded two versions of libtutti.
inline std::atomic<const void*> joined_library{nullptr};

namespace {

// The rank that an uncaught exception ends, if ranks are processes. Another thread may throw it: stored with
// release, once all of the Process is there, and loaded with acquire.
std::atomic<Process*> terminating_process{nullptr};
// What an uncaught exception ends before there is a Process; nullptr until the launcher is found.
std::atomic<bootstrap::Bootstrap*> terminating_bootstrap{nullptr};
// The process that has joined a job; 0: none. A forked child finds its parent's id. Only main's thread stores
// it, before it starts threads that could end by an exception: relaxed.
std::atomic<pid_t> joined_by{0};
std::terminate_handler previous_handler = nullptr;

std::string describe_current_exception()
{
    try {
        if (const auto exception = std::current_exception())
            std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception that is not a std::exception";
    }
    return "std::terminate was called";
}

[[noreturn]] void end_job_on_terminate()
{
    static std::atomic<bool> begun{false};  // relaxed: only decides which thread was first
    static thread_local bool here = false;
    const bool is_child = joined_by.load(std::memory_order_relaxed) != getpid() &&
                          terminating_process.load(std::memory_order_acquire) != nullptr;
    if (is_child || std::exchange(here, true)) {  // not a rank, or a second failure while ending
        if (previous_handler != nullptr)
            previous_handler();
        std::abort();
    }
    while (begun.exchange(true, std::memory_order_relaxed))  // another thread is about to end this process
        pause();
    const std::string what = fmt::format("uncaught exception: {}", describe_current_exception());
    if (Process* process = terminating_process.load(std::memory_order_acquire))
        process->abort(1, what);
    if (bootstrap::Bootstrap* bootstrap = terminating_bootstrap.load(std::memory_order_acquire))
        bootstrap->abort(1, fmt::format("rank {}: {}", bootstrap->rank(), what));
    base::say(fmt::format("tutti: {}\n", what));
    std::fflush(nullptr);
    _exit(1);
}

// The time in which the handler of an exception may report it.
constexpr std::chrono::seconds kTimeToCatch{1};

// For a rank that has left its Environment by an exception that is caught outside. The handler may report the
// exception first: the job ends with the process or after kTimeToCatch.
void end_job_after_catch(Process* process)
{
    static Process* const ending = process;
    static std::atomic<bool> begun{false};  // as above
    const auto end = [] {
        while (begun.exchange(true, std::memory_order_relaxed))  // the other caller ends this process
            pause();
        ending->abort(1,
                      "left its Environment by an exception that was caught outside: the other ranks would "
                      "wait for it");
    };
    std::atexit(end);
    std::thread([end] {
        std::this_thread::sleep_for(kTimeToCatch);
        end();
    }).detach();
}

/// While the job is being joined: an uncaught exception ends it, as later ones do.
class Joining {
public:
    Joining() { previous_handler = std::set_terminate(end_job_on_terminate); }
    ~Joining()
    {
        terminating_bootstrap.store(nullptr, std::memory_order_release);
        if (has_joined_)
            return;
        terminating_process.store(nullptr, std::memory_order_release);
        std::set_terminate(previous_handler);
    }
    Joining(const Joining&) = delete;
    Joining& operator=(const Joining&) = delete;

    /// The program's own job, or else the launcher's.
    std::unique_ptr<bootstrap::Bootstrap> connect(std::unique_ptr<Bootstrap> own)
    {
        auto bootstrap =
            own ? std::make_unique<bootstrap::Embedded>(std::move(own)) : bootstrap::connect_to_job();
        joined_by.store(getpid(), std::memory_order_relaxed);
        terminating_bootstrap.store(bootstrap.get(), std::memory_order_release);
        return bootstrap;
    }
    void has_joined() noexcept { has_joined_ = true; }

private:
    bool has_joined_ = false;
};

/// How many interfaces have joined the job, and the rank's runtime.
struct Joined {
    std::mutex mutex;
    std::shared_ptr<Process> process;  // kept after leaving while something refers to it
    int times = 0;
};

// Never destroyed: threads may end after main.
Joined& joined()
{
    static Joined& all = *new Joined;
    return all;
}

std::string library_with(const void* address)
{
    Dl_info found{};
    return dladdr(address, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname : "another library";
}

/// Throws if the runtime of another libtutti has joined.
void claim_process()
{
    const void* const own = &joined_by;
    const void* first = nullptr;
    // Relaxed: nothing but the address is read.
    if (joined_library.compare_exchange_strong(first, own, std::memory_order_relaxed) || first == own)
        return;
    throw Error(
        ErrorCode::invalid_argument, "Environment",
        fmt::format("this process has joined its job by {}, and {} would join it as another rank; all that "
                    "one process loads of Tutti must be of one installation",
                    library_with(first), library_with(own)));
}

std::shared_ptr<Process> join_first(std::unique_ptr<Bootstrap> own, const EnvironmentOptions& options)
{
    if (joined_by.load(std::memory_order_relaxed) != 0)
        throw Error(ErrorCode::invalid_argument, "Environment",
                    "this process has left its job, which it can join only once; make one Environment, in "
                    "main, and keep it until the last call");
    claim_process();
    const bool launched = own == nullptr;
    // The shared-memory transport registers too, but by then the launcher's client has started a thread, and
    // in a process of several threads the kernel takes some 20 ms.
    base::membarrier_register();
    Joining joining;
    auto process = make_process(joining.connect(std::move(own)), options);
    // A launcher reads the ranks' output through pipes. Writing whole lines at once, as on a terminal, avoids
    // that lines are late, or lost with a killed rank.
    if (launched && process->bootstrap().name() != "singleton" && isatty(STDOUT_FILENO) == 0)
        std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    terminating_process.store(process.get(), std::memory_order_release);
    prove_reachability(*process);
    report_crashes(process->bootstrap().control());
    joining.has_joined();
    return process;
}

void leave_job(Process& process)
{
    process.engine().close();
    process.status().left();
    try {
        process.bootstrap().finalize();
    } catch (const Error& error) {
        base::say(fmt::format("tutti: rank {}: {}\n", process.rank(), error.what()));
    }
    report_living_communicators(process);
}

}  // namespace

std::shared_ptr<Process> Job::join(std::unique_ptr<Bootstrap> own, const EnvironmentOptions& options)
{
    Joined& all = joined();
    const std::lock_guard lock(all.mutex);
    if (all.times == 0)
        all.process = join_first(std::move(own), options);
    ++all.times;
    return all.process;
}

void Job::leave(std::shared_ptr<Process> process, bool unwinding)
{
    Joined& all = joined();
    const std::lock_guard lock(all.mutex);
    // A forked child has no threads of the rank, and its leaving would count as the rank's.
    if (joined_by.load(std::memory_order_relaxed) != getpid())
        return;
    if (unwinding && process->size() > 1)
        return end_job_after_catch(process.get());
    if (--all.times != 0)
        return;
    try {
        if (!unwinding)
            conclude(*process);
    } catch (const Error& error) {
        process->abort(1, error.what());
    }
    leave_job(*process);
    ignore_crashes();
    terminating_process.store(nullptr, std::memory_order_release);
    std::set_terminate(previous_handler);
    if (is_referred_to(*process))
        refuse_calls(*process);
    else
        all.process.reset();
}

void leave_thread(Process& process, bool unwinding)
{
    if (!unwinding)  // else run_threads() ends its job
        leave_job(process);
}

}  // namespace tutti::detail
