// expect: tutti: this type cannot travel as its bytes
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    world.send(nullptr, 1);
}
