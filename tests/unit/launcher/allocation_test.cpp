#include "launcher/hosts/allocation.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include "launcher/hosts/hosts.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Words = std::vector<std::string>;

namespace {

/// An environment without any resource manager, and commands of one's own.
struct Nowhere {
    explicit Nowhere(const TemporaryFolder& folder) : path("PATH", folder.path().string() + ":/usr/bin:/bin")
    {
    }
    WithVariable path;
    WithVariable no_slurm{"SLURM_JOB_ID", std::nullopt};
    WithVariable no_pbs{"PBS_JOBID", std::nullopt};
    WithVariable no_lsf{"LSB_JOBID", std::nullopt};
    WithVariable no_grid_engine{"PE_HOSTFILE", std::nullopt};
    WithVariable no_flux{"FLUX_URI", std::nullopt};
    WithVariable no_openmpi{"OMPI_MCA_orte_default_hostfile", std::nullopt};
    WithVariable no_prrte{"PRTE_MCA_prte_default_hostfile", std::nullopt};
    WithVariable no_hydra{"HYDRA_HOST_FILE", std::nullopt};
    WithVariable no_intel{"I_MPI_HYDRA_HOST_FILE", std::nullopt};
};

void make_command(const TemporaryFolder& folder, const std::string& name,
                  const std::string& script = "exit 0")
{
    const auto path = folder.write(name, "#!/bin/sh\n" + script + "\n");
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
}

/// "a:2 b:1"
std::string reported(const std::vector<Host>& hosts)
{
    std::string text;
    for (const Host& host : hosts)
        text += (text.empty() ? "" : " ") + host.name + ":" + std::to_string(host.slots);
    return text;
}

/// What starts daemons on other hosts.
Words agent_for(const JobOptions& options)
{
    return start_method(options, job_hosts(options).agent).agent;
}

}  // namespace

TEST_CASE("Without a resource manager there is no allocation")
{
    const TemporaryFolder folder;
    const Nowhere nowhere(folder);
    CHECK_FALSE(other_allocation());
    CHECK(reported(job_hosts(JobOptions{}).hosts) == local_host_name() + ":0");
    CHECK(agent_for(JobOptions{}) == Words{"ssh"});
}

TEST_CASE("PBS names a host a line for each slot")
{
    const TemporaryFolder folder;
    const Nowhere nowhere(folder);
    const WithVariable job("PBS_JOBID", "7.server");
    CHECK_FALSE(other_allocation());
    const WithVariable file("PBS_NODEFILE", folder.write("nodes", "n1.x\nn1.x\n\nn2.x\n").string());
    CHECK(reported(job_hosts(JobOptions{}).hosts) == "n1.x:2 n2.x:1");
    CHECK(agent_for(JobOptions{}) == Words{"ssh"});

    JobOptions options;
    options.hosts = parse({"-H", "elsewhere:4", "a"}).hosts;
    CHECK(reported(job_hosts(options).hosts) == "elsewhere:4");
}

TEST_CASE("LSF names its hosts in a file or a variable, and starts daemons by blaunch where that is")
{
    const TemporaryFolder folder;
    const Nowhere nowhere(folder);
    const WithVariable job("LSB_JOBID", "7");
    const WithVariable list("LSB_MCPU_HOSTS", "n1.x 4 n2.x 2 ");
    CHECK(reported(job_hosts(JobOptions{}).hosts) == "n1.x:4 n2.x:2");
    CHECK(agent_for(JobOptions{}) == Words{"ssh"});
    make_command(folder, "blaunch");
    CHECK(agent_for(JobOptions{}) == Words{"blaunch"});

    const WithVariable file("LSB_DJOB_HOSTFILE", folder.write("hosts", "n3.x\nn3.x\nn4.x\n").string());
    CHECK(reported(job_hosts(JobOptions{}).hosts) == "n3.x:2 n4.x:1");
    CHECK(agent_for(JobOptions{}) == Words{"blaunch"});
    CHECK(agent_for(parse({"--launcher", "ssh", "a"})) == Words{"ssh"});
    CHECK(agent_for(parse({"--launch-agent", "my ssh", "a"})) == Words{"my", "ssh"});
}

TEST_CASE("Grid Engine counts slots")
{
    const TemporaryFolder folder;
    const Nowhere nowhere(folder);
    make_command(folder, "qrsh");
    const WithVariable job("JOB_ID", "7");
    const WithVariable file(
        "PE_HOSTFILE",
        folder.write("pe", "n1.x 4 all.q@n1.x UNDEFINED\nn2.x 2 all.q@n2.x <NULL>\n").string());
    CHECK(reported(job_hosts(JobOptions{}).hosts) == "n1.x:4 n2.x:2");
    CHECK(agent_for(JobOptions{}) == Words{"qrsh", "-inherit", "-V"});
}

