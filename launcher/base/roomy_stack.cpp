#include "launcher/base/roomy_stack.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstddef>

namespace tutti::launcher {

namespace {

// libpmix's server takes some hundred KiB.
constexpr std::size_t kEnough = std::size_t{1} << 20;
constexpr std::size_t kRoomy = std::size_t{8} << 20;

struct Run {
    const std::function<int()>& body;
    sigset_t signals;
    int status = 1;
};

void* run_in_thread(void* data)
{
    auto& run = *static_cast<Run*>(data);
    ::pthread_sigmask(SIG_SETMASK, &run.signals, nullptr);
    run.status = run.body();
    return nullptr;
}

}  // namespace

int run_with_room(const std::function<int()>& body)
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough)
        return body();
    // Threads that have no wish of their own have the limit's size otherwise, libpmix's, too.
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, kRoomy);
    ::pthread_setattr_default_np(&attributes);
    // Signals are the other thread's.
    Run run{body, {}};
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &run.signals);
    pthread_t thread{};
    const bool has_begun = ::pthread_create(&thread, &attributes, run_in_thread, &run) == 0;
    ::pthread_attr_destroy(&attributes);
    if (has_begun) {
        ::pthread_join(thread, nullptr);
        return run.status;
    }
    ::pthread_sigmask(SIG_SETMASK, &run.signals, nullptr);
    return body();
}

}  // namespace tutti::launcher
