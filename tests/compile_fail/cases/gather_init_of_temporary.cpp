// expect: Give the buffer a name
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::vector<int>& all)
{
    tutti::PersistentRequest request = world.gather_init(std::vector<int>{1, 2, 3}, all);
    request.start();
}
