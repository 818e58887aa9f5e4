// expect: this type cannot travel as its bytes
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    const std::vector<const int*> pointers(3);
    world.isend(pointers, 1).wait();
}
