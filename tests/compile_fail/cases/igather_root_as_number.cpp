// expect: tutti: the root is an option: gather(in, out, {.root = 0})
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int value, std::vector<int>& all)
{
    tutti::Request later = world.igather(value, all, 0);
}
