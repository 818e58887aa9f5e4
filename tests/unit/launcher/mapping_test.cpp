#include "launcher/placement/mapping.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Texts = std::vector<std::string>;

namespace {

// Core c has the hardware threads 2c and 2c + 1; the second socket begins with core 4, that is cpu 8.
constexpr const char* kTwoSockets = "package:2 [numa] core:4 pu:2";

JobOptions job(int ranks)
{
    JobOptions options;
    options.apps = {AppContext{{"a"}, ranks, {}, {}}};
    return options;
}

/// On this machine alone, with slots for all its cores.
JobMap map_here(const JobOptions& options, const MachineTopology& topology)
{
    const std::vector<Host> hosts = {{"here"}};
    return map_job(options, hosts, {&topology, 1});
}

/// The CPU lists of all ranks, "" for those that are not bound; checks the rest of the placements.
Texts cpus_of(const JobOptions& options, const MachineTopology& topology)
{
    const JobMap map = map_here(options, topology);
    Texts texts;
    for (const RankPlacement& placement : map.ranks) {
        CHECK(placement.rank == static_cast<int>(texts.size()));
        CHECK(placement.local_rank == placement.rank);
        CHECK(std::is_sorted(placement.cpus.begin(), placement.cpus.end()));
        texts.push_back(format_cpu_list(placement.cpus));
    }
    return texts;
}

Texts unbound(std::size_t ranks)
{
    return Texts(ranks);
}

}  // namespace

TEST_CASE("Default binding gives equal shares of the cores, and nothing where they are too few")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    struct Row {
        int ranks;
        Texts cpus;
    };
    const Row row = GENERATE(values<Row>({
        {1, unbound(1)},
        {2, {"0-7", "8-15"}},
        {3, {"0-3", "4-7", "8-11"}},
        {4, {"0-3", "4-7", "8-11", "12-15"}},
        {5, {"0-1", "2-3", "4-5", "6-7", "8-9"}},
        {8, {"0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15"}},
        {9, unbound(9)},
        {16, unbound(16)},
        {100, unbound(100)},
    }));
    CHECK(cpus_of(job(row.ranks), MachineTopology::synthetic(kTwoSockets)) == row.cpus);
}

TEST_CASE("Default binding gives each rank OMP_NUM_THREADS cores, on one NUMA node where possible")
{
    struct Row {
        const char* threads;
        int ranks;
        Texts cpus;
    };
    const Row row = GENERATE(values<Row>({
        {"1", 2, {"0-1", "2-3"}},
        {"2", 2, {"0-3", "4-7"}},
        {"3", 2, {"0-5", "8-13"}},
        {"4", 2, {"0-7", "8-15"}},
        {"5", 2, unbound(2)},
        {"5", 1, unbound(1)},
        {"8", 1, unbound(1)},
        {"2,4", 4, {"0-3", "4-7", "8-11", "12-15"}},
        {"2", 5, unbound(5)},
        {"", 2, {"0-7", "8-15"}},
        {"0", 2, {"0-7", "8-15"}},
        {"many", 2, {"0-7", "8-15"}},
    }));
    CAPTURE(row.threads, row.ranks);
    const MachineTopology topology = MachineTopology::synthetic(kTwoSockets);
    {
        const WithVariable threads("OMP_NUM_THREADS", row.threads);
        CHECK(cpus_of(job(row.ranks), topology) == row.cpus);
    }
    const WithVariable other("OMP_NUM_THREADS", "7");
    JobOptions options = job(row.ranks);
    options.apps[0].environment = {{"OMP_NUM_THREADS", row.threads}};
    CHECK(cpus_of(options, topology) == row.cpus);
}

TEST_CASE("Cores that the user gives each rank go before OMP_NUM_THREADS")
{
    const WithVariable threads("OMP_NUM_THREADS", "1");
    JobOptions options = job(2);
    options.cores_per_rank = 3;
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == Texts{"0-5", "8-13"});
    options.map_by = MachineLevel::socket;
    options.cores_per_rank = 2;
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == Texts{"0-3", "8-11"});
    options.apps[0].ranks = 1;
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == Texts{"0-3"});
    options.cores_per_rank = 9;
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == unbound(1));
}

TEST_CASE("Ranks lie across NUMA nodes when they do not fit otherwise")
{
    const WithVariable threads("OMP_NUM_THREADS", "2");
    CHECK(cpus_of(job(3), MachineTopology::synthetic("package:2 [numa] core:3 pu:1")) ==
          Texts{"0-1", "2-3", "4-5"});
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    CHECK(cpus_of(job(2), MachineTopology::synthetic("package:4 [numa] core:2 pu:1")) == Texts{"0-3", "4-7"});
}

