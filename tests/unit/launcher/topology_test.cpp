#include "launcher/placement/machine_topology.hpp"
#include "launcher/placement/units.hpp"

#include <sched.h>

#include <cstdlib>

#include <catch2/catch.hpp>

#include "launcher/job/job_plan.hpp"
#include "launcher/wire/wire.hpp"
#include "tutti/error.hpp"

using namespace tutti::launcher;

TEST_CASE("Synthetic machines have the cores, packages and NUMA nodes described")
{
    struct Row {
        const char* description;
        const char* allowed;
        int cores;
        int packages;
        int numa;
        std::size_t cpus;
    };
    const Row row = GENERATE(values<Row>({
        {"package:2 core:4 pu:2", "", 8, 2, 1, 16},
        {"package:2 [numa] core:4 pu:2", "", 8, 2, 2, 16},
        {"package:1 core:1 pu:1", "", 1, 1, 1, 1},
        {"package:2 [numa] core:4 pu:2", "1,8-11", 3, 2, 2, 5},
        {"package:2 [numa] core:4 pu:2", "12-15", 2, 1, 1, 4},
        {"package:2 [numa] core:4 pu:2", "90", 8, 2, 2, 16},
        {"package:3 numa:2 core:1 pu:3", "", 6, 3, 6, 18},
        {"pu:5", "", 5, 1, 1, 5},
    }));
    CAPTURE(row.description, row.allowed);
    const MachineTopology topology = MachineTopology::synthetic(row.description, row.allowed);
    CHECK(topology.core_count() == row.cores);
    CHECK(topology.package_count() == row.packages);
    CHECK(count_objects(make_units(topology, false), MachineLevel::numa) == row.numa);
    CHECK(topology.cpus().size() == row.cpus);
    CHECK(topology.usable_cores() == row.cores);
    CHECK(topology.slots() == row.cores);
}

TEST_CASE("A restricted machine numbers what is left from 0")
{
    const MachineTopology topology = MachineTopology::synthetic("package:2 [numa] core:4 pu:2", "7,12-13");
    REQUIRE(topology.core_count() == 2);
    CHECK(topology.cores()[0].cpus == std::vector<int>{7});
    CHECK(topology.cores()[0].package == 0);
    CHECK(topology.cores()[1].cpus == std::vector<int>{12, 13});
    CHECK(topology.cores()[1].package == 1);
    CHECK(topology.cores()[1].numa == 1);
}

TEST_CASE("Some cores of a machine keep their numbers")
{
    const MachineTopology whole = MachineTopology::synthetic("package:2 [numa] l3:2 core:2 pu:1", "", 6);
    CHECK(count_objects(make_units(whole, false), MachineLevel::l3cache) == 4);
    const MachineTopology some = whole.only(std::vector{3, 6, 7, 40});
    REQUIRE(some.core_count() == 3);
    CHECK(some.cores()[0].number == 3);
    CHECK(some.cores()[0].l3cache == 0);
    CHECK(some.cores()[1].number == 6);
    CHECK(some.cores()[1].package == 1);
    CHECK(some.cores()[2].l3cache == 1);
    CHECK(some.package_count() == 2);
    CHECK(count_objects(make_units(some, false), MachineLevel::l3cache) == 2);
    CHECK(some.usable_cores() == 3);
    CHECK(whole.only(std::vector{0, 1, 2, 3, 4, 5, 6, 7}).usable_cores() == 6);
    const MachineTopology received = MachineTopology::from_wire(some.to_wire());
    CHECK(received.cores()[1].number == 6);
    CHECK(count_objects(make_units(received, false), MachineLevel::l3cache) == 2);
}

TEST_CASE("A quota limits the usable cores, never below one slot")
{
    CHECK(MachineTopology::synthetic("core:8 pu:1", "", 2.5).usable_cores() == 2.5);
    CHECK(MachineTopology::synthetic("core:8 pu:1", "", 2.5).slots() == 2);
    CHECK(MachineTopology::synthetic("core:8 pu:1", "", 0.1).slots() == 1);
    CHECK(MachineTopology::synthetic("core:8 pu:1", "", 99).usable_cores() == 8);
}

TEST_CASE("A topology travels to another host as bytes, and nothing else passes for one")
{
    const MachineTopology sent = MachineTopology::synthetic("package:2 [numa] core:4 pu:2", "7,9,12-13", 2.5);
    const std::string bytes = sent.to_wire();
    const MachineTopology topology = MachineTopology::from_wire(bytes);
    CHECK(topology.cpus() == std::vector<int>{7, 9, 12, 13});
    CHECK(topology.core_count() == 3);
    CHECK(topology.package_count() == 2);
    CHECK(count_objects(make_units(topology, false), MachineLevel::numa) == 2);
    CHECK(topology.cores()[1].package == 1);
    CHECK(topology.cores()[2].numa == 1);
    CHECK(topology.usable_cores() == 2.5);

    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THROWS_AS(MachineTopology::from_wire(bytes.substr(0, size)), WireError);
    }
    CHECK_THROWS_AS(MachineTopology::from_wire(bytes + "x"), WireError);
    // Any byte changed is refused, or gives numbers in their ranges.
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 0x80);
        try {
            const MachineTopology other = MachineTopology::from_wire(changed);
            CHECK(other.usable_cores() > 0);
            CHECK(other.package_count() <= other.core_count());
        } catch (const WireError&) {
        }
    }
    CHECK_THROWS_AS(MachineTopology::from_wire(WireWriter().put(1.0).put(std::uint32_t{0}).bytes()),
                    WireError);
}

TEST_CASE("A wrong description is an error")
{
    CHECK_THROWS_AS(MachineTopology::synthetic("package:x"), tutti::Error);
}

TEST_CASE("The running machine is seen through the affinity mask")
{
    const bool plugins_set = std::getenv("HWLOC_PLUGINS_PATH") != nullptr;
    cpu_set_t old_mask;
    REQUIRE(sched_getaffinity(0, sizeof(old_mask), &old_mask) == 0);
    const MachineTopology whole = MachineTopology::detect();
    REQUIRE(whole.core_count() > 0);
    CHECK(whole.cpus().size() == static_cast<std::size_t>(CPU_COUNT(&old_mask)));
    CHECK(whole.usable_cores() <= whole.core_count());

    const int last = whole.cpus().back();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
    const MachineTopology restricted = MachineTopology::detect();
    sched_setaffinity(0, sizeof(old_mask), &old_mask);
    CHECK(restricted.cpus() == std::vector<int>{last});
    CHECK((std::getenv("HWLOC_PLUGINS_PATH") != nullptr) == plugins_set);
}

TEST_CASE("CPU lists are written in ranges")
{
    CHECK(format_cpu_list({}).empty());
    CHECK(format_cpu_list({3}) == "3");
    CHECK(format_cpu_list({0, 1}) == "0-1");
    CHECK(format_cpu_list({4, 1, 0, 7, 8, 9}) == "0-1,4,7-9");
}
