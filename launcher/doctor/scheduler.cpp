#include "launcher/doctor/scheduler.hpp"

#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "launcher/hosts/slurm.hpp"
#include "launcher/ranks/spawn.hpp"

namespace tutti::launcher::doctor {
namespace {

/// Whether a program of this name is in PATH.
bool in_path(const std::string& program)
{
    const char* path = std::getenv("PATH");
    SpawnError error;
    return !find_program(program, path != nullptr ? path : "", {}, error).empty();
}

}  // namespace

Finding judge_scheduler()
{
    const bool srun = in_path("srun");
    std::string text = srun ? "Slurm is installed; this is not inside an allocation (salloc, sbatch)"
                            : "no scheduler found; hosts come from -H or --hostfile";
    if (const auto allocation = slurm_allocation()) {
        text = fmt::format("Slurm: inside an allocation of {} host{}", allocation->size(),
                           allocation->size() == 1 ? "" : "s");
        if (!srun) {
            return {Level::failure, text + ", but srun is not in PATH",
                    "add the directory of Slurm's srun to PATH, or start daemons by ssh: --launcher ssh",
                    "scheduler"};
        }
    }
    return {Level::good, std::move(text), "", "scheduler"};
}

}  // namespace tutti::launcher::doctor
