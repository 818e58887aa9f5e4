// expect: tutti: the root is an option: broadcast(buffer, {.root = 0})
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int* values, int count)
{
    world.broadcast(values, count, 0);
}
