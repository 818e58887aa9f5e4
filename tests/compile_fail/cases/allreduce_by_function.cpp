// expect: make it one: tutti::user_op(function)
#include "tutti/communicator.hpp"

int larger(int a, int b);

void snippet(const tutti::Communicator& world, int value, int& result)
{
    world.allreduce(value, result, larger);
}
