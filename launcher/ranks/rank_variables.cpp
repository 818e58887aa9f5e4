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

}  // namespace tutti::launcher
