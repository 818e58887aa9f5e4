#include "lib/foundation/base/cgroup.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/launcher/support.hpp"

using tutti::base::cpu_quota;
using tutti::launcher::test::TemporaryFolder;

namespace {

constexpr const char* kGroups = "sys/fs/cgroup/";

}  // namespace

TEST_CASE("Version 2 quotas, the least of all groups above")
{
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "0::/user/job/step\n");
    CHECK_FALSE(cpu_quota(root.path()));
    root.write(std::string(kGroups) + "user/job/step/cpu.max", "max 100000\n");
    CHECK_FALSE(cpu_quota(root.path()));
    root.write(std::string(kGroups) + "user/job/cpu.max", "250000 100000\n");
    CHECK(cpu_quota(root.path()) == 2.5);
    root.write(std::string(kGroups) + "user/cpu.max", "400000 100000\n");
    CHECK(cpu_quota(root.path()) == 2.5);
    root.write(std::string(kGroups) + "user/job/step/cpu.max", "50000 100000\n");
    CHECK(cpu_quota(root.path()) == 0.5);
}

TEST_CASE("In a container the group's own files lie at the top")
{
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "0::/\n");
    root.write(std::string(kGroups) + "cpu.max", "150000 100000\n");
    CHECK(cpu_quota(root.path()) == 1.5);
    root.write("proc/self/cgroup", "0::/docker/0123abcd\n");
    CHECK(cpu_quota(root.path()) == 1.5);
}

TEST_CASE("Version 1 quotas, whatever the mount is called")
{
    const std::string mount = GENERATE("cpu", "cpu,cpuacct");
    const TemporaryFolder root;
    root.write("proc/self/cgroup", "3:cpuset:/other\n2:cpu,cpuacct:/job\n1:name=systemd:/x\n");
    root.write(kGroups + mount + "/job/cpu.cfs_quota_us", "-1\n");
    root.write(kGroups + mount + "/job/cpu.cfs_period_us", "100000\n");
    CHECK_FALSE(cpu_quota(root.path()));
    root.write(kGroups + mount + "/job/cpu.cfs_quota_us", "350000\n");
    CHECK(cpu_quota(root.path()) == 3.5);
}

TEST_CASE("Broken or missing files mean no quota")
{
    const TemporaryFolder root;
    CHECK_FALSE(cpu_quota(root.path()));
    root.write("proc/self/cgroup", "nonsense\n0::/\n");
    root.write(std::string(kGroups) + "cpu.max", "100000 0\n");
    CHECK_FALSE(cpu_quota(root.path()));
    root.write(std::string(kGroups) + "cpu.max", "");
    CHECK_FALSE(cpu_quota(root.path()));
}
