// What ranks on several hosts see of each other and of their launcher.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

TEST_CASE("ranks on several hosts exchange contacts, however they are split")
{
    const std::vector<std::vector<int>> splits = {{1},    {1, 1},       {2, 2},   {3, 1},
                                                  {1, 3}, {1, 1, 1, 1}, {2, 1, 4}};
    for (const std::vector<int>& split : splits) {
        int ranks = 0;
        for (const int count : split) {
            ranks += count;
        }
        Words expected;
        int rank = 0;
        for (const int count : split) {
            for (int local = 0; local < count; ++local) {
                expected.push_back("pmix rank " + std::to_string(rank++) + " of " + std::to_string(ranks) +
                                   ", " + std::to_string(count) + " local");
            }
        }
        const Result result = tuttirun(on_hosts(split, {program("bootstrap_actions"), "exchange"}));
        CHECK(result.status == 0);
        CHECK(result.err == "");
        CHECK(sorted(lines_of(result.out)) == sorted(expected));
    }
}

TEST_CASE("ranks are told where they and the others are, and the job's key")
{
    const Result result = tuttirun(on_hosts({2, 1}, {program("pmix_calls"), "describe"}));
    CHECK(result.status == 0);
    const Words lines = sorted(lines_of(result.out));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].starts_with("rank 0: node 0 of 2, peers 0,1, all h0:0 h0:1 h1:0, key "));
    CHECK(lines[1].starts_with("rank 1: node 0 of 2, peers 0,1, all h0:0 h0:1 h1:0, key "));
    CHECK(lines[2].starts_with("rank 2: node 1 of 2, peers 2, all h0:0 h0:1 h1:0, key "));
    std::set<std::string> keys;
    for (const std::string& line : lines) {
        keys.insert(line.substr(line.rfind(' ') + 1));
    }
    CHECK(keys.size() == 1);
    CHECK(keys.begin()->size() == 64);
}

TEST_CASE("hosts have names as long as the kernel allows, and numbers as long in them")
{
    // 64 characters with the host's number, which on_hosts() adds: letters only, and with a number beyond an
    // int.
    for (const std::string& name :
         Words{std::string(63, 'p'), std::string(50, 'p'), "pod-" + std::string(59, 'x'), "n12345678901"}) {
        const Result result = tuttirun(on_hosts({1, 1}, {program("pmix_calls"), "describe"}, "plain", name));
        CHECK(result.status == 0);
        CHECK(result.err == "");
        const Words lines = sorted(lines_of(result.out));
        REQUIRE(lines.size() == 2);
        CHECK(contains(lines[1], "rank 1: node 1 of 2, peers 1, all " + name + "0:0 " + name + "1:0, key "));
    }
}

TEST_CASE("hosts without ranks take part in nothing else")
{
    const Result result = tuttirun(
        on_hosts({3, 2, 2}, {"--map-by", "slot", "-n", "2", program("bootstrap_actions"), "exchange"}));
    CHECK(result.status == 0);
    CHECK(lines_of(result.out).size() == 2);
}

TEST_CASE("fences of all and of some ranks bring their data over hosts")
{
    for (const std::vector<int>& split : {std::vector<int>{1, 2, 1}, {3, 2}}) {
        const Result result = tuttirun(on_hosts(split, {program("pmix_calls"), "fences"}));
        CHECK(result.status == 0);
        CHECK(result.err == "");
    }
}

TEST_CASE("values that are published late reach those who wait for them on other hosts")
{
    const Result result = tuttirun(on_hosts({1, 2, 1}, {program("pmix_calls"), "late"}));
    CHECK(result.status == 0);
    CHECK(result.err == "");
}

TEST_CASE("a rank that dies in a fence ends the job on all hosts")
{
    const Result result = tuttirun(on_hosts({2, 1}, {program("pmix_calls"), "dead-in-fence"}));
    CHECK(result.status == 9);
    REQUIRE(launcher_lines(result).size() == 1);
    CHECK(contains(result.err, "rank 2 (pid "));
    CHECK(contains(result.err, ", on h1) exited with status 9; ending the job"));
    CHECK(result.seconds < kSoonSeconds);
}

TEST_CASE("ranks that want to know are told of a rank's death")
{
    // They have the grace period to hear of it, which may be too short on a machine that others keep busy.
    bool all_were_informed = false;
    for (int attempt = 0; attempt < 10 && !all_were_informed; ++attempt) {
        const Result result = tuttirun(on_hosts({2, 2}, {program("pmix_calls"), "death"}));
        CHECK(result.status == 128 + SIGKILL);
        all_were_informed =
            sorted(lines_of(result.out)) ==
            Words{"rank 0 was told of rank 3", "rank 1 was told of rank 3", "rank 2 was told of rank 3"};
    }
    CHECK(all_were_informed);
}

