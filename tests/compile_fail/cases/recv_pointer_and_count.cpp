// expect: tutti: a message is received by recv(buffer, source, tag)
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int* values, std::size_t count)
{
    world.recv(values, count, 0, 0);
}
