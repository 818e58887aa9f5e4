// expect: tutti: this operation borrows its buffer until it is complete
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    tutti::Request request = world.ibroadcast(std::vector<int>{1, 2, 3});
    request.wait();
}
