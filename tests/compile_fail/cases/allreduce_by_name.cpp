// expect: tutti: operators are tutti::sum and the like
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    world.allreduce(value, "sum");
}
