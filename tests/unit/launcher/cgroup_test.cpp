#include "lib/foundation/base/cgroup.hpp"

#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "launcher/ranks/memory_kills.hpp"
#include "tests/unit/launcher/support.hpp"

using tutti::base::cpu_quota;
using tutti::base::memory_room;
using tutti::base::out_of_memory_kills;
using tutti::launcher::MemoryKills;
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

TEST_CASE("The memory that is left is the least of the machine's and of all groups'")
{
    const TemporaryFolder root;
    CHECK_FALSE(memory_room(root.path()));
    root.write("proc/meminfo",
               "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 600 kB\nSwapTotal: 100 kB\nSwapFree: 50 kB\n");
    REQUIRE(memory_room(root.path()));
    CHECK(memory_room(root.path())->free_bytes == 650 << 10);
    CHECK(memory_room(root.path())->limit_bytes == 1100 << 10);
    CHECK(memory_room(root.path())->owner == "this machine");

    root.write("proc/self/cgroup", "0::/user/job\n");
    const std::string job = std::string(kGroups) + "user/job/";
    root.write(job + "memory.max", "max\n");
    root.write(job + "memory.current", "4096\n");
    CHECK(memory_room(root.path())->owner == "this machine");
    // Half of what is used are pages of files, which the kernel can drop.
    root.write(job + "memory.max", "400000\n");
    root.write(job + "memory.current", "200000\n");
    root.write(job + "memory.stat", "anon 90000\ninactive_file 60000\nactive_file 30000\nslab_reclaimable 10000\n");
    CHECK(memory_room(root.path())->free_bytes == 300000);
    CHECK(memory_room(root.path())->limit_bytes == 400000);
    CHECK(memory_room(root.path())->owner == "memory group " + (root.path() / kGroups / "user/job").string());
    root.write(std::string(kGroups) + "user/memory.max", "250000\n");
    root.write(std::string(kGroups) + "user/memory.current", "300000\n");
    CHECK(memory_room(root.path())->free_bytes == 0);
}

TEST_CASE("Version 1 has the memory of a group in other files, and a number for no limit")
{
    const TemporaryFolder root;
    root.write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\n");
    root.write("proc/self/cgroup", "4:memory:/job\n0::/\n");
    const std::string job = std::string(kGroups) + "memory/job/";
    root.write(job + "memory.limit_in_bytes", "9223372036854771712\n");
    root.write(job + "memory.usage_in_bytes", "4096\n");
    CHECK(memory_room(root.path())->free_bytes == 600 << 10);
    root.write(job + "memory.limit_in_bytes", "100000\n");
    root.write(job + "memory.usage_in_bytes", "50000\n");
    root.write(job + "memory.stat", "cache 7\ntotal_inactive_file 20000\ntotal_active_file 5000\n");
    CHECK(memory_room(root.path())->free_bytes == 75000);
}

TEST_CASE("Kills for want of memory are those of the group, or of the machine")
{
    const TemporaryFolder root;
    CHECK_FALSE(out_of_memory_kills(root.path()));
    root.write("proc/vmstat", "pgfault 12\noom_kill 3\n");
    CHECK(out_of_memory_kills(root.path()) == 3);
    root.write("proc/self/cgroup", "4:memory:/job\n0::/\n");
    root.write(std::string(kGroups) + "memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    CHECK(out_of_memory_kills(root.path()) == 1);
    root.write("proc/self/cgroup", "0::/job\n");
    root.write(std::string(kGroups) + "job/memory.events", "low 0\noom 2\noom_kill 2\n");
    CHECK(out_of_memory_kills(root.path()) == 2);
    root.write("proc/self/cgroup", "4:memory:/\n0::/both\n");
    root.write(std::string(kGroups) + "unified/both/memory.events", "oom 7\noom_kill 5\noom_group_kill 1\n");
    CHECK(out_of_memory_kills(root.path()) == 5);
}

TEST_CASE("Each kill that the kernel has counted explains the end of one process")
{
    const TemporaryFolder root;
    CHECK_FALSE(MemoryKills(root.path()).explains_one());
    const std::string two = std::string(kGroups) + "job/memory.events";
    const std::string one = std::string(kGroups) + "memory/job/memory.oom_control";
    for (const auto& [groups, file] :
         {std::pair("0::/job\n", two), std::pair("4:memory:/job\n0::/\n", one)}) {
        CAPTURE(file);
        root.write("proc/self/cgroup", groups);
        root.write(file, "oom_kill 3\n");
        MemoryKills kills(root.path());
        CHECK_FALSE(kills.explains_one());
        root.write(file, "oom_kill 5\n");
        CHECK(kills.explains_one());
        CHECK(kills.explains_one());
        CHECK_FALSE(kills.explains_one());
    }
}
