// expect: std::span(pointer, count) for a raw pointer
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world, const int* values, std::size_t count)
{
    world.send(values, count, 1);
}
