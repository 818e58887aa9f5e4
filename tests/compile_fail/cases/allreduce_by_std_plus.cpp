// expect: make it one: tutti::user_op(function)
#include <functional>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int value, int& result)
{
    world.allreduce(value, result, std::plus<>{});
}
