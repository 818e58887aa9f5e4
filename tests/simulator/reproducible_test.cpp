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

#include "collectives/choice/algorithms.hpp"
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

constexpr int kNoRoot = -1;

/// At every number of ranks and in every order of arrival the same: at the root, or at all ranks.
template <class Run>
void check_reproducible(int root, const Run& run)
{
    std::mt19937 random(5);
    for (int ranks = 2; ranks <= kMostRanks; ++ranks) {
        CAPTURE(ranks);
        const std::vector<Values> expected = results(ranks, settings_for(SendMode::eager), run);
        for (int arrival = 0; arrival < kArrivals; ++arrival) {
            const SendMode mode = kModes[arrival % 2];
            const std::vector<Values> found = results(ranks, arrivals(ranks, mode, random), run);
            if (root == kNoRoot) {
                CHECK(found == expected);
            } else {
                const auto at = static_cast<std::size_t>(root % ranks);
                CHECK(found[at] == expected[at]);
            }
        }
    }
}

/// Calls check(algorithm, op) for every algorithm of a collective, with an operator that commutes as far as
/// the algorithm is told, and where it can do that with one that does not.
template <class Collective, class Check>
void for_all_algorithms(const Check& check)
{
    for (const Algorithm<typename Collective::Function>& algorithm : on_one_node<Collective>()) {
        for (const bool commutative : {false, true}) {
            if (!commutative && algorithm.needs == Needs::commuting)
                continue;
            CAPTURE(algorithm.name, commutative);
            check(algorithm, ReduceOp(combine_hashing, commutative));
        }
    }
}

template <class Collective>
void check_scans()
{
    for_all_algorithms<Collective>([](const auto& algorithm, ReduceOp op) {
        check_reproducible(kNoRoot, [&](Group& group, Values& values) {
            const Buffer data = buffer_of(values);
            return algorithm.run(group, data.data, data, op);
        });
    });
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
    for_all_algorithms<Allreduce>([](const auto& algorithm, ReduceOp op) {
        const auto run = [&](Group& group, Values& values) {
            const Buffer data = buffer_of(values);
            return algorithm.run(group, data.data, data, op);
        };
        check_reproducible(kNoRoot, run);
        for (const int ranks : {2, 7, 16}) {
            const std::vector<Values> all = results(ranks, settings_for(SendMode::eager), run);
            CHECK(all == std::vector<Values>(all.size(), all[0]));
        }
    });
}

TEST_CASE("a reduce is the same expression whatever the order of arrival")
{
    for (const int root : {0, 5}) {
        CAPTURE(root);
        for_all_algorithms<Reduce>([root](const auto& algorithm, ReduceOp op) {
            check_reproducible(root, [&](Group& group, Values& values) {
                const Buffer data = buffer_of(values);
                return algorithm.run(group, data.data, data, root % group.size(), op, 64);
            });
        });
    }
}

TEST_CASE("a reduce_scatter is the same expression whatever the order of arrival")
{
    for_all_algorithms<ReduceScatter>([](const auto& algorithm, ReduceOp op) {
        check_reproducible(kNoRoot, [&](Group& group, Values& values) {
            const Partition blocks = Partition::even(kCount, group.size());
            values.resize(2 * kCount);  // the own block goes behind the input
            const Buffer all = buffer_of(values);
            const Buffer own{all.data + kCount * sizeof(std::uint64_t), blocks[group.rank()].count,
                             sizeof(std::uint64_t)};
            const bool can = algorithm.needs != Needs::streams_of_two || group.size() == 2;
            return (can ? algorithm.run : reduce_scatter_flat)(group, all.data, blocks, own, op);
        });
    });
}

TEST_CASE("scans are the same expressions whatever the order of arrival")
{
    check_scans<Scan>();
    check_scans<Exscan>();
}

}  // namespace tutti::collectives::test
