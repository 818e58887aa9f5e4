// expect: input and output must have elements of the same type
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, const std::vector<int>& in, std::vector<float>& out)
{
    world.alltoall(in, out);
}
