// expect: tutti: accumulate takes the built-in operators
#include <functional>

#include "tutti/window.hpp"

void snippet(tutti::Window<double>& window)
{
    window.lock(1).accumulate(1.0, 0, std::plus<>());
}
