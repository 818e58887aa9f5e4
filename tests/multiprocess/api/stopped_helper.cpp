// A sender that is stopped in the middle of a copy that it shares with the receiver delays that message
// alone: the receiver exchanges others with a third rank meanwhile, and the copy ends right once the sender
// goes on.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>

#include "tests/multiprocess/api/program.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr std::size_t kBytes = 1u << 20;
constexpr std::size_t kPage = 4096;
constexpr int kPingsMeanwhile = 200;
// Looks at a message before it is late: the third rank sleeps until then, and leaves its core to the sender.
constexpr int kLooksBeforePings = 5000;
constexpr int kEnd = -1;
constexpr std::chrono::seconds kLongest{60};

// What the sender must not read before it was stopped. The receiver reads it through a mapping of its own.
void* guarded = nullptr;
volatile std::sig_atomic_t was_stopped = 0;

void stop_here(int)
{
    mprotect(guarded, kPage, PROT_READ | PROT_WRITE);
    was_stopped = 1;
    kill(getpid(), SIGSTOP);
}

// Sends until it has been asked for a part in a copy, and so has been stopped.
void send_and_be_stopped(const Communicator& world)
{
    struct sigaction action {};
    action.sa_handler = stop_here;
    sigaction(SIGSEGV, &action, nullptr);
    world.send(static_cast<int>(getpid()), 2, 3);
    const auto content = bytes(1, 1, kBytes);
    shared_vector<std::byte> source(content.begin(), content.end());
    // A whole page in the last piece, which is the first that a sender takes.
    const auto end = reinterpret_cast<std::uintptr_t>(source.data() + kBytes);
    guarded = reinterpret_cast<void*>((end / kPage - 1) * kPage);
    for (int stopped = 0; stopped == 0;) {
        mprotect(guarded, kPage, PROT_NONE);
        world.send(source, 0, 1);
        stopped = was_stopped;
        world.send(stopped, 0, 2);
    }
    mprotect(guarded, kPage, PROT_READ | PROT_WRITE);
}

void receive_beside_pings(const Communicator& world)
{
    const auto expected = bytes(1, 1, kBytes);
    shared_vector<std::byte> target(kBytes);
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    int meanwhile = 0;
    for (int stopped = 0; stopped == 0;) {
        expect(std::chrono::steady_clock::now() < deadline, "the sender never had a part in a copy");
        std::ranges::fill(target, std::byte{0});
        Request arriving = world.irecv(target, 1, 1);
        for (int looks = 0; !arriving.test(); ++looks) {
            if (looks < kLooksBeforePings)
                continue;
            world.send(looks, 2, 4);
            world.recv(meanwhile, 2, 4);
        }
        expect(std::ranges::equal(target, expected), "data");
        world.recv(stopped, 1, 2);
    }
    expect(meanwhile >= kPingsMeanwhile, "messages while the sender was stopped");
    world.send(kEnd, 2, 4);
}

bool is_stopped(int pid)
{
    std::string line;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), line);
    return line.find(") T ") != std::string::npos;
}

// Answers with how many pings have come while the sender was stopped, and lets it go on after so many.
void answer_pings(const Communicator& world)
{
    int pid = 0;
    world.recv(pid, 1, 3);
    int meanwhile = 0;
    for (int ping = 0;; world.send(meanwhile, 0, 4)) {
        world.recv(ping, 0, 4);
        if (ping == kEnd)
            return;
        meanwhile += is_stopped(pid);
        if (meanwhile == kPingsMeanwhile)
            kill(pid, SIGCONT);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    if (world.rank() == 0)
        receive_beside_pings(world);
    else if (world.rank() == 1)
        send_and_be_stopped(world);
    else
        answer_pings(world);
}
