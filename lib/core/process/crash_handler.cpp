#include "lib/core/process/crash_handler.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "lib/foundation/settings/settings.hpp"
#include "transports/shm/shared_heap.hpp"
#include "tutti/error.hpp"

namespace tutti::detail {

namespace {

constexpr const char* kVariable = "TUTTI_CRASH_STACKS";
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
/// What the handler itself needs, beside what the kernel saves.
constexpr std::size_t kHandlerStackBytes = std::size_t{64} << 10;

// Release when it is stored, acquire in the handler: all of the channel is there.
std::atomic<control::Channel*> daemon_of_rank{nullptr};
// Whether a thread has reported its crash: the first one does. Relaxed: nothing else depends on it.
std::atomic<bool> reported{false};

bool wanted()
{
    const char* const text = settings::value_of(kVariable);
    const std::string_view value = text == nullptr || *text == '\0' ? "1" : text;
    if (value != "0" && value != "1")
        throw Error(
            ErrorCode::invalid_argument, "environment",
            fmt::format("{}={}{} is neither 0 nor 1", kVariable, value, settings::origin_of(kVariable)));
    return value == "1";
}

std::uint64_t stack_pointer_in(const void* context) noexcept
{
    [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uint64_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return machine.sp;
#else
    return 0;
#endif
}

/// Async-signal-safe.
void on_crash_signal(int signal, siginfo_t* info, void* context)
{
    control::Channel* const daemon = daemon_of_rank.load(std::memory_order_acquire);
    const bool is_first = daemon != nullptr && !reported.exchange(true, std::memory_order_relaxed);
    if (daemon != nullptr && !is_first)
        ::poll(nullptr, 0,
               static_cast<int>(control::kStackPatience.count()));  // the first one ends the process
    if (is_first) {
        control::Crash crash;
        crash.thread = static_cast<std::int32_t>(::gettid());
        crash.signal = signal;
        crash.code = info->si_code;
        crash.sender = info->si_code <= 0 ? info->si_pid : 0;
        crash.address = info->si_code > 0 ? reinterpret_cast<std::uintptr_t>(info->si_addr) : 0;
        crash.stack_pointer = stack_pointer_in(context);
        daemon->crash(crash);
    }
    transport::shm::SharedHeap::instance().leave_untouched_out_of_core_files();
    // Raises the signal again, with what the kernel knew about it. It arrives where this one did, since all
    // signals are blocked until the handler returns.
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    ::sigaction(signal, &by_default, nullptr);
    if (::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::gettid(), signal, info) != 0)
        ::syscall(SYS_tgkill, ::getpid(), ::gettid(), signal);
}

bool is_action(int signal, void (*handler)(int, siginfo_t*, void*)) noexcept
{
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) != 0)
        return false;
    const bool extended = (now.sa_flags & SA_SIGINFO) != 0;
    return handler == nullptr ? !extended && now.sa_handler == SIG_DFL
                              : extended && now.sa_sigaction == handler;
}

/// A stack for the handler, in the thread's use as long as this lives. A thread that has one keeps that.
class HandlerStack {
public:
    HandlerStack() noexcept
    {
        stack_t now{};
        if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0)
            return;
        stack_t own{};
        own.ss_size = kHandlerStackBytes + ::getauxval(AT_MINSIGSTKSZ);
        own.ss_sp = ::mmap(nullptr, own.ss_size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        if (own.ss_sp == MAP_FAILED)
            return;
        memory_ = own.ss_sp;
        size_bytes_ = own.ss_size;
        ::sigaltstack(&own, nullptr);
    }
    HandlerStack(const HandlerStack&) = delete;
    HandlerStack& operator=(const HandlerStack&) = delete;
    ~HandlerStack()
    {
        stack_t now{};
        if (memory_ == nullptr || ::sigaltstack(nullptr, &now) != 0)
            return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        // It stays where it is in use: this runs in a handler.
        if (now.ss_sp == memory_ && ::sigaltstack(&none, nullptr) != 0)
            return;
        ::munmap(memory_, size_bytes_);
    }

private:
    void* memory_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace

void report_crashes(control::Channel* daemon)
{
    if (!wanted() || daemon == nullptr)
        return;
    daemon->let_daemon_look();
    daemon_of_rank.store(daemon, std::memory_order_release);
    prepare_thread_for_crash();
    struct sigaction own {};
    own.sa_sigaction = on_crash_signal;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&own.sa_mask);
    for (const int signal : kSignals)
        if (is_action(signal, nullptr))
            ::sigaction(signal, &own, nullptr);
}

void prepare_thread_for_crash() noexcept
{
    if (daemon_of_rank.load(std::memory_order_acquire) != nullptr)
        static thread_local const HandlerStack stack;
}

void ignore_crashes() noexcept
{
    daemon_of_rank.store(nullptr, std::memory_order_release);
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    for (const int signal : kSignals)
        if (is_action(signal, on_crash_signal))
            ::sigaction(signal, &by_default, nullptr);
}

}  // namespace tutti::detail
