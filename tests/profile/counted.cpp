// Exchanges whose numbers are known: counted CASE [BYTES].
#include <signal.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tutti/tutti.hpp>

namespace {

constexpr int kMessages = 20;

void exchange(const tutti::Communicator& world, int messages = kMessages)
{
    const int right = (world.rank() + 1) % world.size();
    const int left = (world.rank() + world.size() - 1) % world.size();
    std::vector<char> out(2000);
    std::vector<char> in(2000);
    for (int i = 0; i < messages; ++i) {
        tutti::Request arriving = world.irecv(in, left, 7);
        world.send(out, right, 7);
        arriving.wait();
    }
}

// Short messages to and fro, which take less time than a rank needs to note them.
void pings(const tutti::Communicator& world)
{
    constexpr int kPings = 5000;
    int value = 0;
    for (int i = 0; i < kPings; ++i) {
        if ((i + world.rank()) % 2 == 0)
            world.send(value, 1 - world.rank(), 7);
        else
            world.recv(value, 1 - world.rank(), 7);
    }
}

void reduce(const tutti::Communicator& world, std::size_t bytes)
{
    std::vector<double> sums(bytes / sizeof(double), 1.0);
    for (int i = 0; i < kMessages; ++i)
        world.allreduce(sums, tutti::sum);
}

// Messages of rank 0, one after the other: each has been received before the next one leaves.
void send(const tutti::Communicator& world, std::size_t bytes)
{
    std::vector<char> data(bytes);
    int next = 0;
    for (int i = 0; i < kMessages; ++i) {
        if (world.rank() == 0) {
            world.send(data, 1, 7);
            world.recv(next, 1, 8);
        } else if (world.rank() == 1) {
            world.recv(data, 0, 7);
            world.send(next, 0, 8);
        }
    }
}

void send_to_itself(const tutti::Communicator& world, std::size_t bytes)
{
    const std::vector<char> out(bytes);
    std::vector<char> in(bytes);
    for (int i = 0; i < kMessages; ++i) {
        tutti::Request arriving = world.irecv(in, world.rank(), 7);
        world.send(out, world.rank(), 7);
        arriving.wait();
    }
}

// Blocks of all ranks in turn, written together, and then some bytes of each by a request.
void write_file(const tutti::Communicator& world, std::size_t bytes)
{
    using enum tutti::FileMode;
    const std::string path = std::string(std::getenv("TUTTI_TEST_FOLDER")) + "/counted-file";
    const auto rank = static_cast<std::size_t>(world.rank());
    const auto ranks = static_cast<std::size_t>(world.size());
    tutti::File file(world, path, write | create | temporary);
    file.set_view<char>(static_cast<std::int64_t>(rank * bytes),
                        tutti::Layout::strided(1, bytes, 1, 1).repeated_every(ranks * bytes));
    world.barrier();
    file.write_all(std::vector<char>(10 * bytes));
    const std::vector<char> more(bytes);
    file.iwrite_at(static_cast<std::int64_t>(10 * bytes), more).wait();
    file.close();
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string_view what = argc > 1 ? argv[1] : "";
    const std::size_t bytes = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 800;
    tutti::EnvironmentOptions options;
    if (what == "threads" || what == "file_threads")
        options.threads = tutti::ThreadLevel::multiple;
    tutti::Environment environment(argc, argv, options);
    const tutti::Communicator world = environment.world();
    if (what == "exchange" || what == "threads")
        exchange(world);
    if (what == "many")
        exchange(world, 5000 * kMessages);
    if (what == "pings")
        pings(world);
    if (what == "reduce")
        reduce(world, bytes);
    if (what == "own")
        send_to_itself(world, bytes);
    if (what == "send")
        send(world, bytes);
    if (what == "file" || what == "file_threads")
        write_file(world, bytes);
    if (what == "slow") {
        if (world.rank() == 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(1000));
        world.barrier();
    }
    if (what == "waits") {
        int never = 0;
        world.recv(never, (world.rank() + 1) % world.size(), 3);
    }
    if (what == "dies") {
        double first = 0;
        if (world.rank() == 1) {
            world.recv(first, 0, 2);
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            ::raise(SIGKILL);
        }
        world.send(first, 1, 2);
        int never = 0;
        world.recv(never, 1, 3);
    }
}
