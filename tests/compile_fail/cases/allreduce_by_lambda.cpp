// expect: make it one: tutti::user_op(function)
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int value, int& result)
{
    world.allreduce(value, result, [](int a, int b) { return a > b ? a : b; });
}
