// The graph of neighbourhood collectives, as with OSU's -N: a grid, or a graph from a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/suite/library/job_under_test.hpp"

namespace tutti::bench {

/// The request of the command line.
struct NeighborhoodChoice {
    int dimensions = 1;
    int radius = 1;
    std::string graph_file = {};  // instead of a grid
};

/// A rank's neighbours, in the order of its blocks. A neighbour with several blocks appears equally often at
/// both ends, and its blocks arrive in the order in which they are sent.
struct NeighborRanks {
    std::vector<int> sources;
    std::vector<int> destinations;
};
using Neighborhood = std::vector<NeighborRanks>;  // of each rank

/// Ranks in a periodic grid, as square as can be: the neighbours of each are all within `radius` in every
/// dimension, diagonals too, the last dimension running fastest. In one dimension with radius 1 that is a
/// ring of any number of ranks, also where both neighbours are one rank, or the rank itself; otherwise throws
/// UnsuitableJob where a rank would be a neighbour twice.
Neighborhood grid_neighborhood(int ranks, int dimensions, int radius);

/// A file's text, or the error of reading it (as errno).
struct FileText {
    std::string content;
    int error = 0;
};
FileText read_text(const std::string& file);

/// Out of an adjacency list: a line "SOURCE, DESTINATION" for each edge; those that begin with # are
/// comments. `file` is for complaints. Throws UnsuitableJob where it could not be read, is no such list, or
/// names ranks that there are not.
Neighborhood graph_neighborhood(const FileText& text, int ranks, const std::string& file);

/// "[ neighborhood: cart:2:1 ] [ neighbors: 8 ]"
std::string description_of(const NeighborhoodChoice& choice, const Neighborhood& neighborhood);

/// The largest number of sources or destinations of a rank.
std::size_t most_neighbors(const Neighborhood& neighborhood);

/// All ranks call it. A file is read by rank 0, and need not exist on other hosts. Throws UnsuitableJob at
/// all of them.
template <Job B>
Neighborhood neighborhood_of(B& job, const NeighborhoodChoice& choice)
{
    if (choice.graph_file.empty())
        return grid_neighborhood(job.size(), choice.dimensions, choice.radius);
    FileText text;
    if (job.rank() == 0)
        text = read_text(choice.graph_file);
    text.error = shared(job, text.error);
    text.content.resize(shared(job, text.content.size()));
    if (!text.content.empty())
        job.broadcast(std::as_writable_bytes(std::span(text.content)), 0);
    return graph_neighborhood(text, job.size(), choice.graph_file);
}

}  // namespace tutti::bench
