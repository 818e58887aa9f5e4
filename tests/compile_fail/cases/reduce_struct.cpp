// expect: the built-in operators know bool, the integers
#include "tutti/communicator.hpp"

struct Point {
    double x = 0;
    double y = 0;
};

void snippet(const tutti::Communicator& world)
{
    Point point;
    world.allreduce(point, tutti::sum);
}
