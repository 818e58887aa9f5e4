// expect: tutti: the result would be lost with this temporary
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    world.allreduce(5, tutti::sum);
}
