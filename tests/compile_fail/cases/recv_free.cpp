// expect: tutti::recv_value<T>(communicator, source, tag) returns a value
#include "tutti/tutti.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    value = tutti::recv(world, 0);
}
