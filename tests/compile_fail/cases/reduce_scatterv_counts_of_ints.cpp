// expect: counts are a range of std::size_t
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::vector<int>& all, int& value)
{
    world.reduce_scatterv(all, value, std::vector<int>{1, 2}, tutti::sum);
}