TEST_CASE("Programs with different numbers of threads")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    JobOptions options = job(1);
    options.apps.push_back({{"b"}, 2, {{"OMP_NUM_THREADS", "3"}}, {}});
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == Texts{"0-1", "2-7", "8-13"});
}

TEST_CASE("A quota below the number of ranks leaves them unbound, a larger one narrows the shares")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    CHECK(cpus_of(job(4), MachineTopology::synthetic(kTwoSockets, "", 3.5)) == unbound(4));
    CHECK(cpus_of(job(2), MachineTopology::synthetic(kTwoSockets, "", 2.5)) == Texts{"0-1", "2-3"});
    CHECK(cpus_of(job(2), MachineTopology::synthetic(kTwoSockets, "", 4)) == Texts{"0-3", "4-7"});
    const WithVariable threads("OMP_NUM_THREADS", "2");
    CHECK(cpus_of(job(2), MachineTopology::synthetic(kTwoSockets, "", 3.5)) == unbound(2));
}

TEST_CASE("Default binding follows the mapping that was asked for")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    struct Row {
        MachineLevel map_by;
        int ranks;
        Texts cpus;
    };
    const Row row = GENERATE(values<Row>({
        {MachineLevel::node, 2, {"0-7", "8-15"}},
        {MachineLevel::core, 2, {"0-1", "2-3"}},
        {MachineLevel::core, 9, unbound(9)},
        {MachineLevel::hwthread, 3, {"0", "1", "2"}},
        {MachineLevel::hwthread, 17, unbound(17)},
        {MachineLevel::socket, 2, {"0-7", "8-15"}},
        {MachineLevel::socket, 3, {"0-3", "8-11", "4-7"}},
        {MachineLevel::numa, 3, {"0-3", "8-11", "4-7"}},
        {MachineLevel::socket, 5, {"0-1", "8-9", "2-3", "10-11", "4-5"}},
    }));
    CAPTURE(static_cast<int>(row.map_by), row.ranks);
    JobOptions options = job(row.ranks);
    options.map_by = row.map_by;
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == row.cpus);
}

TEST_CASE("So many ranks on each object of a machine, and on no other where it is full")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    // Caches of two cores each: the second begins with core 2, that is cpu 4.
    const MachineTopology machine = MachineTopology::synthetic("package:2 [numa] l3:2 core:2 pu:2");
    struct Row {
        RanksPer per;
        int ranks;  // 0: as many as fit
        Texts cpus;
    };
    const Row row = GENERATE(values<Row>({
        {{1, MachineLevel::socket}, 0, {"0-7", "8-15"}},
        {{2, MachineLevel::socket}, 0, {"0-3", "4-7", "8-11", "12-15"}},
        {{3, MachineLevel::numa}, 0, {"0-1", "2-3", "4-5", "8-9", "10-11", "12-13"}},
        {{2, MachineLevel::numa}, 3, {"0-3", "4-7", "8-11"}},
        {{1, MachineLevel::l3cache}, 0, {"0-3", "4-7", "8-11", "12-15"}},
        {{2, MachineLevel::l3cache}, 5, {"0-1", "2-3", "4-5", "6-7", "8-9"}},
        {{1, MachineLevel::core}, 3, {"0-1", "2-3", "4-5"}},
        {{2, MachineLevel::core}, 5, {"0", "1", "2", "3", "4"}},
        {{1, MachineLevel::hwthread}, 3, {"0", "1", "2"}},
        {{5, MachineLevel::socket}, 0, unbound(10)},
    }));
    CAPTURE(row.per.ranks, word_of(row.per.object), row.ranks);
    JobOptions options = job(row.ranks);
    options.ranks_per = row.per;
    CHECK(cpus_of(options, machine) == row.cpus);
}

TEST_CASE(
    "More ranks than fit on each object are refused; a full object's ranks share it when they are bound")
{
    const MachineTopology machine = MachineTopology::synthetic(kTwoSockets);
    JobOptions options = job(5);
    options.ranks_per = {2, MachineLevel::socket};
    CHECK_THAT(usage_error([&] { map_here(options, machine); }),
               Catch::Contains("5 ranks of 'a' are wanted, but 2 on each socket of 1 host are 4"));
    options = job(0);
    options.ranks_per = {5, MachineLevel::socket};
    options.binding = MachineLevel::core;
    CHECK(cpus_of(options, machine) ==
          Texts{"0-1", "2-3", "4-5", "6-7", "0-1", "8-9", "10-11", "12-13", "14-15", "8-9"});
}

