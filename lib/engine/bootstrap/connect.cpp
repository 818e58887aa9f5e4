// Finds out which launcher started this process.
#include <cstdlib>
#include <cstring>
#include <string>

#include "lib/engine/bootstrap/channel_client.hpp"
#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "lib/engine/bootstrap/pmi_client.hpp"
#include "lib/engine/bootstrap/pmix_client.hpp"
#include "lib/engine/bootstrap/singleton.hpp"
#include "lib/foundation/base/needed_calls.hpp"
#include "lib/foundation/control/rank_numbers.hpp"
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

/// Hydra itself also says how to reach it, by PMI_FD or PMI_PORT. Its descriptors have lower numbers than
/// tuttirun's.
bool is_pmi_of_tutti()
{
    const char* const of_tutti = std::getenv(control::kPmiVariable);
    const bool is_of_hydra =
        is_set("PMI_FD") && (of_tutti == nullptr || std::strcmp(of_tutti, std::getenv("PMI_FD")) != 0);
    return control::are_rank_numbers_of_tutti("PMI_RANK", "PMI_SIZE") && !is_of_hydra && !is_set("PMI_PORT");
}

/// Whether Hydra was started within a rank of tuttirun: the variables of PMIx are that rank's, not this
/// process's.
bool is_below_a_rank()
{
    const char* const mark = std::getenv(control::kRankNumbersVariable);
    const char* const job = std::getenv("PMIX_NAMESPACE");
    return mark != nullptr && job != nullptr && std::string(mark).starts_with(std::string(job) + ' ') &&
           is_set("PMI_RANK") && !is_pmi_of_tutti();
}

/// The launcher that started several processes without PMIx and PMI-1, and the remedy; empty if there is
/// none.
std::string launcher_out_of_reach()
{
    if (is_set("SLURM_STEP_ID") && is_set("SLURM_PROCID") && above_one("SLURM_NTASKS"))
        return "Slurm started several processes without PMIx; use 'srun --mpi=pmix', 'srun --mpi=pmi2', or "
               "tuttirun";
    if (is_set("PMI_PORT"))
        return "Hydra (MPICH's mpiexec) started this process with -pmi-port; leave this option out, or use "
               "tuttirun";
    if (above_one("PMI_SIZE") && is_set("PMI_RANK") && !is_pmi_of_tutti())
        return "a launcher (PMI_SIZE) started several processes without PMIx and PMI_FD; use tuttirun";
    if (above_one("OMPI_COMM_WORLD_SIZE") &&
        !control::are_rank_numbers_of_tutti("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
        return "Open MPI's mpirun started several processes without PMIx; use tuttirun";
    return {};
}

}  // namespace

std::unique_ptr<Bootstrap> connect_to_job()
{
    if (const auto denied = base::denied_calls(base::Caller::rank)) {
        base::say_without_write("tutti: " + *denied + '\n');  // whoever catches it may be unable to print it
        throw Error(ErrorCode::bootstrap, "start", *denied);
    }
    if (is_set("PMIX_NAMESPACE") && !is_below_a_rank()) {
        try {
            return std::make_unique<PmixClient>();
        } catch (const Error&) {
            // libpmix accepts only clients that seem to have the same user.
            if (auto client = ChannelClient::connect())
                return client;
            throw;
        }
    }
    if (is_set("PMI_FD"))
        return std::make_unique<PmiClient>();
    if (const std::string problem = launcher_out_of_reach(); !problem.empty())
        throw Error(ErrorCode::bootstrap, "start", problem);
    return make_singleton();
}

}  // namespace tutti::bootstrap
