// Programs that were linked with another MPI library: Tutti has libraries of the same names for them.
#pragma once

#include <sys/types.h>

#include <string>

#include "launcher/job/job_plan.hpp"
#include "launcher/ranks/rank_environment.hpp"

namespace tutti::launcher {

/// The MPI library whose name is in the file of a program, or in that of the interpreter that a script names:
/// "libmpi.so.40"; empty: none.
std::string mpi_library_of(const std::string& program);

/// The file of such a library that a process or one of its descendants has loaded and that is not Tutti's;
/// empty: none, or /proc does not show them.
std::string foreign_mpi_library(pid_t process);

/// The folder of Tutti's libraries for such programs, beside this program; empty: they are not installed.
std::string facade_folder();

/// Has a program find them: by LD_LIBRARY_PATH, or by LD_PRELOAD, which also counts where the program names
/// folders itself. Where LD_PRELOAD cannot hold its path, a link in the session directory stands for it.
/// Throws std::runtime_error if the library is to be preloaded, and the program names none, or LD_PRELOAD
/// cannot hold its path.
void offer_facades(RankEnvironment& environment, MpiLibraries choice, const std::string& program,
                   const std::string& session_directory);

/// What to do when a program with that library ran alone in a job of several ranks.
std::string advice_for_lonely(MpiLibraries choice, const std::string& program, const std::string& library);
/// When a rank has loaded the file of another library, and none has joined the job.
std::string advice_for_lonely(int rank, const std::string& file);

}  // namespace tutti::launcher