TEST_CASE("Each program has so many ranks on each object")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    JobOptions options = job(0);
    options.apps = {AppContext{{"a"}, 2, {}, {}}, AppContext{{"b"}, 2, {}, {}}};
    options.ranks_per = {1, MachineLevel::socket};
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == Texts{"0-3", "8-11", "4-7", "12-15"});
}

TEST_CASE("Ranks may be bound to caches, and numbered by them")
{
    const MachineTopology machine = MachineTopology::synthetic("package:1 l3:2 core:2 pu:2");
    JobOptions options = job(3);
    options.binding = MachineLevel::l3cache;
    CHECK(cpus_of(options, machine) == Texts{"0-3", "0-3", "4-7"});
    options.map_by = MachineLevel::l3cache;
    CHECK(cpus_of(options, machine) == Texts{"0-3", "4-7", "0-3"});
    options.binding = MachineLevel::core;
    options.map_by = MachineLevel::slot;
    options.rank_by = MachineLevel::l3cache;
    CHECK(cpus_of(options, machine) == Texts{"0-1", "4-5", "2-3"});
    // A machine that tells no cache: a package counts as one.
    options.rank_by = MachineLevel::automatic;
    options.binding = MachineLevel::l3cache;
    CHECK(cpus_of(options, MachineTopology::synthetic("package:2 core:2 pu:1")) ==
          Texts{"0-1", "0-1", "2-3"});
}

TEST_CASE("Within a set of cores, ranks are bound to cores of it, or to all of it")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    const MachineTopology whole = MachineTopology::synthetic(kTwoSockets);
    JobOptions options = job(0);
    options.cpu_set = {1, 4, 5, 99};
    const MachineTopology machine = only_cores(whole, options.cpu_set, "here");
    CHECK(cpus_of(options, machine) == Texts{"2-3", "8-9", "10-11"});  // a rank a core
    options = job(1);
    options.cpu_set = {1, 4, 5};
    CHECK(cpus_of(options, machine) == Texts{"2-3,8-11"});
    options.binding = MachineLevel::none;
    options.apps[0].ranks = 2;
    CHECK(cpus_of(options, machine) == Texts{"2-3,8-11", "2-3,8-11"});
    CHECK_THAT(describe_bindings(options, map_here(options, machine), {&machine, 1}),
               Catch::Contains("bound to cores 1,4-5 (cpus 2-3,8-11)"));
    options.binding = MachineLevel::socket;
    CHECK(cpus_of(options, machine) == Texts{"2-3", "8-11"});
    CHECK_THAT(usage_error([&] {
                   only_cores(whole, std::vector{8, 9}, "here");
               }),
               Catch::Contains("--cpu-set: here has none of these cores; its cores are 0-7"));
}

TEST_CASE("Explicit binding, wrapping around without complaint")
{
    const WithVariable threads("OMP_NUM_THREADS", "4");  // says nothing about an explicit binding
    struct Row {
        MachineLevel binding;
        MachineLevel map_by;
        int ranks;
        Texts cpus;
    };
    const char* first = "0-7";
    const char* second = "8-15";
    const Row row = GENERATE_COPY(values<Row>({
        {MachineLevel::none, MachineLevel::slot, 3, unbound(3)},
        {MachineLevel::core, MachineLevel::slot, 1, {"0-1"}},
        {MachineLevel::core, MachineLevel::slot, 3, {"0-1", "2-3", "4-5"}},
        {MachineLevel::core, MachineLevel::node, 2, {"0-1", "2-3"}},
        {MachineLevel::core,
         MachineLevel::core,
         10,
         {"0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15", "0-1", "2-3"}},
        {MachineLevel::core, MachineLevel::socket, 5, {"0-1", "8-9", "2-3", "10-11", "4-5"}},
        {MachineLevel::core, MachineLevel::hwthread, 3, {"0-1", "0-1", "2-3"}},
        {MachineLevel::socket, MachineLevel::slot, 5, {first, first, first, first, second}},
        {MachineLevel::socket, MachineLevel::socket, 3, {first, second, first}},
        {MachineLevel::numa, MachineLevel::numa, 3, {first, second, first}},
        {MachineLevel::hwthread,
         MachineLevel::slot,
         10,
         {"0", "2", "4", "6", "8", "10", "12", "14", "1", "3"}},
        {MachineLevel::hwthread, MachineLevel::socket, 3, {"0", "8", "2"}},
        {MachineLevel::hwthread, MachineLevel::hwthread, 4, {"0", "1", "2", "3"}},
        {MachineLevel::hwthread, MachineLevel::hwthread, 1, {"0"}},
    }));
    CAPTURE(static_cast<int>(row.binding), static_cast<int>(row.map_by), row.ranks);
    JobOptions options = job(row.ranks);
    options.binding = row.binding;
    options.map_by = row.map_by;
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == row.cpus);
}

