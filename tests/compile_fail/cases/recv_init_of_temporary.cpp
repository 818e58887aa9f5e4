// expect: tutti: this operation borrows its buffer until it is complete
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    tutti::PersistentRequest later = world.recv_init(std::vector<int>(3), 0);
}
