// expect: reduce(data, op, {.root = 0}) in place
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    world.reduce(value, tutti::sum, 0);
}
