// expect: tutti: the result would be lost with this temporary
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    value = world.recv(0).source;
}
