#include "launcher/placement/mapping.hpp"

#include <catch2/catch.hpp>

using namespace tutti::launcher;

TEST_CASE("Bindings are shown a rank a line, with a picture of the machine")
{
    const JobMap map{{{"node7"}},
                     {{0, 0, 0, 0, {0, 1}}, {1, 0, 0, 1, {3}}, {2, 0, 0, 2, {2, 3, 8, 9}}, {3, 0, 0, 3, {}}}};
    CHECK(describe_bindings({}, map, std::vector{MachineTopology::synthetic("package:2 core:3 pu:2")}) ==
          "rank 0 on node7 bound to core 0 (cpus 0-1): [BB/../..][../../..]\n"
          "rank 1 on node7 bound to core 1 (cpus 3): [../.B/..][../../..]\n"
          "rank 2 on node7 bound to cores 1,4 (cpus 2-3,8-9): [../BB/..][../BB/..]\n"
          "rank 3 on node7 not bound (cpus 0-11)\n");
}

TEST_CASE("The picture shows only what may be used")
{
    const JobMap map{{{"node7"}}, {{0, 0, 0, 0, {5}}}};
    CHECK(describe_bindings({}, map,
                            std::vector{MachineTopology::synthetic("package:2 core:4 pu:2", "5,8-10")}) ==
          "rank 0 on node7 bound to core 0 (cpus 5): [B][../.]\n");
}

TEST_CASE("The map lists programs with their ranks")
{
    JobOptions options;
    options.apps = {{{"./server", "8080"}, 1, {}, {}}, {{"./worker"}, 2, {}, {}}};
    const JobMap map{{{"node7"}}, {{0, 0, 0, 0, {}}, {1, 1, 0, 1, {0, 1}}, {2, 1, 0, 2, {2}}}};
    CHECK(describe_map(options, map) ==
          "host node7: 3 ranks\n"
          "  program 0: ./server 8080\n"
          "    rank 0: not bound\n"
          "  program 1: ./worker\n"
          "    rank 1: cpus 0-1\n"
          "    rank 2: cpus 2\n");
    options.apps.pop_back();
    CHECK(describe_map(options, {{{"node7"}}, {{0, 0, 0, 0, {}}}}) ==
          "host node7: 1 rank\n  program 0: ./server 8080\n    rank 0: not bound\n");
}

TEST_CASE("Of several hosts each is shown with its own ranks and its own machine")
{
    JobOptions options;
    options.apps = {{{"./server"}, 1, {}, {}}, {{"./worker"}, 2, {}, {}}};
    const JobMap map{{{"a"}, {"b"}, {"c"}}, {{0, 0, 0, 0, {}}, {1, 1, 0, 1, {1}}, {2, 1, 1, 0, {0}}}};
    CHECK(describe_map(options, map) ==
          "host a: 2 ranks\n"
          "  program 0: ./server\n"
          "    rank 0: not bound\n"
          "  program 1: ./worker\n"
          "    rank 1: cpus 1\n"
          "host b: 1 rank\n"
          "  program 1: ./worker\n"
          "    rank 2: cpus 0\n"
          "host c: 0 ranks\n");
    CHECK(describe_bindings(options, map,
                            std::vector{MachineTopology::synthetic("core:2 pu:1"),
                                        MachineTopology::synthetic("core:1 pu:2"),
                                        MachineTopology::synthetic("core:1 pu:1")}) ==
          "rank 0 on a not bound (cpus 0-1)\n"
          "rank 1 on a bound to core 1 (cpus 1): [./B]\n"
          "rank 2 on b bound to core 0 (cpus 0): [B.]\n");
}

TEST_CASE("Of many hosts those that are alike are one line")
{
    JobOptions options;
    options.apps = {{{"./server"}, 1, {}, {}}, {{"./worker"}, 17, {}, {}}};
    JobMap map;
    std::vector<MachineTopology> topologies;
    for (int node = 0; node < 9; ++node) {
        map.nodes.push_back({"node00" + std::to_string(node + 1)});
        topologies.push_back(MachineTopology::synthetic(node == 4 ? "core:4 pu:1" : "core:2 pu:1"));
        for (const int core : {0, 1}) {
            const int rank = 2 * node + core;
            map.ranks.push_back({rank, rank > 0 ? 1 : 0, node, core, {core}});
        }
    }
    CHECK(describe_bindings(options, map, topologies) ==
          "rank 0 on node001 bound to core 0 (cpus 0): [B/.]\n"
          "rank 1 on node001 bound to core 1 (cpus 1): [./B]\n"
          "rank 8 on node005 bound to core 0 (cpus 0): [B/././.]\n"
          "rank 9 on node005 bound to core 1 (cpus 1): [./B/./.]\n"
          "ranks 2-7,10-17 on node[002-004,006-009]: alike, as on node001\n");
    CHECK(describe_map(options, map) ==
          "host node001: 2 ranks\n"
          "  program 0: ./server\n"
          "    rank 0: cpus 0\n"
          "  program 1: ./worker\n"
          "    rank 1: cpus 1\n"
          "host node002: 2 ranks\n"
          "  program 1: ./worker\n"
          "    rank 2: cpus 0\n"
          "    rank 3: cpus 1\n"
          "hosts node[003-009]: alike, with ranks 4-17\n");
    options.verbosity = 1;
    CHECK(describe_map(options, map).find("host node009: 2 ranks\n") != std::string::npos);
    CHECK(describe_bindings(options, map, topologies).find("rank 17 on node009 bound to core 1") !=
          std::string::npos);
}
