#include "collectives/framework/functions.hpp"

#include <algorithm>
#include <numeric>

#include "collectives/choice/algorithms.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

using Counts = std::vector<std::size_t>;

struct ReduceScatterCall {
    const Algorithm<ReduceScatter::Function>& algorithm;
    SendMode mode;
    Counts counts;
    bool even;  // the blocks are given as a number of elements, not as a list
};

bool is_without_messages(std::string_view algorithm, int ranks)
{
    return algorithm == "board" || (algorithm == "shared" && ranks == 2);
}

/// Elements that all messages carry together, in units of one element.
std::size_t sent_elements(std::string_view algorithm, const Counts& counts)
{
    const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (is_without_messages(algorithm, static_cast<int>(counts.size()))) {
        return 0;
    }
    if (algorithm != "recursive_halving") {
        return (counts.size() - 1) * all;
    }
    const auto power = static_cast<std::size_t>(1 << floor_log2(static_cast<int>(counts.size())));
    std::size_t sent = (power - 1) * all;
    for (std::size_t out = 0; out < counts.size() - power; ++out) {
        sent += all + counts[2 * out];  // there and back
    }
    return sent;
}

Cost reduce_scatter_cost(std::string_view algorithm, int ranks)
{
    if (is_without_messages(algorithm, ranks)) {
        return {0, 0, 0};
    }
    const int pairs = ranks * (ranks - 1);
    if (algorithm == "flat" || algorithm == "shared") {
        return {ranks - 1, ranks > 1 ? 1 : 0, static_cast<std::size_t>(pairs)};
    }
    if (algorithm == "ring") {
        return {ranks - 1, ranks - 1, static_cast<std::size_t>(pairs)};
    }
    const int log2 = floor_log2(ranks);
    const int power = 1 << log2;
    const int steps = log2 + (ranks == power ? 0 : 2);
    return {steps, ranks == power ? steps : kNotPromised,
            static_cast<std::size_t>(power * log2 + 2 * (ranks - power))};
}

template <class T>
void check(const ReduceScatterCall& call, ReduceOp op, std::vector<T> (*operand)(int rank, std::size_t count),
           std::vector<T> (*result)(int ranks, std::size_t count))
{
    const auto ranks = static_cast<int>(call.counts.size());
    const std::size_t all = std::accumulate(call.counts.begin(), call.counts.end(), std::size_t{0});
    CAPTURE(call.algorithm.name, static_cast<int>(call.mode), ranks, call.counts, op.commutative());
    std::vector<std::vector<T>> in;
    std::vector<std::vector<T>> out;
    for (int rank = 0; rank < ranks; ++rank) {
        in.push_back(operand(rank, all));
        out.emplace_back(call.counts[static_cast<std::size_t>(rank)]);
    }
    const Report report = simulate(ranks, settings_for(call.mode), [&](Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        return call.algorithm.run(group, bytes_of(in[rank]).data(),
                                  call.even ? Partition::even(all, ranks) : Partition::of_counts(call.counts),
                                  buffer_of(out[rank]), op);
    });
    REQUIRE(report.problems() == "");
    std::vector<T> together;
    for (int rank = 0; rank < ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        REQUIRE(in[index] == operand(rank, all));
        together.insert(together.end(), out[index].begin(), out[index].end());
    }
    REQUIRE(together == result(ranks, all));
    check_cost_of_all_bytes(report, reduce_scatter_cost(call.algorithm.name, ranks),
                            sent_elements(call.algorithm.name, call.counts) * sizeof(T));
}

void check_both(const ReduceScatterCall& call)
{
    if (call.algorithm.needs == Needs::streams_of_two && call.counts.size() != 2)
        return;
    check<std::int32_t>(call, kIntegerSum, integer_operand, integer_sum);
    if (call.algorithm.needs != Needs::commuting) {
        check<Affine>(call, kAffineThen, affine_operand, affine_result);
    }
}

/// Zeros among them, at both ends too.
Counts unequal_counts(int ranks)
{
    Counts counts;
    for (int rank = 0; rank < ranks; ++rank) {
        counts.push_back(static_cast<std::size_t>(rank * 7 % 5));
    }
    counts.back() = 0;
    return counts;
}

}  // namespace

TEST_CASE("every reduce_scatter leaves each rank its block, combined in rank order")
{
    for (const Algorithm<ReduceScatter::Function>& algorithm : on_one_node<ReduceScatter>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
                for (const std::size_t count : {0, 1, 3, 101}) {
                    const Counts counts(static_cast<std::size_t>(ranks), count);
                    check_both({algorithm, mode, counts, true});
                    check_both({algorithm, mode, counts, false});
                }
            }
        }
    }
}

TEST_CASE("a reduce_scatter of unequal blocks, of empty ones, and of one block alone")
{
    for (const Algorithm<ReduceScatter::Function>& algorithm : on_one_node<ReduceScatter>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
                check_both({algorithm, mode, unequal_counts(ranks), false});
                for (int rank = 0; rank < ranks; rank += 3) {
                    Counts counts(static_cast<std::size_t>(ranks), 0);
                    counts[static_cast<std::size_t>(rank)] = 11;
                    check_both({algorithm, mode, counts, false});
                }
            }
        }
    }
}

TEST_CASE("a reduce_scatter over many ranks")
{
    for (const Algorithm<ReduceScatter::Function>& algorithm : on_one_node<ReduceScatter>()) {
        check_both({algorithm, SendMode::eager, Counts(64, 2), true});
        check_both({algorithm, SendMode::synchronous, unequal_counts(100), false});
        if (algorithm.name == "recursive_halving") {
            check_both({algorithm, SendMode::synchronous, unequal_counts(kManyRanks), false});
            Counts sparse(kVeryManyRanks, 0);
            for (std::size_t rank = 0; rank < sparse.size(); rank += 61) {
                sparse[rank] = 1;
            }
            check<Affine>({algorithm, SendMode::eager, sparse, false}, kAffineThen, affine_operand,
                          affine_result);
        }
    }
}

TEST_CASE("a partition cuts an array as its counts say")
{
    const Partition given = Partition::of_counts(Counts{2, 0, 5});
    CHECK(given.count() == 7);
    CHECK(given[0].first == 0);
    CHECK(given[0].count == 2);
    CHECK(given[1].first == 2);
    CHECK(given[1].count == 0);
    CHECK(given.range(1, 3).first == 2);
    CHECK(given.range(1, 3).count == 5);
    CHECK(given.range(3, 3).first == 7);
    const Partition even = Partition::even(7, 3);
    CHECK(even.count() == 7);
    CHECK(even[0].count == 3);
    CHECK(even[2].first == 5);
    CHECK(even.range(1, 3).count == 4);
    CHECK(even.range(0, 3).count == 7);
}

}  // namespace tutti::collectives::test
