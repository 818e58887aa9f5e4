// expect: Give the buffer a name
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    tutti::PersistentRequest request = world.send_init(std::vector<int>{1, 2, 3}, 1);
    request.start();
}
