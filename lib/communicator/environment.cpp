#include "tutti/environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/futex.hpp"
#include "lib/communicator/communicator_state.hpp"
#include "lib/communicator/process.hpp"

namespace tutti {

namespace {

using detail::Process;

// The rank that an uncaught exception ends: there is one where ranks are processes.
std::atomic<Process*> terminating_process{nullptr};
// The same before there is a Process; nullptr where the launcher has not been found yet.
std::atomic<bootstrap::Bootstrap*> terminating_bootstrap{nullptr};
std::terminate_handler previous_handler = nullptr;

std::string describe_current_exception()
{
    try {
        if (const auto exception = std::current_exception())
            std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
    return "std::terminate was called";
}

[[noreturn]] void end_job_on_terminate()
{
    static std::atomic<bool> begun{false};
    static thread_local bool here = false;
    if (std::exchange(here, true)) {  // a second failure, on the way out
        if (previous_handler != nullptr)
            previous_handler();
        std::abort();
    }
    while (begun.exchange(true))  // another thread is about to end this process
        pause();
    const std::string what = fmt::format("uncaught exception: {}", describe_current_exception());
    if (Process* process = terminating_process.load())
        process->abort(1, what);
    if (bootstrap::Bootstrap* bootstrap = terminating_bootstrap.load())
        bootstrap->abort(1, fmt::format("rank {}: {}", bootstrap->rank(), what));
    fmt::print(stderr, "tutti: {}\n", what);
    std::fflush(nullptr);
    _exit(1);
}

// How long what catches an exception may take to say what it was.
constexpr std::chrono::seconds kTimeToCatch{1};

// For a rank that has left its Environment by an exception which somebody catches outside. What catches it
// may tell the exception's words first: the job ends when the process does, or when the time is over.
// `process` stays for good.
void end_job_after_catch(Process* process)
{
    static Process* const ending = process;
    static std::atomic<bool> begun{false};
    const auto end = [] {
        while (begun.exchange(true))  // the other one is about to end this process
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

/// While the job is joined: an exception that nobody catches ends it as later ones do.
class Joining {
public:
    Joining() { previous_handler = std::set_terminate(end_job_on_terminate); }
    ~Joining()
    {
        terminating_bootstrap.store(nullptr);
        if (has_joined_)
            return;
        terminating_process.store(nullptr);
        std::set_terminate(previous_handler);
    }
    Joining(const Joining&) = delete;
    Joining& operator=(const Joining&) = delete;

    std::unique_ptr<bootstrap::Bootstrap> connect()
    {
        auto bootstrap = bootstrap::connect_to_job();
        terminating_bootstrap.store(bootstrap.get());
        return bootstrap;
    }
    void has_joined() noexcept { has_joined_ = true; }

private:
    bool has_joined_ = false;
};

}  // namespace

Environment::Environment(int, char**, EnvironmentOptions options) : Environment(options) {}

Environment::Environment(EnvironmentOptions options) : uncaught_at_start_(std::uncaught_exceptions())
{
    if (terminating_process.load() != nullptr)
        throw Error(ErrorCode::invalid_argument, "Environment",
                    "this process has an Environment already; make one, in main, and pass it on");
    // The shared-memory transport registers, too, but by then the launcher's client has started a thread, and
    // the kernel makes a process of several threads wait some 20 ms.
    base::membarrier_register();
    Joining joining;
    process_ = std::make_unique<Process>(joining.connect(), options);
    // A launcher reads ranks' output through pipes: whole lines at once, as on a terminal, so that none is
    // late, or lost with a rank that is killed.
    if (process_->bootstrap().name() == "pmix" && isatty(STDOUT_FILENO) == 0)
        std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    terminating_process.store(process_.get());
    prove_reachability();
    joining.has_joined();
}

Environment::Environment(std::unique_ptr<Process> process)
    : process_(std::move(process)), uncaught_at_start_(std::uncaught_exceptions())
{
}

Environment::~Environment()
{
    const bool is_process = terminating_process.load() == process_.get();
    const bool unwinding = std::uncaught_exceptions() > uncaught_at_start_;
    if (unwinding && !is_process)
        return;  // run_threads() ends its own job
    if (unwinding && process_->size() > 1) {
        end_job_after_catch(process_.release());
        return;
    }
    try {
        if (is_process && !unwinding)
            process_->conclude();
    } catch (const Error& error) {
        process_->abort(1, error.what());
    }
    process_->engine().close();
    try {
        process_->bootstrap().finalize();
    } catch (const Error& error) {
        fmt::print(stderr, "tutti: rank {}: {}\n", process_->rank(), error.what());
    }
    if (is_process) {
        terminating_process.store(nullptr);
        std::set_terminate(previous_handler);
    }
}

Communicator Environment::world() const
{
    return Communicator(process_->world());
}

Communicator Environment::self() const
{
    return Communicator(process_->self());
}

ThreadLevel Environment::thread_level() const noexcept
{
    return process_->thread_level();
}

void Environment::abort(int status, const std::string& message) const
{
    process_->abort(status < 1 || status > 255 ? 1 : status,
                    message.empty() ? "called abort" : fmt::format("called abort: {}", message));
}

double wall_time() noexcept
{
    return static_cast<double>(base::now_ns()) * 1e-9;
}

}  // namespace tutti
