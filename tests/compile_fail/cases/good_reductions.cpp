// expect: success
#include <array>
#include <complex>
#include <span>
#include <vector>

#include "tutti/tutti.hpp"

struct Box {
    float low;
    float high;
};

void snippet(const tutti::Communicator& world, std::span<Box> boxes, tutti::Op chosen)
{
    const auto hull = tutti::user_op(
        [](const Box& a, const Box& b) {
            return Box{a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
        },
        tutti::commutative);
    world.allreduce(boxes, hull);
    world.reduce(boxes, hull, {.root = 0});
    tutti::Request later = world.iallreduce(boxes, hull);

    const std::vector<tutti::bfloat16> gradient(3);
    std::array<tutti::bfloat16, 3> total{};
    world.reduce(gradient, total, tutti::sum, {.root = 0});
    world.allreduce(std::span(total), chosen);

    std::complex<float> z;
    world.allreduce(z, tutti::prod);
    long long bits = tutti::allreduce(world, 1ll, tutti::bor);
    world.allreduce(bits, tutti::land);
    auto best = tutti::allreduce(world, tutti::ValueIndex<double, int>{1.5, world.rank()}, tutti::maxloc);
    const int factor = best.index;
    bits = tutti::allreduce(
        world, bits, tutti::user_op([factor](auto a, auto b) { return a * b % factor; }, tutti::commutative));
    later.wait();
}
