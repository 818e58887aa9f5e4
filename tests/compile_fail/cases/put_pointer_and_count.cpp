// expect: tutti: put(std::span(pointer, count), offset)
#include "tutti/window.hpp"

void snippet(tutti::Window<double>& window, const double* values, std::size_t count)
{
    window.lock(1).put(values, count, 0);
}
