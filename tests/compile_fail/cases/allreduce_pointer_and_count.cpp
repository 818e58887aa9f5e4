// expect: for a pointer and a count a buffer is std::span(pointer, count)
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int* in, int* out, std::size_t count)
{
    world.allreduce(in, out, count, tutti::sum);
}
