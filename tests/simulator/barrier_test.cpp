#include "collectives/framework/functions.hpp"

#include "collectives/choice/algorithms.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

namespace {

Cost barrier_cost(std::string_view algorithm, int ranks)
{
    if (algorithm == "board" || algorithm == "shared") {
        return {0, 0, 0};
    }
    const auto others = static_cast<std::size_t>(ranks - 1);
    if (algorithm == "flat") {
        return {2 * (ranks - 1), ranks > 1 ? 2 : 0, 2 * others};
    }
    if (algorithm == "binomial") {
        return {2 * ceil_log2(ranks), 2 * floor_log2(ranks), 2 * others};
    }
    const int rounds = ceil_log2(ranks);
    return {rounds, rounds, static_cast<std::size_t>(rounds) * static_cast<std::size_t>(ranks)};
}

}  // namespace

TEST_CASE("every barrier costs what it promises and leaves nothing behind")
{
    for (const Algorithm<Barrier::Function>& algorithm : on_one_node<Barrier>()) {
        for (const SendMode mode : kModes) {
            for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 64, 1000}) {
                CAPTURE(algorithm.name, static_cast<int>(mode), ranks);
                const Report report = simulate(ranks, settings_for(mode), algorithm.run);
                REQUIRE(report.problems() == "");
                check_cost(report, barrier_cost(algorithm.name, ranks), 0);
            }
        }
    }
}

TEST_CASE("no rank leaves a barrier before the last has entered it")
{
    constexpr double kLate = 500;
    for (const Algorithm<Barrier::Function>& algorithm : on_one_node<Barrier>()) {
        for (const SendMode mode : kModes) {
            for (int ranks = 2; ranks <= 17; ++ranks) {
                for (int late = 0; late < ranks; ++late) {
                    CAPTURE(algorithm.name, static_cast<int>(mode), ranks, late);
                    Settings settings = settings_for(mode);
                    settings.start_ns.assign(static_cast<std::size_t>(ranks), 0);
                    settings.start_ns[static_cast<std::size_t>(late)] = kLate;
                    const Report report = simulate(ranks, settings, algorithm.run);
                    REQUIRE(report.problems() == "");
                    for (const simulator::RankReport& rank : report.ranks) {
                        REQUIRE(rank.finish_ns >= kLate);
                    }
                }
            }
        }
    }
}

}  // namespace tutti::collectives::test
