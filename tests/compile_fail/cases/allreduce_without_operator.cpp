// expect: tutti: reductions are called as allreduce(in, out, op)
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    world.allreduce(value);
}
