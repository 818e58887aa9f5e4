#include "benchmarks/limits/pair.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace tutti::bench {

namespace {

void check(bool good, const char* call)
{
    if (!good)
        throw std::runtime_error(fmt::format("limits: {} failed: {}", call, std::strerror(errno)));
}

// A signal handler: only async-signal-safe calls.
void on_child(int, siginfo_t* info, void*)
{
    const bool died = info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED || info->si_status != 0;
    if (info->si_code != CLD_STOPPED && info->si_code != CLD_CONTINUED && died) {
        constexpr char kMessage[] = "tutti-bench: limits: the second process died\n";
        static_cast<void>(!write(STDERR_FILENO, kMessage, sizeof kMessage - 1));
        _exit(1);
    }
}

// Puts binding and signal handling back as they were.
class StageSetting {
public:
    explicit StageSetting(int core)
    {
        check(sched_getaffinity(0, sizeof cores_, &cores_) == 0, "sched_getaffinity");
        struct sigaction action = {};
        action.sa_sigaction = on_child;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        check(sigaction(SIGCHLD, &action, &child_action_) == 0, "sigaction");
        bind_to_core(core);
    }
    ~StageSetting()
    {
        sched_setaffinity(0, sizeof cores_, &cores_);
        sigaction(SIGCHLD, &child_action_, nullptr);
    }

private:
    cpu_set_t cores_{};
    struct sigaction child_action_ = {};
};

}  // namespace

std::pair<int, int> two_cores()
{
    cpu_set_t cores;
    check(sched_getaffinity(0, sizeof cores, &cores) == 0, "sched_getaffinity");
    std::vector<int> usable;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &cores))
            usable.push_back(core);
    }
    if (usable.size() < 2)
        throw std::runtime_error(
            "limits needs two cores, and this process is bound to one: start it without a launcher, and "
            "without "
            "taskset");
    return {usable[0], usable[1]};
}

void bind_to_core(int core)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(core), &cores);
    check(sched_setaffinity(0, sizeof cores, &cores) == 0, "sched_setaffinity");
}

SharedMemory::SharedMemory(std::size_t size_bytes) : size_bytes_(size_bytes)
{
    // Populated at once: no probe may meet a page fault.
    void* data =
        mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    check(data != MAP_FAILED, "mmap of shared memory");
    data_ = static_cast<std::byte*>(data);
}

SharedMemory::~SharedMemory()
{
    munmap(data_, size_bytes_);
}

double with_child(int own_core, int other_core, const std::function<double()>& self,
                  const std::function<void()>& other)
{
    const StageSetting setting(own_core);
    const pid_t parent = getpid();
    const pid_t child = fork();
    check(child >= 0, "fork");
    if (child == 0) {
        // Never outlives its parent, also where that died before the request was made.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        bind_to_core(other_core);
        other();
        _exit(0);
    }
    const double result = self();
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return result;
}

}  // namespace tutti::bench
