#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

#include "benchmarks/compare/comparison_plan.hpp"

using namespace tutti::bench;

namespace {

using Words = std::vector<std::string>;

ComparisonChoice choice_of(Words benchmarks, std::vector<int> ranks)
{
    ComparisonChoice choice;
    choice.benchmarks = std::move(benchmarks);
    choice.ranks = std::move(ranks);
    return choice;
}

bool has(const Case& one, const Words& words)
{
    return std::search(one.arguments.begin(), one.arguments.end(), words.begin(), words.end()) !=
           one.arguments.end();
}

}  // namespace

TEST_CASE("cases are the benchmarks that suit each number of ranks", "[benchmarks]")
{
    const std::vector<Case> cases = plan_cases(choice_of({"latency", "bcast", "launch"}, {2, 1000}));
    REQUIRE(cases.size() == 5);
    CHECK(cases[0].name() == "latency, 2 ranks");
    CHECK(cases[0].group == "point-to-point");
    CHECK(cases[1].benchmark == "broadcast");  // by its own name, whatever alias was given
    CHECK(cases[2].benchmark == "launch");
    CHECK(cases[2].arguments.empty());
    CHECK(cases[3].name() == "broadcast, 1000 ranks");
    CHECK(cases[3].binding == Binding::none);
    CHECK(plan_cases({}).size() > 30);
}

TEST_CASE("arguments are those that a benchmark has", "[benchmarks]")
{
    ComparisonChoice choice = choice_of({"allreduce", "barrier", "idle", "matching"}, {2});
    choice.sizes = "8:512";
    choice.seconds = 0.25;
    choice.memory = "library";
    choice.touch = true;
    const std::vector<Case> cases = plan_cases(choice);
    CHECK(cases[0].arguments.front() == "allreduce");
    CHECK(has(cases[0], {"-m", "8:512"}));
    CHECK(has(cases[0], {"--seconds", "0.25"}));
    CHECK(has(cases[0], {"--growth", "8"}));
    CHECK(has(cases[0], {"--memory", "library"}));
    CHECK(has(cases[0], {"--touch"}));
    CHECK(cases[0].memory == "library");
    CHECK(cases[0].touched);
    CHECK(cases[0].rows == 3);
    CHECK_FALSE(has(cases[1], {"-m"}));
    CHECK_FALSE(has(cases[1], {"--memory"}));
    CHECK_FALSE(has(cases[1], {"--touch"}));
    CHECK(cases[1].memory.empty());
    CHECK(cases[1].rows == 1);
    CHECK_FALSE(has(cases[2], {"--seconds"}));
    CHECK(has(cases[3], {"--depth", "10,1000"}));
    CHECK(cases[3].rows == 2);
    CHECK(plan_cases(choice_of({"table_push"}, {2}))[0].rows == 2 * 5);  // 4 bytes to 16 KiB, of two kinds
    CHECK(plan_cases(choice_of({"file_write_all"}, {2}))[0].rows == 2 + 3 * 3);
    CHECK(plan_cases(choice_of({"file_write_shared"}, {2}))[0].rows == 1);
    CHECK(plan_cases(choice_of({"file_open"}, {2}))[0].memory.empty());
    CHECK(plan_cases(choice_of({"file_open"}, {2}))[0].folder ==
          std::filesystem::temp_directory_path().string());
    CHECK(cases[0].folder.empty());
    choice.folder = "/dev/shm";
    choice.benchmarks = {"file_open"};
    CHECK(plan_cases(choice)[0].folder == "/dev/shm");
    choice.passed = {"--folder", "/tmp"};
    CHECK_THROWS_WITH(plan_cases(choice), Catch::Contains("At Most 1 required but received 2"));

    // Of both kinds, ordinary memory is every library's, and Tutti runs out of its own once more.
    const std::vector<Case> usual = plan_cases(choice_of({"allreduce"}, {2}));
    CHECK_FALSE(has(usual[0], {"--memory"}));
    CHECK(usual[0].memory == "malloc");
    CHECK_FALSE(usual[0].touched);

    ComparisonChoice passed = choice_of({"matching"}, {2});
    passed.passed = {"--mode", "wildcard"};
    CHECK(has(plan_cases(passed)[0], {"--mode", "wildcard"}));
    CHECK_FALSE(has(plan_cases(passed)[0], {"--depth"}));
}

TEST_CASE("over hosts, ranks are dealt evenly", "[benchmarks]")
{
    ComparisonChoice choice = choice_of({"allreduce"}, {});
    choice.hosts = {{"a", "b"}, "eth0"};
    const std::vector<Case> cases = plan_cases(choice);
    REQUIRE(cases.size() == 2);
    CHECK(cases[0].ranks == 2);
    CHECK(cases[1].ranks == 4);
    CHECK(cases[1].hosts == 2);
    CHECK(cases[0].binding == Binding::none);
    choice.ranks = {3};
    CHECK_THROWS_WITH(plan_cases(choice), Catch::Contains("3 ranks cannot be dealt evenly over 2 hosts"));
}

TEST_CASE("what cannot be run is reported before the first run", "[benchmarks]")
{
    CHECK_THROWS_WITH(plan_cases(choice_of({"latancy"}, {})),
                      Catch::Contains("no benchmark 'latancy'; did you mean 'latency'?"));
    CHECK_THROWS_WITH(plan_cases(choice_of({"latency"}, {3})),
                      Catch::Contains("latency needs exactly 2 ranks"));
    ComparisonChoice choice = choice_of({"latency"}, {2});
    choice.sizes = "8:4";
    CHECK_THROWS_WITH(plan_cases(choice), Catch::Contains("smallest size 8"));
    choice.sizes.clear();
    choice.passed = {"--no-such-option"};
    CHECK_THROWS_WITH(plan_cases(choice), Catch::Contains("--no-such-option"));
}

TEST_CASE("the time is foretold from libraries, rounds and rows", "[benchmarks]")
{
    const std::vector<Contender> both = {{"tutti", "Tutti", "", "", "empty"},
                                         {"gloo", "Gloo", "", "", "", {"allreduce"}}};
    const Case allreduce{.benchmark = "allreduce", .group = "", .arguments = {"allreduce"}, .rows = 10};
    const Case latency{.benchmark = "latency", .group = "", .arguments = {"latency"}, .rows = 10};
    const Case launch{.benchmark = "launch", .group = ""};
    const double seconds = estimate_seconds({latency}, both, 5, 0.1);
    CHECK(seconds > 5 * 10 * 0.1 / 2);
    CHECK(estimate_seconds({allreduce}, both, 5, 0.1) == Approx(2 * seconds));
    CHECK(estimate_seconds({allreduce}, both, 10, 0.1) == Approx(4 * seconds));
    CHECK(estimate_seconds({launch}, both, 5, 0.1) < seconds);
}
