// expect: this operation borrows its buffer until it is complete
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::vector<int>& all)
{
    tutti::Request request = world.iallgather(std::vector<int>{1, 2, 3}, all);
    request.wait();
}
