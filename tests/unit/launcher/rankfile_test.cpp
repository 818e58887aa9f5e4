// Ranks whose hosts and cores the user has listed: by a rankfile, or by a list of hosts in the order of
// ranks.
#include <catch2/catch.hpp>

#include "launcher/hosts/hosts.hpp"
#include "launcher/hosts/rankfile.hpp"
#include "launcher/placement/mapping.hpp"
#include "launcher/placement/slot_list.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Texts = std::vector<std::string>;

namespace {

constexpr const char* kMachine = "package:2 [numa] core:4 pu:2";

std::string slots_of(const std::string& slots)
{
    return format_cpu_list(cpus_of_slots("ranks:1", slots, MachineTopology::synthetic(kMachine)));
}

/// "host cpus" of each rank. All hosts are two packages of four cores.
Texts places_of(const JobOptions& options)
{
    const std::vector<Host> hosts = job_hosts(options).hosts;
    const std::vector<MachineTopology> machines(hosts.size(), MachineTopology::synthetic(kMachine));
    const JobMap map = map_job(options, hosts, machines);
    Texts texts;
    for (const RankPlacement& placement : map.ranks) {
        CHECK(placement.rank == static_cast<int>(texts.size()));
        texts.push_back(map.nodes[static_cast<std::size_t>(placement.node)].name + " " +
                        format_cpu_list(placement.cpus));
    }
    return texts;
}

}  // namespace

TEST_CASE("Slots of a rankfile are cores, cores of a package, or hardware threads")
{
    CHECK(slots_of("0") == "0-1");
    CHECK(slots_of("1,3-4") == "2-3,6-9");
    CHECK(slots_of("1:0-2") == "8-13");
    CHECK(slots_of("0:0,3") == "0-1,6-7");
    CHECK(slots_of("1:*") == "8-15");
    CHECK(slots_of("S1") == "8-15");
    CHECK(slots_of("S0:1") == "2-3");
    CHECK(slots_of("*") == "0-15");
    CHECK(slots_of("p3,12-13") == "3,12-13");
    CHECK(slots_of("0:1;1:1;1") == "2-3,10-11");
}

TEST_CASE("Slots that a machine does not have are refused, with those that it has")
{
    const auto error = [](const std::string& slots) { return usage_error([&] { slots_of(slots); }); };
    CHECK_THAT(error("8"),
               Catch::Contains("ranks:1: there is no core 8 that ranks may use there; there are 0-7"));
    CHECK_THAT(error("2:0"),
               Catch::Contains("there is no package 2 that ranks may use there; there are 0-1"));
    CHECK_THAT(error("1:4"),
               Catch::Contains("no core on package 1 with number 4 that ranks may use there; there are 0-3"));
    CHECK_THAT(error("p16"),
               Catch::Contains("no hardware thread 16 that ranks may use there; there are 0-15"));
    CHECK_THAT(error("0-"), Catch::Contains("ranks:1: '' is not a core"));
    CHECK_THAT(error("x"), Catch::Contains("ranks:1: 'x' is not a core"));
    CHECK_THAT(error(""), Catch::Contains("has an empty part"));
}

TEST_CASE("A rankfile puts each rank on its host and its cores")
{
    const WithVariable no_job("SLURM_JOB_ID", std::nullopt);
    const TemporaryFolder folder;
    const std::string file = folder.write("ranks",
                                          "# by hand\n"
                                          "rank 1 = b.x slot = 1:0-1\n\n"
                                          "rank 0=a.x slot=0,2  # two cores\n"
                                          "rank 2=b.x\n"
                                          "rank 3=a.x slot=p1\n");
    CHECK(places_of(parse({"--rankfile", file, "a"})) == Texts{"a.x 0-1,4-5", "b.x 8-11", "b.x ", "a.x 1"});
    CHECK(places_of(parse({"-rf", file, "-n", "1", "a"})) == Texts{"a.x 0-1,4-5"});
    CHECK(places_of(parse({"--map-by", "rankfile:file=" + file, "-n", "1", "a", ":", "-n", "2", "b"})) ==
          Texts{"a.x 0-1,4-5", "b.x 8-11", "b.x "});
    CHECK(places_of(parse({"-rf", file, "-H", "b.x,a.x", "-n", "2", "a"})) ==
          Texts{"a.x 0-1,4-5", "b.x 8-11"});
    CHECK_THAT(usage_error([&] {
                   places_of(parse({"-rf", file, "-n", "5", "a"}));
               }),
               Catch::Contains("5 ranks are wanted, but the rankfile names the hosts of 4"));
    CHECK_THAT(usage_error([&] {
                   places_of(parse({"-rf", file, "-H", "a.x", "a"}));
               }),
               Catch::Contains("ranks:2: host 'b.x' is not among the hosts of the job"));
    CHECK_THAT(parse_error({"-rf", file, "--map-by", "core", "a"}),
               Catch::Contains("--rankfile says where each rank goes; leave out other --map-by"));
}

