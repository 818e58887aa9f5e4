// expect: success
//
// The neighbours of everything that the other snippets get wrong.
#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

struct Point {
    double x = 0;
    double y = 0;
};

void snippet(const tutti::Communicator& world, int* pointer)
{
    std::vector<Point> points(3);
    std::array<std::array<int, 3>, 4> matrix{};
    const std::span<int> writable(pointer, 5);
    const std::string text = "text";
    char plain[4][5];

    world.send(text, 1);
    world.send(std::array<bool, 3>{}, 1);
    world.recv(points, 0);
    world.recv(matrix, 0);
    world.recv(plain, 0);
    world.recv(writable, 0);
    world.recv(std::span(pointer, 2), 0);
    world.recv(tutti::strided(pointer, 2, 1, 3), 0);
    world.allreduce(writable, tutti::sum);
    world.allreduce(std::span(pointer, 2), tutti::max);

    tutti::OwningRequest<std::vector<int>> owned = world.isend(std::vector<int>{1, 2, 3}, 1);
    const std::vector<int> back = owned.wait();
    tutti::Request forgotten = world.isend(std::vector<int>{1, 2, 3}, 1);
    forgotten.wait();

    std::vector<int> sum(back.size());
    tutti::Request reduced = world.iallreduce(back, sum, tutti::sum);
    reduced.wait();
    tutti::PersistentRequest again = world.send_init(back, 1);
    again.start();
    again.wait();

    const std::map<std::string, std::vector<std::string>> words;
    tutti::send_serialized(world, words, 1);
    const auto read = tutti::recv_serialized<std::map<std::string, std::vector<std::string>>>(world, 0);
    world.send(tutti::serialize(read), 1);
}
