// What the tests of the collectives that move blocks share: how blocks lie in memory, and what is in them.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>

#include "collectives/framework/rank_blocks.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

using Memory = std::vector<std::byte>;

/// What no collective may write to stays this.
inline constexpr std::byte kUntouched{0xEE};

/// The bytes that go from one rank to another; `to` is kAll where all get the same.
inline constexpr int kAll = -1;
inline void fill(std::span<std::byte> block, int from, int to)
{
    // By plain pointer: tests are compiled without optimisation, where each operator of a span is a call.
    std::byte* const bytes = block.data();
    const std::size_t size_bytes = block.size();
    auto mixed = static_cast<std::uint32_t>(from) * 2654435761u + static_cast<std::uint32_t>(to) * 40503u;
    for (std::size_t i = 0; i < size_bytes; ++i, mixed += 97u) {
        bytes[i] = static_cast<std::byte>(mixed >> 5);
    }
}

/// Compares as many bytes at once as the CPU can, which == of vectors of std::byte does not.
inline bool is_equal(const Memory& one, const Memory& expected)
{
    return one.size() == expected.size() &&
           (one.empty() || std::memcmp(one.data(), expected.data(), one.size()) == 0);
}
inline bool all_equal(const std::vector<Memory>& memory, const Memory& expected)
{
    return std::ranges::all_of(memory, [&](const Memory& one) { return is_equal(one, expected); });
}
inline bool all_equal(const std::vector<Memory>& memory, const std::vector<Memory>& expected)
{
    return std::ranges::equal(memory, expected, is_equal);
}

inline Memory block_of(int from, int to, std::size_t size_bytes)
{
    Memory block(size_bytes);
    fill(block, from, to);
    return block;
}

enum class Order { packed, gaps, backwards };
inline constexpr Order kOrders[] = {Order::packed, Order::gaps, Order::backwards};

/// Where the blocks of all ranks lie.
struct Places {
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> offsets;
    std::size_t memory_bytes = 0;

    Places(std::vector<std::size_t> block_sizes, Order order)
        : sizes(std::move(block_sizes)), offsets(sizes.size())
    {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::size_t rank = order == Order::backwards ? sizes.size() - 1 - i : i;
            memory_bytes += order == Order::gaps ? 1 + i % 3 : 0;
            offsets[rank] = memory_bytes;
            memory_bytes += sizes[rank];
        }
    }

    Blocks in(Memory& memory) const { return {memory.data(), sizes, offsets}; }
    ConstBlocks in(const Memory& memory) const { return {memory.data(), sizes, offsets}; }
    std::size_t total_bytes() const { return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}); }
    Memory untouched() const { return Memory(memory_bytes, kUntouched); }
};

inline Places equal_places(int ranks, std::size_t block_bytes)
{
    return Places(std::vector<std::size_t>(static_cast<std::size_t>(ranks), block_bytes), Order::packed);
}

/// Equal, some of them empty, only the last one not, all empty.
inline std::vector<std::vector<std::size_t>> kinds_of_sizes(int ranks)
{
    const auto size = static_cast<std::size_t>(ranks);
    std::vector<std::vector<std::size_t>> kinds(4, std::vector<std::size_t>(size, 0));
    for (std::size_t rank = 0; rank < size; ++rank) {
        kinds[0][rank] = 3;
        kinds[1][rank] = rank * 7 % 5 + (rank == 3 ? 100 : 0);
    }
    kinds[2].back() = 5;
    return kinds;
}

}  // namespace tutti::collectives::test
