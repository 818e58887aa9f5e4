// expect: nodiscard
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    world.irecv(value, 0);
}
