// expect: this type cannot travel as its bytes
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    const std::vector<bool> flags(3);  // packed: its bools have no addresses
    world.send(flags, 1);
}
