#include "launcher/hosts/hosts.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;

namespace {

JobOptions with_hosts(std::vector<Host> hosts, int ranks = 0)
{
    JobOptions options;
    options.hosts = std::move(hosts);
    options.apps = {AppContext{{"a"}, ranks, {}, {}}};
    return options;
}

std::size_t hosts_of(const JobOptions& options)
{
    return job_hosts(options).hosts.size();
}

}  // namespace

TEST_CASE("Hosts of a job: each once, with all its slots")
{
    const WithVariable no_job("SLURM_JOB_ID", std::nullopt);
    const std::vector<Host> alone = job_hosts(with_hosts({})).hosts;
    REQUIRE(alone.size() == 1);
    CHECK(alone[0].name == local_host_name());
    CHECK(alone[0].local);
    CHECK(alone[0].slots == 0);

    const std::vector<Host> merged = job_hosts(with_hosts({{"a.example", 2, 4},
                                                           {"localhost", 3},
                                                           {"a.example", 1, 1},
                                                           {"127.0.0.1", 2},
                                                           {"b.example"}}))
                                         .hosts;
    REQUIRE(merged.size() == 3);
    CHECK(merged[0].name == "a.example");
    CHECK(merged[0].slots == 3);
    CHECK(merged[0].max_slots == 5);
    CHECK_FALSE(merged[0].local);
    CHECK(merged[1].name == local_host_name());
    CHECK(merged[1].slots == 5);
    CHECK(merged[1].local);
    CHECK(merged[2].slots == 0);

    const std::vector<Host> as_somebody = job_hosts(with_hosts({{"localhost", 1, 0, "somebody"}})).hosts;
    CHECK_FALSE(as_somebody[0].local);
    CHECK(as_somebody[0].name == "localhost");
    CHECK_THAT(usage_error([] {
                   job_hosts(with_hosts({{"a", 1, 0, "x"}, {"a", 1}}));
               }),
               Catch::Contains("host 'a' is named twice, with different users ('x' and '')"));
}

TEST_CASE("Hosts that get no rank need no daemon")
{
    const WithVariable no_job("SLURM_JOB_ID", std::nullopt);
    const std::vector<Host> hosts = {{"a.x", 2}, {"b.x", 2}, {"c.x"}, {"d.x", 2}};
    CHECK(hosts_of(with_hosts(hosts, 0)) == 4);
    CHECK(hosts_of(with_hosts(hosts, 1)) == 1);
    CHECK(hosts_of(with_hosts(hosts, 2)) == 1);
    CHECK(hosts_of(with_hosts(hosts, 3)) == 2);
    CHECK(hosts_of(with_hosts(hosts, 5)) == 3);
    CHECK(hosts_of(with_hosts(hosts, 6)) == 4);
    CHECK(hosts_of(with_hosts(hosts, 100)) == 4);
    JobOptions options = with_hosts(hosts, 3);
    options.map_by = MachineLevel::node;
    CHECK(hosts_of(options) == 3);
    options.map_by = MachineLevel::slot;
    options.ranks_per.ranks = 1;
    CHECK(hosts_of(options) == 3);
    options.ranks_per.ranks = 3;
    CHECK(hosts_of(options) == 1);
    options.apps.clear();
    CHECK(hosts_of(options) == 4);
}

TEST_CASE("The tree of daemons: each is started once, by the head or by one before it")
{
    CHECK(started_by(-1, 5) == std::pair{0, 5});
    CHECK(started_by(0, 5) == std::pair{5, 5});
    CHECK(started_by(-1, 40) == std::pair{0, 32});
    CHECK(started_by(0, 40) == std::pair{32, 40});
    const int count = GENERATE(1, 31, 32, 33, 64, 1000, 5000);
    std::vector<int> starters(static_cast<std::size_t>(count), -2);
    for (int index = -1; index < count; ++index) {
        const auto [first, last] = started_by(index, count);
        CHECK(last - first <= kTreeRadix);
        for (int child = first; child < last; ++child) {
            CHECK(starters[static_cast<std::size_t>(child)] == -2);
            starters[static_cast<std::size_t>(child)] = index;
        }
    }
    for (int index = 0; index < count; ++index) {
        CHECK(starters[static_cast<std::size_t>(index)] == starter_of(index));
        CHECK(starter_of(index) < index);
    }
}
