// expect: a receive buffer's elements must not be const
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    const std::vector<int> values(3);
    world.recv(values, 0);
}
