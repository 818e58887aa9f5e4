// expect: tutti: an operator says whether its operands may change places
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int& value)
{
    world.allreduce(value, tutti::user_op([](int a, int b) { return a > b ? a : b; }));
}
