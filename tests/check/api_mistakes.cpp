// A mistake that no error tells: the argument says which. mpi_mistakes.c has those of MPI programs.
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tutti/introspection.hpp"
#include "tutti/tutti.hpp"

namespace {

struct Particle {
    double place[3];
    int kind;
};
struct Cell {
    double place[3];
    int kind;
};

void other_type(const tutti::Communicator& world)
{
    std::vector<float> sent(100);
    std::vector<int> received(100);
    if (world.rank() == 0)
        world.send(sent, 1, 7);
    else if (world.rank() == 1)
        world.recv(received, 0, 7);
}

void other_class(const tutti::Communicator& world)
{
    if (world.rank() == 0)
        world.send(Particle{}, 1);
    Cell received{};
    if (world.rank() == 1)
        world.recv(received, 0);
}

// All of these are right.
void fitting_types(const tutti::Communicator& world)
{
    enum class Colour : int { red };
    std::vector<std::array<double, 3>> points(4);
    std::vector<double> numbers(12);
    std::vector<std::byte> bytes(sizeof(Particle));
    Particle particle{};
    int whole = 0;
    if (world.rank() == 0) {
        world.send(points, 1);
        world.send(particle, 1);
        world.send(Colour::red, 1);
        world.send(tutti::typed(numbers.data(), 12, tutti::DataType::float64), 1);
        world.send(tutti::strided(numbers.data(), 3, 1, 4), 1);
        world.send(std::string("words"), 1);
    } else if (world.rank() == 1) {
        world.recv(numbers, 0);
        world.recv(bytes, 0);
        world.recv(whole, 0);
        world.recv(points, 0);
        world.recv(numbers, 0);
        world.recv(bytes, 0);
    }
}

void changed_send(const tutti::Communicator& world)
{
    std::vector<double> column(64);
    if (world.rank() == 0) {
        const auto layout = tutti::strided(column.data(), 8, 1, 8);
        tutti::Request sent = world.isend(layout, 1, 9);
        column[1] = 1;  // is not sent
        column[8] = 1;
        sent.wait();
    } else if (world.rank() == 1) {
        world.recv(column, 0, 9);
    }
}

// Before the message, or when it has come.
void touched_receive(const tutti::Communicator& world, bool after)
{
    std::vector<int> numbers(100);
    if (world.rank() == 0) {
        if (!after)
            world.barrier();
        world.send(numbers, 1, 10);
        if (after)
            world.send(0, 1, 11);
    } else if (world.rank() == 1) {
        tutti::Request received = world.irecv(numbers, 0, 10);
        int number = 0;
        if (!after)
            numbers[7] = 77;
        if (after)
            world.recv(number, 0, 11);  // behind the other message
        else
            world.barrier();
        if (after)
            numbers[7] = 77;
        received.wait();
    }
}

void race(const tutti::Communicator& world)
{
    int number = 0;
    if (world.rank() != 0)
        world.send(number, 0, 13);
    world.barrier();
    for (int i = 1; i < world.size() && world.rank() == 0; ++i)
        world.recv(number, tutti::any_source, 13);
}

void forgotten(const tutti::Communicator& world)
{
    static int value = 0;
    static auto& never_ended = *new std::vector<tutti::Request>;
    if (world.rank() == 1)
        never_ended.push_back(world.irecv(value, 0, 12));
    never_ended.push_back(world.ibarrier());
    if (world.rank() == 0)
        world.send(value, 1, 24);
}

// What put reads may go when the call has returned; not what a request uses, of a collective or a window.
void lent(const tutti::Communicator& world)
{
    auto spread = std::make_unique<std::vector<int>>(100);
    tutti::Request request = world.ibroadcast(*spread);
    spread.reset();
    request.wait();
    tutti::Window<int> window(world, 200);
    auto access = window.lock((world.rank() + 1) % world.size());
    access.put(std::vector<int>(120, 7), 0);
    auto got = std::make_unique<std::vector<int>>(80);
    tutti::Request fetched = access.iget(*got, 120);
    got.reset();
    fetched.wait();
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string_view which = argc > 1 ? argv[1] : "";
    std::optional<tutti::Communicator> longest;
    tutti::Environment environment(argc, argv);
    const tutti::Communicator world = environment.world();
    if (which == "type")
        other_type(world);
    else if (which == "class")
        other_class(world);
    else if (which == "fitting")
        fitting_types(world);
    else if (which == "send")
        changed_send(world);
    else if (which == "receive" || which == "received")
        touched_receive(world, which == "received");
    else if (which == "race")
        race(world);
    else if (which == "forgotten")
        forgotten(world);
    else if (which == "lent")
        lent(world);
    else if (which == "communicator")
        longest = world.dup();
    else if (which == "librarys") {
        longest = world.dup();
        tutti::outlives_environment(*longest);
    }
}
