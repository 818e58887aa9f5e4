#include "collectives/framework/functions.hpp"

#include "collectives/choice/algorithms.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

struct AllreduceCost {
    Cost cost;
    std::size_t sent_times_n;  // bytes of all messages
};

AllreduceCost allreduce_cost(std::string_view algorithm, int ranks)
{
    if (algorithm == "board" || algorithm == "shared") {
        return {{0, 0, 0}, 0};
    }
    const auto others = static_cast<std::size_t>(ranks - 1);
    if (algorithm == "flat") {
        return {{2 * (ranks - 1), ranks > 1 ? 2 : 0, 2 * others}, 2 * others};
    }
    if (algorithm == "binomial") {
        return {{2 * ceil_log2(ranks), 2 * floor_log2(ranks), 2 * others}, 2 * others};
    }
    if (algorithm == "ring") {
        return {{2 * (ranks - 1), 2 * (ranks - 1), 2 * others * (others + 1)}, 2 * others};
    }
    const int log2 = floor_log2(ranks);
    const int power = 1 << log2;
    const int folds = 2 * (ranks - power);
    const int times = algorithm == "rabenseifner" ? 2 : 1;
    const int steps = times * log2 + (ranks == power ? 0 : 2);
    const int sent = (algorithm == "rabenseifner" ? 2 * (power - 1) : power * log2) + folds;
    return {{steps, ranks == power ? steps : kNotPromised,
             static_cast<std::size_t>(times * power * log2 + folds)},
            static_cast<std::size_t>(sent)};
}

template <class T>
void check(const Algorithm<Allreduce::Function>& algorithm, SendMode mode, ReduceOp op,
           const std::vector<std::vector<T>>& operands, const std::vector<T>& expected)
{
    const auto ranks = static_cast<int>(operands.size());
    for (const bool in_place : {true, false}) {
        CAPTURE(algorithm.name, static_cast<int>(mode), ranks, expected.size(), op.commutative(), in_place);
        std::vector<std::vector<T>> in = operands;
        std::vector<std::vector<T>> out(operands.size(), std::vector<T>(expected.size()));
        const Report report = simulate(ranks, settings_for(mode), [&](Group& group) {
            const Buffer own = buffer_of(in[static_cast<std::size_t>(group.rank())]);
            const Buffer apart = buffer_of(out[static_cast<std::size_t>(group.rank())]);
            return algorithm.run(group, own.data, in_place ? own : apart, op);
        });
        REQUIRE(report.problems() == "");
        for (const std::vector<T>& result : in_place ? in : out) {
            REQUIRE(result == expected);
        }
        REQUIRE((in_place || in == operands));
        const AllreduceCost promised = allreduce_cost(algorithm.name, ranks);
        check_cost_of_all_bytes(report, promised.cost, promised.sent_times_n * expected.size() * sizeof(T));
    }
}

void check_both(const Algorithm<Allreduce::Function>& algorithm, SendMode mode, int ranks, std::size_t count)
{
    std::vector<std::vector<std::int32_t>> integers;
    std::vector<std::vector<Affine>> maps;
    for (int rank = 0; rank < ranks; ++rank) {
        integers.push_back(integer_operand(rank, count));
        maps.push_back(affine_operand(rank, count));
    }
    check(algorithm, mode, kIntegerSum, integers, integer_sum(ranks, count));
    if (algorithm.needs != Needs::commuting) {
        check(algorithm, mode, kAffineThen, maps, affine_result(ranks, count));
    }
}

}  // namespace

TEST_CASE("every allreduce combines in rank order, at every number of ranks")
{
    for (const Algorithm<Allreduce::Function>& algorithm : on_one_node<Allreduce>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= 17; ++ranks) {
                for (const std::size_t count : kCounts) {
                    check_both(algorithm, mode, ranks, count);
                }
            }
        }
    }
}

TEST_CASE("an allreduce over many ranks")
{
    for (const Algorithm<Allreduce::Function>& algorithm : on_one_node<Allreduce>()) {
        check_both(algorithm, SendMode::eager, 64, 17);
        // The ring has as many steps as ranks, and a message a step and rank.
        check_both(algorithm, SendMode::synchronous, algorithm.name == "ring" ? 100 : kManyRanks, 1);
    }
}

TEST_CASE("the allreduces of logarithmic cost over very many ranks")
{
    for (const Algorithm<Allreduce::Function>& algorithm : on_one_node<Allreduce>()) {
        if (algorithm.name == "recursive_doubling" || algorithm.name == "rabenseifner") {
            std::vector<std::vector<Affine>> maps;
            for (int rank = 0; rank < kVeryManyRanks; ++rank) {
                maps.push_back(affine_operand(rank, 5));
            }
            check(algorithm, SendMode::eager, kAffineThen, maps, affine_result(kVeryManyRanks, 5));
        }
    }
}

TEST_CASE("an allreduce gives all ranks the same bits, however the sum rounds")
{
    const ReduceOp sum(reduction::Op::sum, reduction::DataType::float32);
    for (const Algorithm<Allreduce::Function>& algorithm : on_one_node<Allreduce>()) {
        for (const int ranks : {3, 8, 13}) {
            CAPTURE(algorithm.name, ranks);
            std::vector<std::vector<float>> data;
            for (int rank = 0; rank < ranks; ++rank) {
                const auto scale = static_cast<float>(rank + 1);
                data.push_back({1.0f / scale, 1e8f * scale, -1e-7f / scale});
            }
            const Report report = simulate(ranks, settings_for(SendMode::eager), [&](Group& group) {
                const Buffer own = buffer_of(data[static_cast<std::size_t>(group.rank())]);
                return algorithm.run(group, own.data, own, sum);
            });
            REQUIRE(report.problems() == "");
            for (const std::vector<float>& own : data) {
                CHECK(std::memcmp(own.data(), data[0].data(), sizeof(float) * own.size()) == 0);
            }
        }
    }
}

}  // namespace tutti::collectives::test