TEST_CASE("an abort on one host ends the ranks of the others")
{
    const Result result =
        tuttirun(on_hosts({1, 1, 2}, {program("bootstrap_actions"), "abort", "3", "5", "enough"}));
    CHECK(result.status == 5);
    CHECK(contains(result.err, ", on h2) called abort with status 5: enough; ending the job"));
    CHECK(result.seconds < kSoonSeconds);
    CHECK(tuttirun(on_hosts({1, 2}, {program("bootstrap_actions"), "fetch-from-dead", "1"})).status == 1);
}

TEST_CASE("a failure on any host ends the job with its status")
{
    for (const int failing : {0, 3}) {
        const Result result = tuttirun(on_hosts({1, 2, 1}, shell("[ $PMIX_RANK = " + std::to_string(failing) +
                                                                 " ] && exit 3; sleep 1000 & sleep 1000")));
        CHECK(result.status == 3);
        CHECK(launcher_lines(result).size() == 1);
        CHECK(contains(result.err, "tuttirun: rank " + std::to_string(failing) + " (pid "));
        CHECK(result.seconds < kSoonSeconds);
    }
    const Result missing = tuttirun(on_hosts({1, 1}, {"./no-such-program"}));
    CHECK(missing.status == 127);
    CHECK(contains(missing.err, "could not be started: cannot run ./no-such-program"));
}

TEST_CASE("time-outs and signals reach all hosts")
{
    const Result late = tuttirun(on_hosts({1, 1}, {"--timeout", "0.5", "sleep", "1000"}));
    CHECK(late.status == 124);
    Launched ended(tuttirun_command(on_hosts({1, 2}, shell(kReadyForEver))));
    REQUIRE(ended.wait_for_output(readies(3)));
    ended.signal(SIGTERM);
    CHECK(ended.wait().status == 128 + SIGTERM);
    Launched reported(tuttirun_command(
        on_hosts({1, 1}, shell("trap 'echo got; exit 0' USR1; echo ready; while :; do sleep 0.02; done"))));
    REQUIRE(reported.wait_for_output(readies(2)));
    reported.signal(SIGUSR1);
    const Result result = reported.wait();
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) == Words{"got", "got", "ready", "ready"});
}

TEST_CASE("standard input goes to the ranks that read it, wherever they are")
{
    std::string text;
    for (int line = 0; line < 100'000; ++line) {
        text += "line " + std::to_string(line) + "\n";
    }
    const Result one = tuttirun(on_hosts({1, 2}, {"--stdin", "2", "cat"}), text);
    CHECK(one.status == 0);
    CHECK(one.out == text);
    const Result all = tuttirun(on_hosts({1, 2}, {"--stdin", "all", "sh", "-c", "cat | wc -l"}), text);
    CHECK(all.status == 0);
    CHECK(all.out == "100000\n100000\n100000\n");
}

TEST_CASE("much output of several hosts stays whole lines")
{
    const Result result =
        tuttirun(on_hosts({2, 1}, shell("yes \"rank $PMIX_RANK says so\" | head -n 100000")));
    CHECK(result.status == 0);
    std::map<std::string, int> seen;
    for (const std::string& line : lines_of(result.out)) {
        ++seen[line];
    }
    CHECK(seen == std::map<std::string, int>{
                      {"rank 0 says so", 100'000}, {"rank 1 says so", 100'000}, {"rank 2 says so", 100'000}});
}

TEST_CASE("ranks on other hosts get the user's environment, but not what belongs to the user's host")
{
    ::setenv("SHARED_VARIABLE", "ours", 1);
    ::setenv("XDG_SESSION_ID", "ours", 1);
    const Result result =
        tuttirun(on_hosts({1},
                          {"-x", "GIVEN=by hand", "sh", "-c",
                           "echo $HOME, $SHARED_VARIABLE, $HOST_VARIABLE, $GIVEN, $XDG_SESSION_ID, $(pwd)"},
                          "bare"));
    ::unsetenv("SHARED_VARIABLE");
    ::unsetenv("XDG_SESSION_ID");
    CHECK(result.status == 0);
    std::array<char, 4096> here{};
    REQUIRE(::getcwd(here.data(), here.size()) != nullptr);
    CHECK(result.out == std::string("/home/of-h0, ours, its, by hand, , ") + here.data() + "\n");
}
