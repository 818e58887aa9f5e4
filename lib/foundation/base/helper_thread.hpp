// Threads that the library runs beside the program's threads.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace tutti::base {

/// Starts a thread that blocks all signals. Debuggers and top show it as `name` (at most 15 letters). Throws
/// std::system_error when the system cannot start one.
template <class Body>
std::thread start_helper_thread(const char* name, Body body)
{
    // A new thread inherits the signal mask.
    class Blocked {
    public:
        Blocked() noexcept
        {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before_);
        }
        ~Blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
        Blocked(const Blocked&) = delete;
        Blocked& operator=(const Blocked&) = delete;

    private:
        sigset_t before_;
    };
    const Blocked blocked;
    return std::thread([name, body = std::move(body)]() mutable {
        pthread_setname_np(pthread_self(), name);
        body();
    });
}

}  // namespace tutti::base
