// expect: Window(communicator, std::span(pointer, count))
#include "tutti/window.hpp"

void snippet(const tutti::Communicator& world, double* values, std::size_t count)
{
    tutti::Window<double> window(world, values, count);
}