TEST_CASE("Hardware threads are used in turns, over and over")
{
    JobOptions options = job(5);
    options.binding = MachineLevel::hwthread;
    CHECK(cpus_of(options, MachineTopology::synthetic("package:1 core:1 pu:2")) ==
          Texts{"0", "1", "0", "1", "0"});
}

TEST_CASE("Ranking renumbers what was mapped")
{
    struct Row {
        MachineLevel map_by;
        MachineLevel rank_by;
        int ranks;
        Texts cpus;
    };
    const Row row = GENERATE(values<Row>({
        {MachineLevel::socket, MachineLevel::slot, 4, {"0-1", "8-9", "2-3", "10-11"}},
        {MachineLevel::socket, MachineLevel::node, 4, {"0-1", "8-9", "2-3", "10-11"}},
        {MachineLevel::socket, MachineLevel::core, 5, {"0-1", "2-3", "4-5", "8-9", "10-11"}},
        {MachineLevel::core, MachineLevel::socket, 6, {"0-1", "8-9", "2-3", "10-11", "4-5", "6-7"}},
        {MachineLevel::slot, MachineLevel::numa, 5, {"0-1", "8-9", "2-3", "4-5", "6-7"}},
        {MachineLevel::hwthread, MachineLevel::core, 4, {"0-1", "2-3", "0-1", "2-3"}},
    }));
    CAPTURE(static_cast<int>(row.map_by), static_cast<int>(row.rank_by), row.ranks);
    JobOptions options = job(row.ranks);
    options.binding = MachineLevel::core;
    options.map_by = row.map_by;
    options.rank_by = row.rank_by;
    CHECK(cpus_of(options, MachineTopology::synthetic(kTwoSockets)) == row.cpus);
}

TEST_CASE("Ranking keeps programs together")
{
    JobOptions options = job(3);
    options.apps.push_back({{"b"}, 2, {}, {}});
    options.binding = MachineLevel::core;
    options.map_by = MachineLevel::socket;
    options.rank_by = MachineLevel::core;
    const JobMap map = map_here(options, MachineTopology::synthetic(kTwoSockets));
    Texts placed;
    for (const RankPlacement& placement : map.ranks) {
        placed.push_back(std::to_string(placement.app) + " on " + format_cpu_list(placement.cpus));
    }
    CHECK(placed == Texts{"0 on 0-1", "0 on 2-3", "0 on 8-9", "1 on 4-5", "1 on 10-11"});
}

TEST_CASE("Asymmetric restrictions: a full socket is passed over, and ranks wrap only when all are full")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    // One core with one hardware thread on the first socket, three cores on the second.
    const MachineTopology topology = MachineTopology::synthetic(kTwoSockets, "5,8-12");
    JobOptions options = job(5);
    options.map_by = MachineLevel::socket;
    options.binding = MachineLevel::core;
    CHECK(cpus_of(options, topology) == Texts{"5", "8-9", "10-11", "12", "5"});
    options.binding = MachineLevel::socket;
    CHECK(cpus_of(options, topology) == Texts{"5", "8-12", "8-12", "8-12", "5"});
    options.binding = MachineLevel::automatic;
    options.apps[0].ranks = 4;
    CHECK(cpus_of(options, topology) == Texts{"5", "8-9", "10-11", "12"});
    options.apps[0].ranks = 5;
    CHECK(cpus_of(options, topology) == unbound(5));
    options.map_by = MachineLevel::slot;
    options.apps[0].ranks = 3;
    CHECK(cpus_of(options, topology) == Texts{"5", "8-9", "10-11"});
}

TEST_CASE("Without -n there is a rank for each slot")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    const auto count = [](const Host& host, double quota = 0) {
        const MachineTopology topology = MachineTopology::synthetic(kTwoSockets, "", quota);
        return map_job(job(0), {&host, 1}, {&topology, 1}).ranks.size();
    };
    CHECK(count({"a"}) == 8);
    CHECK(count({"a"}, 2.5) == 2);
    CHECK(count({"a"}, 0.5) == 1);
    CHECK(count({"a", 3}) == 3);
    CHECK(count({"a", 14}) == 14);
    CHECK(count({"a", 0, 5}) == 5);
}

