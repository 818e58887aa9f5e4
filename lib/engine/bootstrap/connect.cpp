// Finds out which launcher started this process.
#include <cstdlib>
#include <string>

#include "lib/engine/bootstrap/bootstrap.hpp"
#include "lib/engine/bootstrap/channel_client.hpp"
#include "lib/engine/bootstrap/pmix_client.hpp"
#include "lib/engine/bootstrap/singleton.hpp"
#include "tutti/error.hpp"

namespace tutti::bootstrap {

namespace {

bool is_set(const char* variable)
{
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

bool above_one(const char* variable)
{
    const char* value = std::getenv(variable);
    return value != nullptr && std::atoi(value) > 1;
}

/// The launcher that started several processes without PMIx, and the remedy; empty if there is none.
std::string launcher_without_pmix()
{
    if (is_set("SLURM_STEP_ID") && is_set("SLURM_PROCID") && above_one("SLURM_NTASKS"))
        return "Slurm started several processes without PMIx; use 'srun --mpi=pmix', or tuttirun";
    if (above_one("PMI_SIZE") && is_set("PMI_RANK"))
        return "Hydra (MPICH's mpiexec) started several processes without PMIx; use tuttirun";
    if (above_one("OMPI_COMM_WORLD_SIZE"))
        return "Open MPI's mpirun started several processes without PMIx; use tuttirun";
    return {};
}

}  // namespace

std::unique_ptr<Bootstrap> connect_to_job()
{
    if (is_set("PMIX_NAMESPACE")) {
        try {
            return std::make_unique<PmixClient>();
        } catch (const Error&) {
            // libpmix accepts only clients that seem to have the same user.
            if (auto client = ChannelClient::connect())
                return client;
            throw;
        }
    }
    if (const std::string problem = launcher_without_pmix(); !problem.empty())
        throw Error(ErrorCode::bootstrap, "start", problem);
    return make_singleton();
}

}  // namespace tutti::bootstrap
