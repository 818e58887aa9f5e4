// What the doctor looks up by itself: under limits and prohibitions that the test makes, and in environments
// of schedulers.
#include "launcher/doctor/host_check.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>

#include <catch2/catch.hpp>

#include "launcher/doctor/judge.hpp"
#include "launcher/hosts/hosts.hpp"
#include "tests/soft_limit.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::doctor;
using namespace tutti::launcher::test;
using tutti::test::WithSoftLimit;

namespace {

Facts facts_with_names(const std::vector<std::string>& names)
{
    Facts facts;
    collect_facts({"", names}, facts);
    return facts;
}

/// As a container does it. Holds for good, and for children.
bool forbid_cross_memory_attach_and_memory_files()
{
    std::array<sock_filter, 5> filter = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog program{filter.size(), filter.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

TEST_CASE("The doctor's daemon knows what and where it is", "[doctor]")
{
    const Facts facts = facts_with_names({});
    utsname system{};
    REQUIRE(::uname(&system) == 0);
    CHECK(facts.host_name == local_host_name());
    CHECK(facts.version == TUTTI_PROJECT_VERSION);
    CHECK(facts.kernel == std::string("Linux ") + system.release);
    CHECK(facts.boot_id.size() == 36);
    CHECK_THAT(facts.pmix_version, Catch::Contains("PMIx ") && !Catch::Contains("("));
    CHECK(facts.shared_memory == "");
}

TEST_CASE(
    "Of locked memory the limit counts that ranks have, of open files the one to which they raise theirs",
    "[doctor]")
{
    const WithSoftLimit memlock(RLIMIT_MEMLOCK, 64 << 10);
    const WithSoftLimit files(RLIMIT_NOFILE, 256);
    const Facts facts = facts_with_names({});
    CHECK(facts.memlock_bytes == 64 << 10);
    CHECK(facts.open_files == files.hard());
}

TEST_CASE("Names that nobody knows are found, and nothing is wrong with the others", "[doctor]")
{
    const Facts facts = facts_with_names({"localhost", "no such name", "127.0.0.1"});
    CHECK(facts.unresolved == std::vector<std::string>{"no such name"});
    CHECK(facts.resolving_seconds > 0);
    CHECK(facts_with_names({}).resolving_seconds == 0);
}

TEST_CASE("A limit of file sizes is named as what keeps shared memory from working", "[doctor]")
{
    const WithSoftLimit size(RLIMIT_FSIZE, 1 << 20);
    CHECK(facts_with_names({}).shared_memory == "files may have 1048576 bytes only (ulimit -f)");
}

TEST_CASE("What a container forbids is seen", "[doctor]")
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        std::string seen = "no filter can be set";
        if (forbid_cross_memory_attach_and_memory_files()) {
            const Facts facts = facts_with_names({});
            seen = facts.cross_memory_attach + "\n" + facts.shared_memory;
        }
        const ssize_t written = ::write(ends[1], seen.data(), seen.size());
        ::_exit(written == static_cast<ssize_t>(seen.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string seen;
    std::array<char, 256> buffer;
    ssize_t bytes = 0;
    while ((bytes = ::read(ends[0], buffer.data(), buffer.size())) > 0) {
        seen.append(buffer.data(), static_cast<std::size_t>(bytes));
    }
    ::close(ends[0]);
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(seen == "Operation not permitted\nmemfd_create: Operation not permitted");
}

TEST_CASE("The doctor says whether there is a scheduler, and whether it can be used", "[doctor]")
{
    const TemporaryFolder folder;
    const WithVariable path("PATH", folder.path().string());
    const auto scheduler_with_job = [](const char* nodes, const char* tasks) {
        const WithVariable job("SLURM_JOB_ID", "42");
        const WithVariable list("SLURM_JOB_NODELIST", nodes);
        const WithVariable each("SLURM_TASKS_PER_NODE", tasks);
        return judge_scheduler();
    };
    const auto scheduler_without_job = [] {
        const WithVariable job("SLURM_JOB_ID", std::nullopt);
        const WithVariable list("SLURM_JOB_NODELIST", std::nullopt);
        return judge_scheduler();
    };
    CHECK(scheduler_without_job().text == "no scheduler found; hosts come from -H or --hostfile");
    const Finding unusable = scheduler_with_job("a,b", "2(x2)");
    CHECK(unusable.level == Severity::failure);
    CHECK(unusable.text == "Slurm: inside an allocation of 2 hosts, but srun is not in PATH");
    CHECK_THAT(unusable.remedy, Catch::Contains("--launcher ssh"));

    std::filesystem::permissions(folder.write("srun", "#!/bin/sh\n"), std::filesystem::perms::owner_all);
    const Finding outside = scheduler_without_job();
    CHECK(outside.level == Severity::good);
    CHECK_THAT(outside.text, Catch::StartsWith("Slurm is installed; this is not inside an allocation"));
    const Finding inside = scheduler_with_job("a", "2");
    CHECK(inside.level == Severity::good);
    CHECK(inside.text == "Slurm: inside an allocation of 1 host");
    CHECK(inside.check == "scheduler");
}
