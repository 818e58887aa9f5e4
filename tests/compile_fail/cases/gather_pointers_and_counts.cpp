// expect: for a pointer and a count a buffer is std::span(pointer, count)
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, int* in, int* out)
{
    world.gather(in, 4, out, 4, 0);
}
