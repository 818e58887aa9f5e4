// The limit of TCP between two hosts:
//
//     socket-probe [exchange]                 on one of them: prints its port and waits
//     socket-probe [exchange] ADDRESS PORT    on the other: prints the table
//
// By itself two processes, half round trips and streams; exchange: two processes a host, each of which sends
// a block to both of the other host's and receives one from each.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/limits/socket_exchange.hpp"
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

unsigned short port_of(const std::string& word)
{
    unsigned short port = 0;
    const char* const end = word.data() + word.size();
    if (std::from_chars(word.data(), end, port).ptr != end || port == 0)
        throw std::runtime_error(fmt::format("'{}' is no port", word));
    return port;
}

void run(std::vector<std::string> words)
{
    const bool exchange = !words.empty() && words.front() == "exchange";
    if (exchange)
        words.erase(words.begin());
    if (!words.empty() && words.size() != 2)
        throw std::runtime_error("usage: socket-probe [exchange] [ADDRESS PORT]");
    const bool first = !words.empty();
    const std::size_t count = exchange ? kExchangeConnections : 1;
    std::vector<ProbeSocket> connections;
    if (first) {
        while (connections.size() < count)
            connections.push_back(connect_probe(words[0].c_str(), port_of(words[1])));
    } else {
        unsigned short port = 0;
        const int listener = listen_for_probe(port);
        fmt::print("{}\n", port);
        std::fflush(stdout);
        connections = accept_probes(listener, count);
    }
    if (exchange)
        exchange_between_hosts(std::move(connections), first);
    else
        measure(connections.front(), first);
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        run({argv + 1, argv + argc});
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "socket-probe: {}\n", error.what());
        return 1;
    }
}
