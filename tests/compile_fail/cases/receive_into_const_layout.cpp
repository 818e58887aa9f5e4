// expect: a receive buffer's elements must not be const
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, const double* matrix)
{
    world.recv(tutti::strided(matrix, 4, 1, 4), 0);
}