TEST_CASE("Flux tells its hosts when asked")
{
    const TemporaryFolder folder;
    const Nowhere nowhere(folder);
    const WithVariable job("FLUX_URI", "local:///run/flux/local");
    CHECK_FALSE(other_allocation());
    make_command(folder, "flux", "[ \"$1 $2\" = 'getattr hostlist' ] && echo 'n[1-2].x'");
    CHECK(reported(job_hosts(JobOptions{}).hosts) == "n1.x:0 n2.x:0");
    make_command(folder, "flux", "echo 'flux-getattr: no broker' >&2; exit 1");
    CHECK_THAT(usage_error([] { other_allocation(); }), Catch::Contains("gave no list of hosts"));
}

TEST_CASE("An allocation is not read where the user names the hosts, and else once")
{
    const TemporaryFolder folder;
    const Nowhere nowhere(folder);
    const WithVariable stale("HYDRA_HOST_FILE", "/nowhere/hosts");
    JobOptions named;
    named.hosts = {{"n1.x"}};
    CHECK(reported(job_hosts(named).hosts) == "n1.x:0");
    CHECK(agent_for(named) == Words{"ssh"});
    CHECK_THAT(usage_error([] { job_hosts(JobOptions{}); }), Catch::Contains("/nowhere/hosts"));

    const WithVariable no_hydra("HYDRA_HOST_FILE", std::nullopt);
    const WithVariable job("FLUX_URI", "local:///run/flux/local");
    make_command(folder, "flux", "echo asked >> '" + (folder.path() / "asked").string() + "'; echo n1.x");
    CHECK(agent_for(JobOptions{}) == Words{"ssh"});
    CHECK(std::filesystem::file_size(folder.path() / "asked") == 6);
}

TEST_CASE("The hostfile of the MPI Operator is used as it is, for each of its libraries")
{
    const TemporaryFolder folder;
    const Nowhere nowhere(folder);
    const std::string path =
        folder.write("hostfile", "w-0.w.ns.svc slots=2\nw-1.w.ns.svc slots=2\n").string();
    {
        const WithVariable file("OMPI_MCA_orte_default_hostfile", path);
        const WithVariable arguments("OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10");
        CHECK(reported(job_hosts(JobOptions{}).hosts) == "w-0.w.ns.svc:2 w-1.w.ns.svc:2");
        CHECK(agent_for(JobOptions{}) == Words{"ssh", "-o", "ConnectionAttempts=10"});
        const WithVariable agent("OMPI_MCA_plm_rsh_agent", "/etc/mpi/kubexec.sh");
        CHECK(agent_for(JobOptions{}) == Words{"/etc/mpi/kubexec.sh", "-o", "ConnectionAttempts=10"});
    }
    {
        const WithVariable file("I_MPI_HYDRA_HOST_FILE", folder.write("intel", "w-0.x:3\n").string());
        CHECK(reported(job_hosts(JobOptions{}).hosts) == "w-0.x:3");
        CHECK(agent_for(JobOptions{}) == Words{"ssh"});
    }
    const WithVariable file("HYDRA_HOST_FILE", path);
    CHECK(reported(job_hosts(JobOptions{}).hosts) == "w-0.w.ns.svc:2 w-1.w.ns.svc:2");
}

TEST_CASE("What a resource manager would not write is refused")
{
    const TemporaryFolder folder;
    const Nowhere nowhere(folder);
    const WithVariable job("PBS_JOBID", "7");
    const auto error_of = [&](const std::string& text) {
        const WithVariable file("PBS_NODEFILE", folder.write("nodes", text).string());
        return usage_error([] { other_allocation(); });
    };
    CHECK_THAT(error_of("n1\n-oProxyCommand=x\n"),
               Catch::StartsWith("PBS_NODEFILE: ") &&
                   Catch::Contains("nodes:2: '-oProxyCommand=x' is no name of a host"));
    CHECK_THAT(error_of("\n \n"), Catch::Contains("names no host; name the hosts by -H"));
    {
        const WithVariable missing("PBS_NODEFILE", "/nowhere/nodes");
        CHECK_THAT(usage_error([] { other_allocation(); }),
                   Catch::Contains("cannot read PBS_NODEFILE '/nowhere/nodes': No such file"));
    }
    const WithVariable grid_engine("JOB_ID", "7");
    const WithVariable no_pbs("PBS_JOBID", std::nullopt);
    const WithVariable pe("PE_HOSTFILE", folder.write("pe", "n1\n").string());
    CHECK_THAT(usage_error([] { other_allocation(); }), Catch::Contains("pe:1: 'n1' has no number of slots"));
    const WithVariable lsf("LSB_JOBID", "7");
    const WithVariable list("LSB_MCPU_HOSTS", "n1 4 n2");
    const WithVariable no_pe("PE_HOSTFILE", std::nullopt);
    CHECK_THAT(usage_error([] { other_allocation(); }), Catch::Contains("'n2', has no number of slots"));
}
