// expect: min and max take numbers that have an order
#include <complex>
#include <vector>

#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, std::vector<std::complex<double>>& values)
{
    world.allreduce(values, tutti::min);
}
