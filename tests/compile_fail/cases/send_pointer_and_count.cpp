// expect: tutti: a message is sent by send(buffer, destination, tag)
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, const int* values, std::size_t count)
{
    world.send(values, count, 1, 0);
}
