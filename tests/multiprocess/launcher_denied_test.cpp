// Where the kernel denies system calls, as a container's filter does: tuttirun does without.
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>

#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

namespace {

/// tuttirun with these arguments, to which `call` is denied.
Words denied(long call, int error_number, const Words& arguments)
{
    Words command{program("denied"), std::to_string(call), std::to_string(error_number)};
    const Words rest = tuttirun_command(arguments);
    command.insert(command.end(), rest.begin(), rest.end());
    return command;
}

}  // namespace

TEST_CASE("where nobody may ask for an affinity mask, jobs start and end all the same")
{
    if (kSanitized) {
        return;  // the sanitizer asks for it
    }
    for (const int error_number : {EPERM, ENOSYS}) {
        const auto ends_well = [&](const Words& arguments) {
            const Result result = Launched(denied(SYS_sched_getaffinity, error_number, arguments)).wait();
            CHECK(result.status == 0);
            CHECK(result.err == "");
            CHECK(lines_of(result.out).size() == 2);
        };
        ends_well({"-n", "2", program("bootstrap_actions"), "exchange"});
        ends_well(on_hosts({1, 1}, {program("bootstrap_actions"), "exchange"}));

        Launched job(denied(SYS_sched_getaffinity, error_number, {"-n", "1", "sh", "-c", kReadyForEver}));
        REQUIRE(job.wait_for_output("ready\n"));
        job.signal(SIGTERM);
        CHECK(job.wait().status == 128 + SIGTERM);
    }
}

TEST_CASE("a mask that nobody may ask for is kept all the same")
{
    if (kSanitized) {
        return;  // likewise
    }
    Words command = denied(SYS_sched_getaffinity, EPERM, {"--report-bindings", "-n", "1", "true"});
    command.insert(command.begin(), {"taskset", "-c", "0"});
    const Result result = Launched(command).wait();
    CHECK(result.status == 0);
    CHECK(contains(result.err, "(cpus 0)"));
}

TEST_CASE("where the kernel has no descriptors of processes, jobs end as anywhere")
{
    const auto words = [](const std::string& text) {
        return denied(SYS_pidfd_open, ENOSYS, {"-n", "2", "sh", "-c", text});
    };
    CHECK(Launched(words("setsid sleep 1000 & exit 0")).wait().status == 0);
    const Result result = Launched(words("[ $PMIX_RANK = 1 ] && exit 3; sleep 1000")).wait();
    CHECK(result.status == 3);
    CHECK(result.seconds < kSoonSeconds);
}
