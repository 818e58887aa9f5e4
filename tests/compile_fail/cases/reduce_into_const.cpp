// expect: a reduction's result must not be const
#include <span>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::span<const float> values)
{
    world.allreduce(values, tutti::sum);
}
