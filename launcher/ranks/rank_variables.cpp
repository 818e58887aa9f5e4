#include "launcher/ranks/rank_variables.hpp"

#include <set>
#include <string>

#include "lib/foundation/control/rank_numbers.hpp"

namespace tutti::launcher {

void set_torchrun_variables(RankEnvironment& environment, const LaunchOrder& order, const RankPlacement& rank)
{
    // Nodes without ranks do not count.
    std::set<int> earlier_nodes;
    for (const RankPlacement& other : order.ranks)
        if (other.node < rank.node)
            earlier_nodes.insert(other.node);
    environment["RANK"] = std::to_string(rank.rank);
    environment["WORLD_SIZE"] = std::to_string(order.ranks.size());
    environment["LOCAL_RANK"] = std::to_string(rank.local_rank);
    environment["LOCAL_WORLD_SIZE"] = std::to_string(order.ranks_of(rank.node).size());
    environment["NODE_RANK"] = environment["GROUP_RANK"] = std::to_string(earlier_nodes.size());
}

void set_mpirun_variables(RankEnvironment& environment, const LaunchOrder& order, const RankPlacement& rank)
{
    const std::string number = std::to_string(rank.rank);
    const std::string size = std::to_string(order.ranks.size());
    const std::string local_number = std::to_string(rank.local_rank);
    const std::string local_size = std::to_string(order.ranks_of(rank.node).size());
    environment["OMPI_COMM_WORLD_RANK"] = environment["PMI_RANK"] = number;
    environment["OMPI_COMM_WORLD_SIZE"] = environment["PMI_SIZE"] = size;
    environment["OMPI_COMM_WORLD_LOCAL_RANK"] = environment["MPI_LOCALRANKID"] = local_number;
    environment["OMPI_COMM_WORLD_LOCAL_SIZE"] = environment["MPI_LOCALNRANKS"] = local_size;
    environment[control::kRankNumbersVariable] = control::rank_numbers(order.job_name, number, size);
}

void set_server_variables(RankEnvironment& environment, const LaunchOrder& order, const RankPlacement& rank,
                          int descriptor)
{
    environment["PMI_RANK"] = std::to_string(rank.rank);
    environment["PMI_SIZE"] = std::to_string(order.ranks.size());
    environment["PMI_FD"] = environment[control::kPmiVariable] = std::to_string(descriptor);
    // Open MPI 4 looks for PMIx only where a daemon of its own has started it, to which it then does not
    // talk.
    environment.try_emplace("OMPI_MCA_orte_local_daemon_uri", "0.0;tcp://127.0.0.1:1");
}

}  // namespace tutti::launcher
