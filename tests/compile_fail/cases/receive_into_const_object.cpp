// expect: a receive buffer must not be const
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    const int value = 0;
    world.recv(value, 0);
}
