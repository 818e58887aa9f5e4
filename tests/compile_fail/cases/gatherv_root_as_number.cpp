// expect: tutti: blocks of unequal sizes go by gatherv(in, out, {counts, displacements}, {.root = 0})
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::vector<int>& all, std::vector<std::size_t>& counts)
{
    world.gatherv(all, all, counts, 0);
}
