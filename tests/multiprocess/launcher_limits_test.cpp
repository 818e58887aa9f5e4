// Hosts that lack something: jobs run, or one line names what is missing and the remedy.
#include <signal.h>

#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

namespace {

/// A command of the shell with tuttirun and `arguments` as its "$@".
Words wrapped(const std::string& text, const Words& arguments)
{
    Words command{"sh", "-c", text, "sh"};
    const Words rest = tuttirun_command(arguments);
    command.insert(command.end(), rest.begin(), rest.end());
    return command;
}

bool runs(const Words& command)
{
    return Launched(command).wait().status == 0;
}

}  // namespace

TEST_CASE("where too few open files are allowed, the limit is named and no rank starts in vain")
{
    const Words job = {program("bootstrap_actions"), "exchange"};
    int failures = 0;
    for (const int ranks : {1, 4, 16}) {
        for (const int limit : {8, 12, 16, 24, 32, 40, 64}) {
            if (kSanitized && limit < 64) {
                continue;  // the sanitizer opens files of its own
            }
            CAPTURE(ranks, limit);
            Words arguments{"-n", std::to_string(ranks)};
            arguments.insert(arguments.end(), job.begin(), job.end());
            const Result result =
                Launched(wrapped("ulimit -n " + std::to_string(limit) + "; exec \"$@\"", arguments)).wait();
            CAPTURE(result.err);
            if (result.status == 0) {
                CHECK(lines_of(result.out).size() == static_cast<std::size_t>(ranks));
                CHECK(result.err == "");
                continue;
            }
            ++failures;
            CHECK(result.out == "");
            CHECK(lines_of(result.err).size() == 1);
            CHECK(contains(result.err, "(ulimit -Hn)"));
        }
    }
    CHECK(failures >= (kSanitized ? 1 : 9));  // however many the launcher's own are
}

TEST_CASE("commands that start daemons and get no open files are not blamed")
{
    const Result result = Launched(wrapped("ulimit -n 10; exec \"$@\"", on_hosts({1, 1}, {"true"}))).wait();
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "ulimit -Hn"));
    CHECK_FALSE(contains(result.err, "install"));
}

TEST_CASE("under a low limit of stacks jobs run, are ended, and have that limit")
{
    for (const int kib : {64, 128}) {
        const auto run = [&](const Words& words) {
            return Launched(wrapped("ulimit -s " + std::to_string(kib) + "; exec \"$@\"", words)).wait();
        };
        const Result result = run({"-n", "2", program("bootstrap_actions"), "exchange"});
        CAPTURE(kib, result.err);
        if (!kSanitized) {  // sanitizers' ranks take more
            CHECK(result.status == 0);
            CHECK(result.err == "");
            CHECK(lines_of(result.out).size() == 2);
        }
        const Result limits = run({"-n", "2", "sh", "-c", "ulimit -s"});
        CHECK(limits.status == 0);
        CHECK(limits.out == fmt::format("{0}\n{0}\n", kib));
        CHECK(run(on_hosts({1, 1}, {"true"})).status == 0);

        Launched job(wrapped("ulimit -s " + std::to_string(kib) + "; exec \"$@\"",
                             {"-n", "1", "sh", "-c", kReadyForEver}));
        REQUIRE(job.wait_for_output("ready\n"));
        job.signal(SIGTERM);
        CHECK(job.wait().status == 128 + SIGTERM);
    }
}

TEST_CASE("where the loopback interface is down it is named")
{
    if (!runs({"unshare", "-rn", "true"})) {
        WARN("no network namespaces here");
        return;
    }
    for (const int ranks : {1, 2, 4}) {
        const Words words{"-n", std::to_string(ranks), program("bootstrap_actions"), "exchange"};
        const Result down = Launched(wrapped("exec unshare -rn \"$@\"", words)).wait();
        CHECK(down.status == 1);
        REQUIRE(lines_of(down.err).size() == 1);
        CHECK(contains(down.err, "the loopback interface is down"));
        CHECK(contains(down.err, "ip link set lo up"));
    }
    const Words hosts = on_hosts({1, 1}, {"true"});
    const Result several = Launched(wrapped("exec unshare -rn \"$@\"", hosts)).wait();
    CHECK(several.status == 1);
    REQUIRE(lines_of(several.err).size() == 1);
    CHECK(contains(several.err, "no network interface of this host is up"));
}

TEST_CASE("without /proc jobs start and end, and what cannot work is named")
{
    const std::string without_proc =
        "exec unshare -rm sh -c 'mount -t tmpfs none /proc; exec \"$@\"' sh \"$@\"";
    if (!runs(wrapped(without_proc, {"--version"}))) {
        WARN("no mount namespaces here");
        return;
    }
    const Result result = Launched(wrapped(without_proc, script(2, "sleep 1000 & echo done"))).wait();
    CHECK(result.status == 0);
    CHECK(result.err == "");
    CHECK(result.out == "done\ndone\n");
    const Result hosts = Launched(wrapped(without_proc, on_hosts({1, 1}, {"true"}))).wait();
    CHECK(hosts.status == 1);
    CHECK(contains(hosts.err, "--prefix"));
}

TEST_CASE("a watchdog that is killed before the ranks start does not disturb the job")
{
    Words words = on_hosts({1}, shell("echo done"), "waits");
    words[1] = "localhost:2,h:1";
    Launched job(tuttirun_command(words));
    // The other host's daemon waits, and so do all ranks.
    pid_t watchdog = -1;
    while (watchdog < 0) {
        for (const pid_t pid : job.processes()) {
            if (file_text("/proc/" + std::to_string(pid) + "/comm") == "tuttirun-watch\n") {
                watchdog = pid;
            }
        }
    }
    ::kill(watchdog, SIGKILL);
    std::ofstream(job.temporary_directory() + "/go").put('\n');
    const Result result = job.wait();
    CHECK(result.status == 0);
    CHECK(result.err == "");
    CHECK(result.out == "done\ndone\ndone\n");
}
