#include "collectives/broadcast/broadcast.hpp"

#include "collectives/algorithms.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

void check(const Algorithm<Broadcast::Function>& algorithm, SendMode mode, int ranks, int root,
           std::size_t count)
{
    CAPTURE(algorithm.name, static_cast<int>(mode), ranks, root, count);
    const std::vector<std::int32_t> expected = integer_operand(root, count);
    std::vector<std::vector<std::int32_t>> data(static_cast<std::size_t>(ranks));
    for (std::vector<std::int32_t>& own : data) {
        own.assign(count, -1);
    }
    data[static_cast<std::size_t>(root)] = expected;

    const Report report = simulate(ranks, settings_for(mode), [&](Group& group) {
        return algorithm.run(group, bytes_of(data[static_cast<std::size_t>(group.rank())]), root, 0);
    });
    REQUIRE(report.problems() == "");
    for (const std::vector<std::int32_t>& own : data) {
        REQUIRE(own == expected);
    }
    const auto messages = static_cast<std::size_t>(ranks - 1);
    const Cost cost = algorithm.name == "board"  ? Cost{0, 0, 0}
                      : algorithm.name == "flat" ? Cost{ranks - 1, ranks > 1 ? 1 : 0, messages}
                                                 : Cost{ceil_log2(ranks), floor_log2(ranks), messages};
    check_cost(report, cost, count * sizeof(std::int32_t));
}

}  // namespace

TEST_CASE("every broadcast brings the root's data to all, from every root")
{
    for (const Algorithm<Broadcast::Function>& algorithm : Broadcast::kAlgorithms) {
        for (const SendMode mode : kModes) {
            for (int ranks = 1; ranks <= 17; ++ranks) {
                for (int root = 0; root < ranks; ++root) {
                    for (const std::size_t count : kCounts) {
                        check(algorithm, mode, ranks, root, count);
                    }
                }
            }
        }
    }
}

TEST_CASE("a broadcast to many ranks")
{
    for (const Algorithm<Broadcast::Function>& algorithm : Broadcast::kAlgorithms) {
        check(algorithm, SendMode::eager, 64, 63, 17);
        check(algorithm, SendMode::synchronous, 1000, 501, 17);
    }
}

TEST_CASE("the root of a binomial broadcast sends a message a step")
{
    std::vector<std::byte> data(8);
    const Report report = simulate(1000, settings_for(SendMode::eager),
                                   [&](Group& group) { return broadcast_binomial(group, data, 3); });
    CHECK(report.ranks[3].messages_sent == 10);
}

}  // namespace tutti::collectives::test
