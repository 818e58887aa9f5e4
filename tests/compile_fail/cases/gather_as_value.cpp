// expect: tutti: a gather is a member and fills a buffer of size() blocks
#include <vector>

#include "tutti/tutti.hpp"

void snippet(const tutti::Communicator& world, int value)
{
    std::vector<int> all = tutti::gather(world, value);
}
