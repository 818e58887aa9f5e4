// expect: success
//
// All forms of the collectives that move blocks.
#include <array>
#include <span>
#include <vector>

#include "tutti/tutti.hpp"

struct Point {
    double x = 0;
    double y = 0;
};

void snippet(const tutti::Communicator& world, int* pointer)
{
    const std::vector<std::size_t> counts(4);
    const std::array<std::size_t, 4> places{};
    const std::span<const std::size_t> view(counts);
    const Point point;
    std::vector<Point> points(4);
    const std::vector<int> in(4);
    std::vector<int> out(4);
    int matrix[4][3];

    world.allgather(point, points);
    world.allgather(std::array<int, 3>{}, matrix);
    world.allgather(std::span(pointer, 4));
    world.gather(point, points);
    world.gather(point, points, {.root = 1});
    world.gather(point, points, tutti::RootOptions{.root = 1});
    world.gather(points, tutti::RootOptions{.root = 1});
    world.gather(points);
    world.scatter(in, pointer[0], {.root = 2});
    world.scatter(out, {.root = 2});
    world.alltoall(in, std::span(pointer, 4));
    world.alltoall(out);

    world.allgatherv(in, out, counts);
    world.allgatherv(out, {counts, places});
    world.gatherv(in, out, view, {.root = 1});
    world.gatherv(in, out, {}, {.root = 1});
    world.gatherv(out, counts, {.root = 1});
    world.scatterv(in, {counts, places}, out);
    world.scatterv(in, counts, std::span(pointer, 4), {.root = 1});
    world.scatterv(out, counts, {.root = 1});
    world.scatterv(out, counts, tutti::RootOptions{.root = 1});
    world.alltoallv(in, counts, out, {view, places});
    world.alltoallv(out, counts);

    world.iallgather(in, out).wait();
    world.igather(point, points, {.root = 1}).wait();
    world.iscatter(in, out, {.root = 1}).wait();
    world.ialltoall(out).wait();
    world.iallgatherv(in, out, {counts, places}).wait();
    world.igatherv(out, counts, {.root = 1}).wait();
    world.iscatterv(in, std::vector<std::size_t>{1, 2}, out, {.root = 1}).wait();
    world.ialltoallv(in, counts, out, std::vector<std::size_t>{1, 2}).wait();

    const tutti::Layout every_other = tutti::Layout::strided(2, 1, 2, sizeof(int));
    tutti::LayoutView<int> laid_out{pointer, every_other};
    world.gather(tutti::strided(pointer, 2, 1, 3), out);
    world.allgather(in, laid_out);
    world.igather(laid_out, out).wait();
    tutti::PersistentRequest all = world.alltoallv_init(laid_out, counts, out, counts);
    all.start();
    all.wait();
}
