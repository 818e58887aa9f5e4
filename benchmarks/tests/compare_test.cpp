#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "benchmarks/compare/cases.hpp"
#include "benchmarks/compare/table.hpp"

using namespace tutti::bench;

namespace {

const Case& find(const std::string& name)
{
    for (const Case& one : all_cases()) {
        if (one.name == name)
            return one;
    }
    throw std::out_of_range(name);
}

const std::vector<Contender> kContenders = {{"tutti", "Tutti", "tuttirun", "", ""},
                                            {"openmpi", "Open MPI", "mpirun", "", ""},
                                            {"mpich", "MPICH", "mpirun", "", ""}};

}  // namespace

TEST_CASE("goals apply to their sizes", "[benchmarks]")
{
    const Case& latency = find("latency");
    CHECK(goal_of(latency, 1)->bound == 0.70);
    CHECK(goal_of(latency, 1024)->bound == 0.70);
    CHECK_FALSE(goal_of(latency, 2048).has_value());
    CHECK(goal_of(latency, 4096)->bound == 0.40);
    CHECK(goal_of(latency, 4194304)->bound == 0.40);
    CHECK_FALSE(goal_of(find("bw"), 8192).has_value());
    CHECK(goal_of(find("bw"), 16384)->bound == 2.5);
    CHECK_FALSE(find("barrier-32").with_mpich);

    CHECK(meets(latency, *goal_of(latency, 1), 0.09, 0.70));
    CHECK_FALSE(meets(latency, *goal_of(latency, 1), 0.09, 0.71));
    CHECK_FALSE(meets(latency, *goal_of(latency, 1), 0.09, {}));
    CHECK(meets(find("rate"), *goal_of(find("rate"), 8), 4e7, 2.0));
    CHECK_FALSE(meets(find("rate"), *goal_of(find("rate"), 8), 4e7, 1.9));
    CHECK(meets(find("idle"), *goal_of(find("idle"), 10), 0.05, {}));
    CHECK_FALSE(meets(find("idle"), *goal_of(find("idle"), 10), 0.2, 0.02));
}

TEST_CASE("a row is compared with the better peer", "[benchmarks]")
{
    nlohmann::json document = {{"cases", nlohmann::json::array()}};
    Score score;
    const Rows times = {{1.0, {{"tutti", {0.1, 0.2, 0.3}}, {"openmpi", {0.4}}, {"mpich", {0.8, 0.8}}}},
                        {4096.0, {{"tutti", {0.3}}, {"openmpi", {0.6}}, {"mpich", {0.5}}}}};
    report_case(find("latency"), kContenders, times, document, score);
    const Rows rates = {{8.0, {{"tutti", {30}}, {"openmpi", {10}}, {"mpich", {20}}}}};
    report_case(find("rate"), kContenders, rates, document, score);
    const Rows alone = {{0.0, {{"tutti", {5}}}}};
    report_case(find("barrier-8"), kContenders, alone, document, score);

    const auto& rows = document["cases"][0]["rows"];
    CHECK(rows[0]["better_peer"] == "openmpi");
    CHECK(rows[0]["ratio"] == Approx(0.5));
    CHECK(rows[0]["met"] == true);
    CHECK(rows[0]["spread"] == Approx(1.0));
    CHECK(rows[1]["better_peer"] == "mpich");
    CHECK(rows[1]["met"] == false);
    CHECK(document["cases"][1]["rows"][0]["better_peer"] == "mpich");
    CHECK(document["cases"][1]["rows"][0]["ratio"] == Approx(1.5));
    CHECK(document["cases"][2]["rows"][0]["met"] == false);
    CHECK(score.goals == 4);
    CHECK(score.met == 1);
}

TEST_CASE("each launcher is asked in its own words", "[benchmarks]")
{
    using Words = std::vector<std::string>;
    CHECK(kContenders[0].command(2, Binding::core, {}, "p", {"x"}) ==
          Words{"tuttirun", "--bind-to", "core", "-n", "2", "p", "x"});
    CHECK(kContenders[1].command(1000, Binding::none, {}, "p", {}) ==
          Words{"mpirun", "--bind-to", "none", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n",
                "1000", "p"});
    CHECK(kContenders[1].command(1, Binding::core, {}, "p", {}) ==
          Words{"mpirun", "--bind-to", "core", "-n", "1", "p"});
    CHECK(kContenders[2].command(2, Binding::core, {}, "p", {}) ==
          Words{"mpirun", "-bind-to", "core", "-n", "2", "p"});
}

TEST_CASE("over hosts each library is told of them, of their slots and of the interface")
{
    using Words = std::vector<std::string>;
    const Hosts hosts{{"a", "b"}, "eth0"};
    CHECK(kContenders[0].command(4, Binding::none, hosts, "p", {}) ==
          Words{"tuttirun", "--bind-to", "none", "-H", "a:2,b:2", "--interface", "eth0", "-n", "4", "p"});
    CHECK(kContenders[2].command(2, Binding::none, hosts, "p", {"x"}) ==
          Words{"mpirun", "-bind-to", "none", "-hosts", "a:1,b:1", "-env", "UCX_NET_DEVICES", "eth0", "-n",
                "2", "p", "x"});
    const Words openmpi = kContenders[1].command(2000, Binding::none, hosts, "p", {});
    CHECK(std::find(openmpi.begin(), openmpi.end(), "--oversubscribe") != openmpi.end());
    CHECK(std::find(openmpi.begin(), openmpi.end(), "btl_tcp_if_include") != openmpi.end());
    CHECK(kContenders[0].command(2, Binding::none, {{"a", "b"}, {}}, "p", {}) ==
          Words{"tuttirun", "--bind-to", "none", "-H", "a:1,b:1", "-n", "2", "p"});
}
