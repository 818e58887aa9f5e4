#include "collectives/framework/functions.hpp"

#include "collectives/choice/algorithms.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

/// scan and exscan have the same functions: what tells them apart is how many operands a rank's result has.
enum class Kind { inclusive, exclusive };

struct ScanCall {
    const Algorithm<Scan::Function>& algorithm;
    Kind kind;
    SendMode mode;
    int ranks;
    std::size_t count;
    bool in_place;
};

Cost scan_cost(std::string_view algorithm, int ranks)
{
    if (algorithm == "board" || algorithm == "shared") {
        return {0, 0, 0};
    }
    if (algorithm == "flat") {
        return {ranks - 1, ranks - 1, static_cast<std::size_t>(ranks - 1)};
    }
    std::size_t messages = 0;
    for (int distance = 1; distance < ranks; distance *= 2) {
        messages += static_cast<std::size_t>(ranks - distance);
    }
    return {ceil_log2(ranks), floor_log2(ranks), messages};
}

template <class T>
void check(const ScanCall& call, ReduceOp op, std::vector<T> (*operand)(int rank, std::size_t count),
           std::vector<T> (*result)(int ranks, std::size_t count))
{
    CAPTURE(call.algorithm.name, static_cast<int>(call.kind), static_cast<int>(call.mode), call.ranks,
            call.count, call.in_place, op.commutative());
    std::vector<std::vector<T>> in;
    std::vector<std::vector<T>> out;
    for (int rank = 0; rank < call.ranks; ++rank) {
        in.push_back(operand(rank, call.count));
        out.push_back(operand(rank + 1, call.count));  // anything
    }
    const std::vector<std::vector<T>> before = call.in_place ? in : out;
    const Report report = simulate(call.ranks, settings_for(call.mode), [&](Group& group) {
        const auto rank = static_cast<std::size_t>(group.rank());
        const std::byte* const own = bytes_of(in[rank]).data();
        return call.algorithm.run(group, own, buffer_of(call.in_place ? in[rank] : out[rank]), op);
    });
    REQUIRE(report.problems() == "");
    for (int rank = 0; rank < call.ranks; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        const std::vector<T>& own = call.in_place ? in[index] : out[index];
        const int operands = call.kind == Kind::inclusive ? rank + 1 : rank;
        REQUIRE(own == (operands == 0 ? before[0] : result(operands, call.count)));
        if (!call.in_place) {
            REQUIRE(in[index] == operand(rank, call.count));
        }
    }
    check_cost(report, scan_cost(call.algorithm.name, call.ranks), call.count * sizeof(T));
}

void check_both(const ScanCall& call)
{
    check<std::int32_t>(call, kIntegerSum, integer_operand, integer_sum);
    check<Affine>(call, kAffineThen, affine_operand, affine_result);
}

void check_everywhere(const Algorithm<Scan::Function>& algorithm, Kind kind)
{
    for (const SendMode mode : kModes) {
        for (const bool in_place : {false, true}) {
            for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
                for (const std::size_t count : kCounts) {
                    check_both({algorithm, kind, mode, ranks, count, in_place});
                }
            }
        }
    }
    check_both({algorithm, kind, SendMode::eager, 64, 17, true});
    check_both({algorithm, kind, SendMode::synchronous, 1000, 1, false});
}

}  // namespace

TEST_CASE("every scan combines the operands up to the own one, in rank order")
{
    for (const Algorithm<Scan::Function>& algorithm : on_one_node<Scan>()) {
        check_everywhere(algorithm, Kind::inclusive);
    }
}

TEST_CASE("every exscan combines the operands below the own one, and leaves rank 0's result alone")
{
    for (const Algorithm<Exscan::Function>& algorithm : on_one_node<Exscan>()) {
        check_everywhere(algorithm, Kind::exclusive);
    }
}

TEST_CASE("scans by recursive doubling over very many ranks")
{
    for (const bool inclusive : {true, false}) {
        std::vector<std::vector<Affine>> data;
        for (int rank = 0; rank < kVeryManyRanks; ++rank)
            data.push_back(affine_operand(rank, 1));
        const Report report = simulate(kVeryManyRanks, settings_for(SendMode::eager), [&](Group& group) {
            const Buffer own = buffer_of(data[static_cast<std::size_t>(group.rank())]);
            return inclusive ? scan_recursive_doubling(group, own.data, own, kAffineThen)
                             : exscan_recursive_doubling(group, own.data, own, kAffineThen);
        });
        REQUIRE(report.problems() == "");
        check_cost(report, scan_cost("recursive_doubling", kVeryManyRanks), sizeof(Affine));
        Affine below = affine_operand(0, 1)[0];
        for (int rank = 1; rank < kVeryManyRanks; ++rank) {
            const Affine with_own = then(below, affine_operand(rank, 1)[0]);
            REQUIRE(data[static_cast<std::size_t>(rank)][0] == (inclusive ? with_own : below));
            below = with_own;
        }
    }
}

}  // namespace tutti::collectives::test
