// expect: tutti: the key is an option: split(colour, {.key = 0})
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    world.split(world.rank() % 2, 0);
}
