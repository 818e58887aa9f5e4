// The limit of TCP between two hosts:
//
//     socket-probe             on one of them: prints its port and waits
//     socket-probe ADDRESS PORT    on the other: prints the table
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "benchmarks/limits/sockets.hpp"

namespace {

using namespace tutti::bench;

// Both ends make the same measurements, in the same order.
void measure(const ProbeSocket& socket, bool first)
{
    if (first)
        fmt::print("# {:>10}{:>16}{:>16}\n", "Bytes", "Latency us", "Stream GB/s");
    for (std::size_t size_bytes = 1; size_bytes <= 4u << 20; size_bytes *= 4) {
        const int loops = static_cast<int>(std::clamp<std::size_t>((32u << 20) / size_bytes, 50, 20'000));
        const double latency_us = socket_latency_us(socket, first, size_bytes, loops);
        const double stream_us = socket_stream_us(socket, first, size_bytes, 4 * loops);
        if (first)
            fmt::print("{:>12}{:>16.2f}{:>16.3f}\n", size_bytes, latency_us,
                       static_cast<double>(size_bytes) / stream_us / 1000);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        unsigned short port = 0;
        if (argc == 1) {
            const int listener = listen_for_probe(port);
            fmt::print("{}\n", port);
            std::fflush(stdout);
            measure(accept_probe(listener), false);
            return 0;
        }
        const char* const end = argc == 3 ? argv[2] + std::strlen(argv[2]) : nullptr;
        if (argc != 3 || std::from_chars(argv[2], end, port).ptr != end || port == 0)
            throw std::runtime_error("usage: socket-probe [ADDRESS PORT]");
        measure(connect_probe(argv[1], port), true);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "socket-probe: {}\n", error.what());
        return 1;
    }
}
