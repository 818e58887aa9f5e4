// What the tests of all-to-all collectives share: who sends how much to whom, and that it arrives.
#pragma once

#include "tests/simulator/blocks_support.hpp"

namespace tutti::collectives::test {

/// The bytes of a block by who sends it to whom: short ones, of which some are empty, and longer ones for one rank.
inline std::size_t short_blocks(int from, int to)
{
    return static_cast<std::size_t>((from * 5 + to * 3) % 7 + (to == 2 ? 50 : 0));
}

inline std::size_t no_bytes(int, int)
{
    return 0;
}

/// Who sends how much to whom, and where the blocks lie at each rank.
struct Exchange {
    std::vector<Places> in;
    std::vector<Places> out;
    std::size_t travelling_bytes = 0;  // all but what ranks keep

    /// size_bytes(from, to) for each pair.
    template <class SizeBytes>
    Exchange(int ranks, Order order, SizeBytes size_bytes)
    {
        for (int rank = 0; rank < ranks; ++rank) {
            std::vector<std::size_t> sent;
            std::vector<std::size_t> received;
            for (int peer = 0; peer < ranks; ++peer) {
                sent.push_back(size_bytes(rank, peer));
                received.push_back(size_bytes(peer, rank));
                travelling_bytes += peer == rank ? 0 : sent.back();
            }
            in.emplace_back(std::move(sent), order);
            out.emplace_back(std::move(received), order);
        }
    }

    int ranks() const { return static_cast<int>(in.size()); }
};

inline std::vector<Memory> given(const std::vector<Places>& places)
{
    std::vector<Memory> all;
    for (const Places& own : places) {
        all.push_back(own.untouched());
    }
    return all;
}

/// The memory of all ranks with the blocks that they send, or receive.
inline std::vector<Memory> filled(const std::vector<Places>& places, bool received)
{
    std::vector<Memory> all = given(places);
    for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        for (int peer = 0; peer < static_cast<int>(places.size()); ++peer) {
            const std::span<std::byte> block = places[index].in(all[index])[peer];
            received ? fill(block, peer, rank) : fill(block, rank, peer);
        }
    }
    return all;
}

/// Runs `run(group, in, out)` on the memory of each rank and compares all memory.
template <class Run>
Report check_exchange(const Settings& settings, const Exchange& exchange, Run run)
{
    CAPTURE(static_cast<int>(settings.mode), exchange.ranks(), exchange.in[0].sizes, exchange.in[0].offsets);
    const std::vector<Memory> in = filled(exchange.in, false);
    const std::vector<Memory> before = in;
    std::vector<Memory> out = given(exchange.out);
    const Report report = simulate(exchange.ranks(), settings, [&](Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        return run(group, in[rank], out[rank]);
    });
    REQUIRE(report.problems() == "");
    REQUIRE(out == filled(exchange.out, true));
    REQUIRE(in == before);
    return report;
}

}  // namespace tutti::collectives::test