TEST_CASE("A rankfile may name the hosts by their place in the job")
{
    const WithVariable no_job("SLURM_JOB_ID", std::nullopt);
    const TemporaryFolder folder;
    const std::string file = folder.write("ranks", "rank 0=+n1 slot=0\nrank 1=+n0 slot=1\n");
    CHECK(places_of(parse({"-rf", file, "-H", "a.x,b.x", "a"})) == Texts{"b.x 0-1", "a.x 2-3"});
    CHECK_THAT(usage_error([&] {
                   places_of(parse({"-rf", file, "-H", "a.x", "a"}));
               }),
               Catch::Contains("ranks:1: there is no host '+n1'; the job has 1, from +n0 on"));
    const std::string here = folder.write("here", "rank 0=+n0 slot=3\n");
    CHECK(places_of(parse({"-rf", here, "a"})) == Texts{local_host_name() + " 6-7"});
}

TEST_CASE("What is wrong with a rankfile is reported with its line")
{
    struct Row {
        const char* text;
        const char* message;
    };
    const Row row = GENERATE(values<Row>({
        {"", "rankfile 'ranks' names no rank; a line reads"},
        {"rank 0=a slot=0\nrank 0=b\n", "ranks:2: rank 0 has a line already"},
        {"rank 0=a\nrank 2=b\n", "rankfile 'ranks' has no line for rank 1, but one for rank 2"},
        {"rank x=a\n", "ranks:1: 'x' is not a rank"},
        {"rank =a\n", "ranks:1: '' is not a rank"},
        {"rank 0\n", "ranks:1: 'rank 0' is not understood; a line reads"},
        {"rank 0=\n", "ranks:1: 'rank 0=' is not understood"},
        {"a slots=2\n", "ranks:1: 'a slots=2' is not understood"},
        {"rank 0=a cpus=2\n", "ranks:1: 'rank 0=a cpus=2' is not understood"},
        {"rank 0=a slot=2 b\n", "is not understood"},
        {"rank 0=+nx\n", "ranks:1: 'x' is not a host's place"},
        {"rank 0=-x\n", "ranks:1: '-x' is no name of a host"},
    }));
    CAPTURE(row.text);
    CHECK_THAT(usage_error([&] { parse_rankfile("ranks", row.text); }), Catch::Contains(row.message));
}

TEST_CASE("--map-by seq puts a rank on each host of the list in turn")
{
    const WithVariable no_job("SLURM_JOB_ID", std::nullopt);
    const TemporaryFolder folder;
    const std::string file = folder.write("hosts", "b.x\na.x slots=9\nb.x\nc.x\n");
    CHECK(places_of(parse({"--map-by", "seq", "-f", file, "--bind-to", "none", "a"})) ==
          Texts{"b.x ", "a.x ", "b.x ", "c.x "});
    CHECK(places_of(parse({"--map-by", "seq", "-H", "b.x,a.x,b.x", "-n", "2", "--bind-to", "core", "a"})) ==
          Texts{"b.x 0-1", "a.x 0-1"});
    CHECK_THAT(
        usage_error([&] {
            places_of(parse({"--map-by", "seq", "-f", file, "-n", "5", "a"}));
        }),
        Catch::Contains("5 ranks are wanted, but the list of hosts for --map-by seq names the hosts of 4"));
}
