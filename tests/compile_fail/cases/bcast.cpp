// expect: tutti: bcast is called broadcast(buffer, {.root = 0})
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int* values, int count)
{
    world.bcast(values, count, 0);
}
