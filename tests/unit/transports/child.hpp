// Runs a piece of a test in a process of its own: for limits that would stay, and for signals that would
// kill.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <utility>

namespace tutti::test {

/// 0 to 127: what `body()` returned. 128 + n: signal n ended it. 126: it threw.
template <class Body>
int in_child(Body&& body)
{
    const pid_t child = fork();
    if (child == 0) {
        int status = 126;
        try {
            status = std::forward<Body>(body)();
        } catch (...) {
        }
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace tutti::test
