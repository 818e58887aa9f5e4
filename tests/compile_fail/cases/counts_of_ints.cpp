// expect: counts and displacements are std::size_t
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, const std::vector<int>& in, std::vector<int>& out)
{
    world.allgatherv(in, out, std::vector<int>{1, 2, 3});
}
