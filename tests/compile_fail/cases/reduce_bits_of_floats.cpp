// expect: bitwise operators take bool and integers
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::vector<float>& values)
{
    world.allreduce(values, tutti::bxor);
}
