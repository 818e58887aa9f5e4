// expect: minloc and maxloc take tutti::ValueIndex
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, double& value)
{
    world.allreduce(value, tutti::minloc);
}
