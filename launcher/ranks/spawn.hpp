// Starts one rank: a child with its own process group, standard streams, CPUs and environment.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {

/// Signals with which the launcher does something else than its parent has ordered. SIGPIPE: a reader that
/// has gone does not end it. SIGCHLD: where a parent ignores that to have no zombies (servers in Perl and
/// PHP), the kernel would reap the launcher's children itself, and nobody would learn how they have ended.
inline constexpr std::array kTakenSignals = {SIGPIPE, SIGCHLD};

/// State that the launcher changes for itself; ranks get it as it was.
struct InheritedState {
    sigset_t signal_mask;
    sigset_t ignored;  // of the signals that the launcher does not leave as they were
    rlimit open_files;
};

struct SpawnRequest {
    const char* program;  // path, as find_program() gave it
    const std::vector<std::string>* argv;
    char** environment;             // NULL-terminated
    const char* working_directory;  // empty: the launcher's own
    const std::vector<int>* cpus;   // empty: not bound
    /// Where it is to be bound only if the kernel allows that: gets the error's number otherwise. nullptr:
    /// not to be bound as it should is an error.
    volatile int* binding_error = nullptr;
    int standard_streams[3];  // the child's descriptors 0, 1 and 2
    const InheritedState* inherited;
    /// Descriptors that the program gets by the same numbers; -1: none.
    std::array<int, 2> kept_descriptors = {-1, -1};
    /// Where the child writes its number, a pid_t, before it executes its program: it leads a process group
    /// that the watchdog must know. It writes minus that number when it cannot execute the program. -1:
    /// nowhere.
    int announce_to = -1;
};

/// Thrown where a process does not start: the system's error and its object, "cannot run ./hello". No
/// std::exception, so that no general handler takes it for one.
struct SpawnError {
    int error_number = 0;
    std::string what;
};

/// The path to execute for `program`: itself when it has a slash (relative to `working_directory`), else the
/// first match in `search_path`. Throws SpawnError when there is none.
std::string find_program(const std::string& program, const std::string& search_path,
                         const std::string& working_directory);

/// Returns the child's pid once the child has executed its program. Until then the child shares this
/// process's memory, so nothing is copied. The child dies with the calling thread, which must be the main
/// one. Throws SpawnError; a child that failed is to be reaped like any other.
pid_t spawn(const SpawnRequest& request);

}  // namespace tutti::launcher
