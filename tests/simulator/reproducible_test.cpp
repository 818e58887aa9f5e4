// What a reduction gives does not depend on who comes first: for a number of ranks and an algorithm, every
// element is always the same expression of the operands.
//
// Shown with an operator that tells expressions apart: a hash of its operands, neither associative nor
// commutative. Two results are equal only where all operands were combined in the same order, with the same
// brackets, on the same sides.
#include <catch2/catch.hpp>

#include <cstdint>
#include <random>
#include <vector>

#include "collectives/algorithms.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

constexpr std::size_t kCount = 37;
constexpr int kArrivals = 12;
using Values = std::vector<std::uint64_t>;

void combine_hashing(void* dst, const void* a, const void* b, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t left = static_cast<const std::uint64_t*>(a)[i];
        const std::uint64_t right = static_cast<const std::uint64_t*>(b)[i];
        std::uint64_t mixed = left * 0x9e3779b97f4a7c15u + (right ^ (right >> 31)) * 0xbf58476d1ce4e5b9u + 1;
        static_cast<std::uint64_t*>(dst)[i] = mixed ^ (mixed >> 29);
    }
}

Values operand(int rank)
{
    Values values(kCount);
    for (std::size_t i = 0; i < kCount; ++i)
        values[i] = 1000 * static_cast<std::uint64_t>(rank) + i;
    return values;
}

// Ranks come at random times, over a network where a message takes about as long as they differ.
Settings arrivals(int ranks, SendMode mode, std::mt19937& random)
{
    Settings settings = settings_for(mode);
    settings.costs = {.latency_ns = 5, .overhead_ns = 1, .gap_ns = 2, .ns_per_byte = 0.01};
    for (int rank = 0; rank < ranks; ++rank)
        settings.start_ns.push_back(static_cast<double>(random() % 60));
    return settings;
}

/// All ranks' results of one call. `run(group, values)` makes a rank's task, which combines `values` in
/// place.
template <class Run>
std::vector<Values> results(int ranks, const Settings& settings, const Run& run)
{
    std::vector<Values> data;
    for (int rank = 0; rank < ranks; ++rank)
        data.push_back(operand(rank));
    const Report report = simulate(ranks, settings, [&](Group& group) {
        return run(group, data[static_cast<std::size_t>(group.rank())]);
    });
    REQUIRE(report.problems() == "");
    return data;
}

/// At every number of ranks and in every order of arrival the same; and not trivially so.
template <class Run>
void check_reproducible(int root, const Run& run)
{
    std::mt19937 random(5);
    for (int ranks = 2; ranks <= 17; ++ranks) {
        CAPTURE(ranks);
        const std::size_t at = static_cast<std::size_t>(root % ranks);
        const Values expected = results(ranks, settings_for(SendMode::eager), run)[at];
        for (int arrival = 0; arrival < kArrivals; ++arrival) {
            const SendMode mode = kModes[arrival % 2];
            CHECK(results(ranks, arrivals(ranks, mode, random), run)[at] == expected);
        }
    }
}

}  // namespace

TEST_CASE("the hashing operator tells orders, brackets and sides apart")
{
    const auto hash = [](std::uint64_t a, std::uint64_t b) {
        std::uint64_t result = 0;
        combine_hashing(&result, &a, &b, 1);
        return result;
    };
    CHECK(hash(1, 2) != hash(2, 1));
    CHECK(hash(hash(1, 2), 3) != hash(1, hash(2, 3)));
    CHECK(hash(hash(1, 2), 3) != hash(hash(1, 3), 2));
}

TEST_CASE("an allreduce is the same expression whatever the order of arrival, and the same at all ranks")
{
    for (const Algorithm<Allreduce::Function>& algorithm : Allreduce::kAlgorithms) {
        for (const bool commutative : {false, true}) {
            if (!commutative && algorithm.operands == Operands::commuting)
                continue;
            CAPTURE(algorithm.name, commutative);
            const ReduceOp op(combine_hashing, commutative);
            const auto run = [&](Group& group, Values& values) {
                return algorithm.run(group, buffer_of(values), op);
            };
            check_reproducible(0, run);
            for (const int ranks : {2, 7, 16}) {
                const std::vector<Values> all = results(ranks, settings_for(SendMode::eager), run);
                CHECK(all == std::vector<Values>(all.size(), all[0]));
            }
        }
    }
}

TEST_CASE("a reduce is the same expression whatever the order of arrival")
{
    for (const Algorithm<Reduce::Function>& algorithm : Reduce::kAlgorithms) {
        for (const bool commutative : {false, true}) {
            if (!commutative && algorithm.operands == Operands::commuting)
                continue;
            for (const int root : {0, 5}) {
                CAPTURE(algorithm.name, commutative, root);
                const ReduceOp op(combine_hashing, commutative);
                check_reproducible(root, [&](Group& group, Values& values) {
                    const Buffer data = buffer_of(values);
                    return algorithm.run(group, data.data, data, root % group.size(), op, 64);
                });
            }
        }
    }
}

}  // namespace tutti::collectives::test
