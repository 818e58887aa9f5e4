// Where the kernel denies system calls, as a container's filter does: tuttirun does without, or says so at
// once.
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>

#include <string>
#include <utility>

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

TEST_CASE("where nobody may bind processes, jobs run unbound, unless they ask for binding")
{
    const auto run = [](const Words& arguments) {
        return Launched(denied(SYS_sched_setaffinity, EPERM, arguments)).wait();
    };
    const Result silent = run({"-n", "2", "echo", "here"});
    CHECK(silent.status == 0);
    CHECK(silent.out == "here\nhere\n");
    CHECK(silent.err == "");
    // Two cores and two ranks: each has one by default. With fewer nobody is bound anyway.
    const bool binds = contains(tuttirun({"--report-bindings", "-n", "2", "true"}).err, "bound to core");
    CHECK(contains(run({"-v", "-n", "2", "true"}).err,
                   "rank 1 is not bound to processors: the kernel says Operation not permitted") == binds);

    for (const Words& asked : {Words{"--bind-to", "core"}, Words{"--map-by", "slot:PE=1"}}) {
        Words arguments = asked;
        arguments.insert(arguments.end(), {"-n", "1", "echo", "here"});
        const Result refused = run(arguments);
        CHECK(refused.status == 126);
        CHECK(refused.out == "");
        CHECK(contains(refused.err,
                       "cannot bind it to its processors (--bind-to none starts it unbound): "
                       "Operation not permitted"));
    }
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

TEST_CASE("calls that nothing can be done without are named at once")
{
    if (kSanitized) {
        return;  // likewise
    }
    const std::pair<long, const char*> calls[] = {
        {SYS_accept4, "accept4"},   {SYS_epoll_ctl, "epoll_ctl"},
        {SYS_exit, "exit"},         {SYS_getppid, "getppid"},
        {SYS_kill, "kill"},         {SYS_listen, "listen"},
        {SYS_pselect6, "pselect6"}, {SYS_rt_sigprocmask, "rt_sigprocmask"},
        {SYS_wait4, "wait4"},       {SYS_write, "write"}};
    for (const auto& [call, name] : calls)
        for (const int error_number : {EPERM, ENOSYS}) {
            const Result result = Launched(denied(call, error_number, {"-n", "2", "echo", "here"})).wait();
            CHECK(result.status == 1);
            CHECK(result.out == "");
            CHECK(result.err ==
                  std::string("tuttirun: this system denies calls that cannot be done without: ") + name +
                      "; a filter (seccomp), of a container or a service, has to allow them\n");
            CHECK(result.seconds < kSoonSeconds);
        }
}

TEST_CASE("ranks do without calls of libpmix, and end where they can tell nobody of their messages")
{
    if (kSanitized) {
        return;  // likewise
    }
    const auto run = [](long call) {
        return tuttirun({"-n", "2", program("denied"), std::to_string(call), std::to_string(EPERM),
                         program("bootstrap_actions"), "exchange"});
    };
    for (const long call : {SYS_epoll_ctl, SYS_epoll_wait}) {
        const Result result = run(call);
        CHECK(result.status == 0);
        CHECK(result.err == "");
        CHECK(lines_of(result.out).size() == 2);
    }
    const Result mute = run(SYS_write);
    CHECK(mute.status != 0);
    CHECK(contains(mute.err, "tutti: this system denies calls that cannot be done without: write;"));
    CHECK(mute.seconds < kSoonSeconds);
}
