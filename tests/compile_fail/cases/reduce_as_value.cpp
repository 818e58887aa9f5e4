// expect: tutti: one rank has the result of a reduce
#include "tutti/tutti.hpp"

void snippet(const tutti::Communicator& world, int value, int& sum)
{
    sum = tutti::reduce(world, value, tutti::sum, {.root = 0});
}
