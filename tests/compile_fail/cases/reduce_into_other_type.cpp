// expect: input and output must have elements of the same type
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, const std::vector<float>& in, std::vector<double>& out)
{
    world.allreduce(in, out, tutti::sum);
}
