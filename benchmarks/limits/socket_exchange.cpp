#include "benchmarks/limits/socket_exchange.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

namespace {

constexpr std::size_t kSizes[] = {8192, 32768, 131072};
constexpr std::size_t kMovedBytes = 32u << 20;  // over each connection, each way, at each size

// The data still to send and receive over one connection.
struct Way {
    const ProbeSocket& socket;
    std::span<const std::byte> unsent;
    std::span<std::byte> missing;

    bool done() const { return unsent.empty() && missing.empty(); }

    // Whether any data moved.
    bool move()
    {
        const std::size_t left = unsent.size() + missing.size();
        if (!unsent.empty())
            unsent = unsent.subspan(socket.send_some(unsent));
        if (!missing.empty())
            missing = missing.subspan(socket.receive_some(missing));
        return unsent.size() + missing.size() < left;
    }

    pollfd awaited() const
    {
        const int events = (unsent.empty() ? 0 : POLLOUT) | (missing.empty() ? 0 : POLLIN);
        return {socket.fd(), static_cast<short>(events), 0};
    }
};

// Called if no data moved: the core may belong to the other process, too.
enum class Waiting { yield, sleep };

// Both ways at once.
void exchange(std::array<Way, 2> ways, Waiting waiting)
{
    for (;;) {
        const bool first_moved = ways[0].move();
        if (ways[1].move() || first_moved)
            continue;
        if (ways[0].done() && ways[1].done())
            return;
        if (waiting == Waiting::yield) {
            sched_yield();
        } else {
            std::array awaited{ways[0].awaited(), ways[1].awaited()};
            poll(awaited.data(), awaited.size(), -1);
        }
    }
}

// One of the four: us an exchange. They need no barrier: who has both blocks of one begins the next.
double exchange_us(const std::vector<ProbeSocket>& peers, std::size_t size_bytes, Waiting waiting)
{
    const std::vector<std::byte> out(2 * size_bytes);
    std::vector<std::byte> in(2 * size_bytes);
    const auto way = [&](std::size_t peer) {
        return Way{peers[peer], std::span(out).subspan(peer * size_bytes, size_bytes),
                   std::span(in).subspan(peer * size_bytes, size_bytes)};
    };
    const int loops = static_cast<int>(kMovedBytes / size_bytes);
    double start = 0.0;
    for (int i = -loops / 10; i < loops; ++i) {
        if (i == 0)
            start = now_us();
        exchange({way(0), way(1)}, waiting);
    }
    return (now_us() - start) / loops;
}

// Connection k joins process k / 2 of the one host and process k % 2 of the other.
std::vector<ProbeSocket> own_of(std::vector<ProbeSocket> all, bool first, std::size_t process)
{
    std::vector<ProbeSocket> own;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if ((first ? k / 2 : k % 2) == process)
            own.push_back(std::move(all[k]));
    }
    return own;
}

void run_process(std::vector<ProbeSocket> connections, bool first, std::size_t process)
{
    // The other process's are closed here before anything waits, so that whoever dies is missed at once.
    const std::vector<ProbeSocket> peers = own_of(std::move(connections), first, process);
    for (const std::size_t size_bytes : kSizes) {
        const double yielding_us = exchange_us(peers, size_bytes, Waiting::yield);
        const double sleeping_us = exchange_us(peers, size_bytes, Waiting::sleep);
        if (first && process == 0)
            fmt::print("{:>12}{:>16.2f}{:>16.2f}\n", size_bytes, yielding_us, sleeping_us);
        std::fflush(stdout);
    }
}

}  // namespace

void exchange_between_hosts(std::vector<ProbeSocket> connections, bool first)
{
    if (first)
        fmt::print("# {:>10}{:>16}{:>16}\n", "Bytes", "Yielding us", "Sleeping us");
    std::fflush(stdout);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0)
        throw std::runtime_error("sockets: fork failed");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        try {
            if (getppid() == parent)
                run_process(std::move(connections), first, 1);
            _exit(0);
        } catch (const std::exception&) {
            _exit(1);  // the others miss it, and say so
        }
    }
    run_process(std::move(connections), first, 0);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0)
        throw std::runtime_error("sockets: the second process died");
}

}  // namespace tutti::bench
