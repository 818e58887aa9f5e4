// expect: Give the buffer a name
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::vector<int>& out)
{
    tutti::Request request = world.iallreduce(std::vector<int>{1, 2, 3}, out, tutti::sum);
    request.wait();
}
