// Topologies of communicators: the neighbours of their ranks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/communicators/neighbor_topology.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

/// Constant. Duplicates of a communicator share it.
struct Topology {
    int kind;                           // MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH
    detail::TopologyPointer neighbors;  // of MPI_CART, the grid too
    std::string mismatch{};             // why there are no neighbour collectives; empty: there are

    // Of MPI_GRAPH, as given: the end of each rank's neighbours among the edges.
    std::vector<int> index{};
    std::vector<int> edges{};

    // Of MPI_DIST_GRAPH.
    bool is_weighted = false;
    std::vector<int> source_weights{};
    std::vector<int> destination_weights{};
};

/// Throws Failure if the communicator has no topology, or not one of this kind.
const Topology& topology_of(const Communicator& communicator);
const Topology& topology_of(MPI_Comm comm, int kind);

/// Throws Failure for a negative number of values, or for values without memory.
std::span<const int> checked_list(const int* values, int count, std::string_view name);
/// Throws Failure unless an array of the program has room for `needed` values.
void check_room(const void* values, int room, int needed, std::string_view name);

}  // namespace tutti::mpi
