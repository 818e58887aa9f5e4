// expect: a collective that moves blocks takes contiguous buffers, no layouts
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int* pointer, std::vector<int>& all)
{
    world.gather(tutti::strided(pointer, 2, 1, 3), all);
}
