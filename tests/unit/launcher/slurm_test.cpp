
#include <catch2/catch.hpp>

#include "launcher/hosts/hosts.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Names = std::vector<std::string>;
using Counts = std::vector<int>;

namespace {

/// An allocation as the environment shows it.
struct SlurmAllocation {
    explicit SlurmAllocation(const std::string& nodes, const std::string& tasks, const std::string& here = {})
        : list("SLURM_JOB_NODELIST", nodes), tasks_per_node("SLURM_TASKS_PER_NODE", tasks)
    {
        if (!here.empty()) {
            own.emplace("SLURMD_NODENAME", here);
        }
    }
    WithVariable job{"SLURM_JOB_ID", "42"};
    WithVariable no_name{"SLURMD_NODENAME", std::nullopt};
    WithVariable no_cpus{"SLURM_JOB_CPUS_PER_NODE", std::nullopt};
    WithVariable list;
    WithVariable tasks_per_node;
    std::optional<WithVariable> own;
};

}  // namespace

TEST_CASE("Slurm's lists of hosts")
{
    struct Row {
        const char* text;
        Names names;
    };
    const Row row = GENERATE(values<Row>({
        {"a", {"a"}},
        {"a,b-1,c.d", {"a", "b-1", "c.d"}},
        {"node[1-3]", {"node1", "node2", "node3"}},
        {"node[01-04,7]", {"node01", "node02", "node03", "node04", "node7"}},
        {"node[08-11]", {"node08", "node09", "node10", "node11"}},
        {"n[098-100]x", {"n098x", "n099x", "n100x"}},
        {"n[3]", {"n3"}},
        {"r[1-2]n[0-1]", {"r1n0", "r1n1", "r2n0", "r2n1"}},
        {"a[1-2],b,c[5,7]", {"a1", "a2", "b", "c5", "c7"}},
        {"n[99999999999999-100000000000001]", {"n99999999999999", "n100000000000000", "n100000000000001"}},
    }));
    CAPTURE(row.text);
    CHECK(expand_host_list("LIST", row.text) == row.names);
}

TEST_CASE("Lists that Slurm does not write are refused, without much work")
{
    const std::string text = GENERATE(values<std::string>({
        "",
        ",",
        "a,",
        ",a",
        "a,,b",
        "n[",
        "n[]",
        "n[1",
        "n[1-",
        "n[1-]",
        "n[-2]",
        "n[2-1]",
        "n[1,]",
        "n[a-b]",
        "n[1-2]]",
        "n]",
        "n[[1-2]]",
        "n[1-[2]]",
        "n[1-2-3]",
        "n[1 -2]",
        "a b",
        "-a",
        "a;b",
        "$(a)",
        "a(b)",
        "n[1-65537]",
        "n[1-999999999999999999]",
        "n[1-99999999999999999999]",
        "n[99999999999999999999]",
        "a[1-1000]b[1-1000]",
        "a[1-1000]b[1-1000]c[1-1000]d[1-1000]e[1-1000]f[1-1000]",
    }));
    CAPTURE(text);
    CHECK_THAT(usage_error([&] { expand_host_list("LIST", text); }), Catch::StartsWith("LIST: '"));
}

TEST_CASE("Slurm's counts")
{
    CHECK(expand_counts("COUNTS", "4") == Counts{4});
    CHECK(expand_counts("COUNTS", "2(x3),1") == Counts{2, 2, 2, 1});
    CHECK(expand_counts("COUNTS", "1,2,3(x2)") == Counts{1, 2, 3, 3});
    const std::string text = GENERATE(values<std::string>({
        "",
        ",",
        "1,",
        "x",
        "1x",
        "0",
        "-1",
        "1(",
        "1(x",
        "1(x)",
        "1(x2",
        "1(2)",
        "1(x0)",
        "1(x-1)",
        "1 ",
        "65537",
        "1(x65537)",
        "1(x99999999999999999999)",
        "1(x65536),1",
        "2(x2)3",
    }));
    CAPTURE(text);
    CHECK_THAT(usage_error([&] { expand_counts("COUNTS", text); }), Catch::StartsWith("COUNTS: '"));
}

TEST_CASE("The allocation's hosts are the job's")
{
    const SlurmAllocation allocation("n[1-3]", "2(x2),1", "n1");
    const std::vector<Host> hosts = job_hosts(JobOptions{}).hosts;
    REQUIRE(hosts.size() == 3);
    CHECK(hosts[0].name == "n1");
    CHECK(hosts[0].local);
    CHECK(hosts[0].slots == 2);
    CHECK_FALSE(hosts[1].local);
    CHECK(hosts[2].name == "n3");
    CHECK(hosts[2].slots == 1);
    CHECK(start_method(JobOptions{}, {}).kind == StartMethod::Agent::srun);
    CHECK(start_method(JobOptions{}, {}).agent == Names{"srun"});
}

TEST_CASE("-H takes part of an allocation")
{
    const SlurmAllocation allocation("n[1-3]", "4(x3)", "n1");
    JobOptions options;
    options.hosts = parse({"-H", "n3.cluster.example,n2:1", "a"}).hosts;
    const std::vector<Host> hosts = job_hosts(options).hosts;
    REQUIRE(hosts.size() == 2);
    CHECK(hosts[0].name == "n3");
    CHECK(hosts[0].slots == 4);
    CHECK(hosts[1].slots == 1);

    options.hosts = {{"n4"}};
    CHECK_THAT(usage_error([&] { job_hosts(options); }),
               Catch::Contains("host 'n4' is not in the Slurm allocation, which has n[1-3]; ask for it"));
    options.launcher = StartMethod::Agent::remote_shell;
    CHECK(job_hosts(options).hosts.at(0).name == "n4");
    CHECK(start_method(options, {}).agent == Names{"ssh"});
}

TEST_CASE("Without a node's name from Slurm the host name tells which node this is")
{
    const SlurmAllocation allocation("elsewhere," + local_host_name(), "1(x2)");
    const std::vector<Host> hosts = job_hosts(JobOptions{}).hosts;
    REQUIRE(hosts.size() == 2);
    CHECK_FALSE(hosts[0].local);
    CHECK(hosts[1].local);
}

TEST_CASE("Allocations that contradict themselves, and none")
{
    {
        const SlurmAllocation allocation("n[1-3]", "2(x2)");
        CHECK_THAT(
            usage_error([] { slurm_allocation(); }),
            Catch::Contains("SLURM_JOB_NODELIST has 3 hosts, but SLURM_TASKS_PER_NODE='2(x2)' counts for 2"));
    }
    const WithVariable no_job("SLURM_JOB_ID", std::nullopt);
    CHECK_FALSE(slurm_allocation());
    JobOptions options;
    options.launcher = StartMethod::Agent::srun;
    CHECK_THAT(usage_error([&] { start_method(options, {}); }),
               Catch::Contains("only inside a Slurm allocation"));
}
