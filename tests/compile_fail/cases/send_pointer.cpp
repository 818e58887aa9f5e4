// expect: std::span(pointer, count) for a raw pointer
#include "tutti/communicator.hpp"

void snippet(const tutti::Communicator& world)
{
    const int value = 3;
    const int* pointer = &value;
    world.send(pointer, 1);
}
