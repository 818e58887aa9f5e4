// expect: reductions know bool, the integers, float and double
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