TEST_CASE("Each node's ranks are bound by its own topology, and numbered among themselves")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    const std::vector<Host> hosts = {{"a", 2}, {"b"}, {"c", 3}};
    const std::vector<MachineTopology> topologies = {MachineTopology::synthetic(kTwoSockets),
                                                     MachineTopology::synthetic("package:1 core:4 pu:1"),
                                                     MachineTopology::synthetic("package:1 core:2 pu:1")};
    const JobMap map = map_job(job(0), hosts, topologies);
    REQUIRE(map.nodes.size() == 3);
    CHECK(map.nodes[1].name == "b");
    CHECK_FALSE(map.nodes[0].shares_cores);
    CHECK_FALSE(map.nodes[1].shares_cores);
    CHECK(map.nodes[2].shares_cores);
    Texts placed;
    for (const RankPlacement& placement : map.ranks) {
        placed.push_back(std::to_string(placement.node) + "." + std::to_string(placement.local_rank) + " " +
                         format_cpu_list(placement.cpus));
    }
    CHECK(placed == Texts{"0.0 0-7", "0.1 8-15", "1.0 0", "1.1 1", "1.2 2", "1.3 3", "2.0 ", "2.1 ", "2.2 "});
}

TEST_CASE("Ranking over nodes")
{
    struct Row {
        MachineLevel map_by;
        MachineLevel rank_by;
        std::vector<int> nodes;
        Texts cpus;
    };
    const Row row = GENERATE(values<Row>({
        {MachineLevel::slot,
         MachineLevel::automatic,
         {0, 0, 0, 1, 1, 1},
         {"0-1", "2-3", "4-5", "0-1", "2-3", "4-5"}},
        {MachineLevel::slot,
         MachineLevel::node,
         {0, 1, 0, 1, 0, 1},
         {"0-1", "0-1", "2-3", "2-3", "4-5", "4-5"}},
        {MachineLevel::node,
         MachineLevel::automatic,
         {0, 1, 0, 1, 0, 1},
         {"0-1", "0-1", "2-3", "2-3", "4-5", "4-5"}},
        {MachineLevel::node,
         MachineLevel::slot,
         {0, 0, 0, 1, 1, 1},
         {"0-1", "2-3", "4-5", "0-1", "2-3", "4-5"}},
        {MachineLevel::socket,
         MachineLevel::core,
         {0, 0, 0, 1, 1, 1},
         {"0-1", "2-3", "8-9", "0-1", "2-3", "8-9"}},
    }));
    CAPTURE(static_cast<int>(row.map_by), static_cast<int>(row.rank_by));
    JobOptions options = job(6);
    options.map_by = row.map_by;
    options.rank_by = row.rank_by;
    options.binding = MachineLevel::core;
    const std::vector<Host> hosts = {{"a", 3}, {"b", 3}};
    const std::vector<MachineTopology> topologies(2, MachineTopology::synthetic(kTwoSockets));
    std::vector<int> nodes;
    Texts cpus;
    for (const RankPlacement& placement : map_job(options, hosts, topologies).ranks) {
        nodes.push_back(placement.node);
        cpus.push_back(format_cpu_list(placement.cpus));
    }
    CHECK(nodes == row.nodes);
    CHECK(cpus == row.cpus);
}

TEST_CASE("Whether ranks share cores")
{
    const WithVariable no_threads("OMP_NUM_THREADS", std::nullopt);
    struct Row {
        int ranks;
        MachineLevel binding;
        MachineLevel map_by;
        double quota;
        bool share;
    };
    const Row row = GENERATE(values<Row>({
        {1, MachineLevel::automatic, MachineLevel::slot, 0, false},
        {8, MachineLevel::automatic, MachineLevel::slot, 0, false},
        {8, MachineLevel::none, MachineLevel::slot, 0, false},
        {9, MachineLevel::automatic, MachineLevel::slot, 0, true},
        {4, MachineLevel::automatic, MachineLevel::slot, 3.5, true},
        {4, MachineLevel::core, MachineLevel::slot, 4, false},
        {2, MachineLevel::core, MachineLevel::hwthread, 0, true},
        {4, MachineLevel::socket, MachineLevel::slot, 0, false},
        {5, MachineLevel::socket, MachineLevel::slot, 0, false},
        {5, MachineLevel::socket, MachineLevel::hwthread, 0, true},
    }));
    CAPTURE(row.ranks, static_cast<int>(row.binding), static_cast<int>(row.map_by), row.quota);
    JobOptions options = job(row.ranks);
    options.binding = row.binding;
    options.map_by = row.map_by;
    const MachineTopology topology = MachineTopology::synthetic(kTwoSockets, "", row.quota);
    CHECK(map_here(options, topology).nodes.at(0).shares_cores == row.share);
}
