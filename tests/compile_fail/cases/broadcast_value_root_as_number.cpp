// expect: tutti: the root is an option: tutti::broadcast(communicator, value, {.root = 0})
#include "tutti/tutti.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    value = tutti::broadcast(world, value, 0);
}
