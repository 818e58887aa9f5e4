// What the tests of all collectives share: operands, operators, and the expected results.
#pragma once

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "collectives/choice/algorithms.hpp"
#include "collectives/simulator/simulator.hpp"
#include "tests/sanitizers.hpp"

namespace tutti::collectives::test {

using simulator::Report;
using simulator::SendMode;
using simulator::Settings;

inline constexpr SendMode kModes[] = {SendMode::eager, SendMode::synchronous};
inline constexpr std::size_t kCounts[] = {0, 1, 3, tutti::test::kSanitized ? 101 : 1001};

/// Every number of ranks up to kMostRanks, and some larger ones. Fewer under a sanitizer, ten times slower.
inline constexpr int kMostRanks = tutti::test::kSanitized ? 4 : 17;
inline constexpr int kManyRanks = tutti::test::kSanitized ? 50 : 1000;
inline constexpr int kVeryManyRanks = tutti::test::kSanitized ? 100 : 4096;

inline Settings settings_for(SendMode mode)
{
    Settings settings;
    settings.mode = mode;
    settings.placement.board_bytes = 32u << 10;
    settings.placement.chunk_bytes = 2048;
    return settings;
}

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values)
{
    return std::as_writable_bytes(std::span(values));
}

template <class T>
Buffer buffer_of(std::vector<T>& values)
{
    return {bytes_of(values).data(), values.size(), sizeof(T)};
}

/// x -> slope x + offset, modulo 2^64. Doing one map after another is associative and does not commute.
struct Affine {
    std::uint64_t slope;
    std::uint64_t offset;
    bool operator==(const Affine&) const = default;
};

inline Affine then(Affine first, Affine second)
{
    return {first.slope * second.slope, first.offset * second.slope + second.offset};
}

inline void combine_affine(void* dst, const void* a, const void* b, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        const Affine left = static_cast<const Affine*>(a)[i];
        const Affine right = static_cast<const Affine*>(b)[i];
        static_cast<Affine*>(dst)[i] = then(left, right);
    }
}

inline std::vector<Affine> affine_operand(int rank, std::size_t count)
{
    std::vector<Affine> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = {2 * static_cast<std::uint64_t>(rank) + 3, i + 7 * static_cast<std::uint64_t>(rank)};
    }
    return values;
}

inline std::vector<Affine> affine_result(int ranks, std::size_t count)
{
    std::vector<Affine> result = affine_operand(0, count);
    for (int rank = 1; rank < ranks; ++rank) {
        const std::vector<Affine> next = affine_operand(rank, count);
        combine_affine(result.data(), result.data(), next.data(), count);
    }
    return result;
}

inline std::vector<std::int32_t> integer_operand(int rank, std::size_t count)
{
    std::vector<std::int32_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = (rank + 1) * 1000 + static_cast<std::int32_t>(i);
    }
    return values;
}

inline std::vector<std::int32_t> integer_sum(int ranks, std::size_t count)
{
    std::vector<std::int32_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = ranks * (ranks + 1) / 2 * 1000 + ranks * static_cast<std::int32_t>(i);
    }
    return values;
}

/// Commutes and does not: both kinds go through every reducing algorithm.
inline const ReduceOp kIntegerSum{reduction::Op::sum, reduction::DataType::int32};
inline const ReduceOp kAffineThen{combine_affine, false};

/// The algorithms that need not know of nodes; the tests of hierarchical ones have the others.
template <class Collective>
std::vector<Algorithm<typename Collective::Function>> on_one_node()
{
    std::vector<Algorithm<typename Collective::Function>> found;
    for (const auto& algorithm : Collective::kAlgorithms) {
        if (!is_made_of_others(algorithm.needs))
            found.push_back(algorithm);
    }
    return found;
}

inline int floor_log2(int value)
{
    int log2 = 0;
    while (value >> (log2 + 1) != 0) {
        ++log2;
    }
    return log2;
}

inline int ceil_log2(int value)
{
    return floor_log2(value) + ((value & (value - 1)) != 0 ? 1 : 0);
}

inline constexpr int kNotPromised = -1;

/// What an algorithm's file promises.
struct Cost {
    int steps;
    int chain;  // kNotPromised where it is only bounded by the steps
    std::size_t messages;
};

/// Of algorithms whose messages differ in length.
inline void check_cost_of_all_bytes(const Report& report, const Cost& expected, std::size_t all_bytes)
{
    CHECK(report.finish_ns() == expected.steps);
    CHECK(report.longest_chain <= expected.steps);
    if (expected.chain != kNotPromised) {
        CHECK(report.longest_chain == expected.chain);
    }
    CHECK(report.messages_sent() == expected.messages);
    CHECK(report.bytes_sent() == all_bytes);
}

inline void check_cost(const Report& report, const Cost& expected, std::size_t message_bytes)
{
    check_cost_of_all_bytes(report, expected, expected.messages * message_bytes);
}

}  // namespace tutti::collectives::test
