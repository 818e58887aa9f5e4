// expect: tutti: a message is sent by send(buffer, destination, tag)
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, const int* values, std::size_t count)
{
    tutti::Request sent = world.isend(values, count, 1, 0);
}
