// A sender that is stopped in the middle of a copy that it shares with the receiver delays that message
// alone: the receiver exchanges others with a third rank meanwhile, and the copy ends right once the sender
// goes on.
//
// Both sides are held where they are wanted by pages that they must not touch. The receiver's part of the
// copy lasts until the sender has begun its own, whoever has a core.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "tests/multiprocess/api/program.hpp"

namespace tutti::test::stopped_helper {

namespace {

constexpr std::size_t kBytes = 1u << 20;
constexpr std::size_t kPage = 4096;
constexpr int kPingsMeanwhile = 50;
// Looks at a message before it is late: the third rank sleeps until then, and leaves its core to the sender.
constexpr int kLooksBeforePings = 5000;
constexpr int kEnd = -1;
constexpr std::chrono::seconds kLongest{60};
// Longer than a sender needs that waits and has no core. One that sleeps takes no part; the next may.
constexpr int kMillisecondsForSender = 100;

// A page that its owner must not touch before something has happened. Peers have mappings of their own.
void* guarded = nullptr;
int sender = 0;
volatile std::sig_atomic_t was_stopped = 0;

void guard()
{
    mprotect(guarded, kPage, PROT_NONE);
}

void unguard()
{
    mprotect(guarded, kPage, PROT_READ | PROT_WRITE);
}

bool is_stopped(int pid)
{
    char text[256];
    std::snprintf(text, sizeof(text), "/proc/%d/stat", pid);
    const int file = open(text, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof(text));
    close(file);
    return length > 0 &&
           std::string_view(text, static_cast<std::size_t>(length)).find(") T ") != std::string_view::npos;
}

void stop_here(int)
{
    unguard();
    was_stopped = 1;
    kill(getpid(), SIGSTOP);
}

void wait_for_stop(int)
{
    constexpr timespec kMillisecond{.tv_sec = 0, .tv_nsec = 1'000'000};
    for (int waited = 0; !is_stopped(sender) && waited < kMillisecondsForSender; ++waited)
        nanosleep(&kMillisecond, nullptr);
    unguard();
}

void on_guarded_page(void (*handler)(int))
{
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(SIGSEGV, &action, nullptr);
}

// Sends until it has been asked for a part in a copy, and so has been stopped.
void send_and_be_stopped(const Communicator& world)
{
    on_guarded_page(stop_here);
    for (const int peer : {0, 2})
        world.send(static_cast<int>(getpid()), peer, 3);
    const auto content = bytes(1, 1, kBytes);
    shared_vector<std::byte> source(content.begin(), content.end());
    // A whole page in the last piece, which is the first that a sender takes.
    const auto end = reinterpret_cast<std::uintptr_t>(source.data() + kBytes);
    guarded = reinterpret_cast<void*>((end / kPage - 1) * kPage);
    for (int stopped = 0; stopped == 0;) {
        world.recv(stopped, 0, 5);
        guard();
        world.send(source, 0, 1);
        stopped = was_stopped;
        world.send(stopped, 0, 2);
    }
    unguard();
}

void receive_beside_pings(const Communicator& world)
{
    const auto expected = bytes(1, 1, kBytes);
    shared_vector<std::byte> target(kBytes);
    // A whole page in the first piece, which is the receiver's.
    guarded = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(target.data()) / kPage + 1) * kPage);
    on_guarded_page(wait_for_stop);
    world.recv(sender, 1, 3);
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    int meanwhile = 0;
    for (int stopped = 0; stopped == 0;) {
        expect(std::chrono::steady_clock::now() < deadline, "the sender never had a part in a copy");
        std::ranges::fill(target, std::byte{0});
        guard();
        Request arriving = world.irecv(target, 1, 1);
        world.send(stopped, 1, 5);
        for (int looks = 0; !arriving.test(); ++looks) {
            if (looks < kLooksBeforePings)
                continue;
            world.send(looks, 2, 4);
            world.recv(meanwhile, 2, 4);
        }
        unguard();
        expect(std::ranges::equal(target, expected), "data");
        world.recv(stopped, 1, 2);
    }
    expect(meanwhile >= kPingsMeanwhile, "messages while the sender was stopped");
    world.send(kEnd, 2, 4);
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

int run_program(int argc, char** argv)
{
    Environment environment(argc, argv);
    const Communicator world = environment.world();
    if (world.rank() == 0)
        receive_beside_pings(world);
    else if (world.rank() == 1)
        send_and_be_stopped(world);
    else
        answer_pings(world);
    return 0;
}

const Program program("stopped_helper", run_program);

}  // namespace tutti::test::stopped_helper
