// expect: the built-in operators know bool, the integers
#include <vector>

#include "tutti/communicator.hpp"

struct Point {
    double x = 0;
    double y = 0;
};

void snippet(const tutti::Communicator& world)
{
    std::vector<Point> points(3);
    world.allreduce(points, tutti::sum);
}
