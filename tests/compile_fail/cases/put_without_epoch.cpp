// expect: tutti: operations need an epoch, which is an object
#include "tutti/window.hpp"

void snippet(tutti::Window<double>& window)
{
    window.put(1.0, 0, 1);
}
