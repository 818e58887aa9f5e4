// expect: tutti: the root is an option: reduce(in, out, op, {.root = 0})
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    tutti::Request later = world.ireduce(value, tutti::sum, 0);
}
