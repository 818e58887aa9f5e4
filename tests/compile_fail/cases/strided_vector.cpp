// expect: tutti: a layout begins at an address
#include <vector>

#include "tutti/tutti.hpp"

void snippet(const tutti::Communicator& world, std::vector<double>& matrix)
{
    world.send(tutti::strided(matrix, 4, 1, 4), 1);
}
