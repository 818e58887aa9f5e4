// Jobs over several hosts, all of which are this machine: daemons are started by a script that stands for
// ssh.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

namespace {

using Words = std::vector<std::string>;

/// "-H h0:2,h1:1 --launch-agent ..." for the numbers of ranks on each host, then `rest`. Names begin with
/// `name`.
Words on_hosts(const std::vector<int>& split, const Words& rest, const std::string& mode = "plain",
               const std::string& name = "h")
{
    std::string hosts;
    for (std::size_t i = 0; i < split.size(); ++i) {
        hosts += (i > 0 ? "," : "") + name + std::to_string(i) + ":" + std::to_string(split[i]);
    }
    const char* const folder = std::getenv("TUTTI_TEST_AGENTS");
    Words words{"-H", hosts, "--launch-agent",
                std::string(folder != nullptr ? folder : ".") + "/agent " + mode};
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
}

Words shell(const std::string& text)
{
    return {"sh", "-c", text};
}

Words launcher_lines(const Result& result)
{
    Words lines = lines_of(result.err);
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("tuttirun: "); });
    return lines;
}

pid_t parent_of(pid_t pid)
{
    const std::string stat = file_text("/proc/" + std::to_string(pid) + "/stat");
    std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    char state = 0;
    pid_t parent = 0;
    rest >> state >> parent;
    return parent;
}

/// Daemons that a process has started; those of other hosts where that is the head. A daemon's watchdog
/// counts, too.
std::vector<pid_t> daemons_below(pid_t parent, const Launched& job)
{
    std::vector<pid_t> found;
    for (const pid_t pid : job.processes()) {
        const std::string command = file_text("/proc/" + std::to_string(pid) + "/cmdline");
        if (contains(command, std::string("\0--daemon\0", 10)) && parent_of(pid) == parent) {
            found.push_back(pid);
        }
    }
    return found;
}

/// So many hosts that they form a tree: the first 32 are started by the head, the others by the first. They
/// are called 127.0.1.0 and so on: a name server may be too slow to be asked for so many names.
Words on_tree(const Words& rest)
{
    return on_hosts(std::vector<int>(34, 1), rest, "plain", "127.0.1.");
}

const char* const kReadyForEver = "echo ready; sleep 1000 & sleep 1000; echo never";

std::string readies(int ranks)
{
    std::string all;
    for (int rank = 0; rank < ranks; ++rank) {
        all += "ready\n";
    }
    return all;
}

}  // namespace

TEST_CASE("ranks on several hosts exchange cards, however they are split")
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
    bool all_were_told = false;
    for (int attempt = 0; attempt < 10 && !all_were_told; ++attempt) {
        const Result result = tuttirun(on_hosts({2, 2}, {program("pmix_calls"), "death"}));
        CHECK(result.status == 128 + SIGKILL);
        all_were_told =
            sorted(lines_of(result.out)) ==
            Words{"rank 0 was told of rank 3", "rank 1 was told of rank 3", "rank 2 was told of rank 3"};
    }
    CHECK(all_were_told);
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
    Launched told(tuttirun_command(
        on_hosts({1, 1}, shell("trap 'echo got; exit 0' USR1; echo ready; while :; do sleep 0.02; done"))));
    REQUIRE(told.wait_for_output(readies(2)));
    told.signal(SIGUSR1);
    const Result result = told.wait();
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

TEST_CASE("nothing is left however head and daemons are killed")
{
    for (const std::string victim : {"one daemon", "all daemons", "head", "all"}) {
        Launched job(tuttirun_command(on_hosts({1, 2, 1}, shell(kReadyForEver))));
        REQUIRE(job.wait_for_output(readies(4)));
        std::vector<pid_t> daemons = daemons_below(job.pid(), job);
        CHECK(daemons.size() == 3);
        if (victim == "one daemon") {
            daemons.resize(1);
        }
        if (victim == "head" || victim == "all") {
            ::kill(job.pid(), SIGKILL);
        }
        for (const pid_t daemon : victim == "head" ? std::vector<pid_t>() : daemons) {
            ::kill(daemon, SIGKILL);
        }
        const Result result = job.wait();
        const bool head_killed = victim == "head" || victim == "all";
        CHECK(result.status == (head_killed ? 128 + SIGKILL : 1));
        if (!head_killed) {
            REQUIRE(launcher_lines(result).size() == 1);
            CHECK(contains(result.err, "tuttirun: lost the daemon on h"));
            CHECK(contains(result.err, "; with it its rank"));
            CHECK(contains(result.err, "; ending the job"));
        }
    }
}

TEST_CASE("a daemon that is lost while the job ends is named, too")
{
    // Rank 0 fails while the daemon of rank 2 stands still, which has started it by the time that it passes
    // input on; rank 1 shows that the head has ended the job, and the daemon goes.
    const std::string actions = R"(
        trapped=$TMPDIR/trapped stopped=$TMPDIR/stopped ending=$TMPDIR/ending
        wait_for() { while [ ! -e $1 ]; do sleep 0.02; done; rm $1; }
        case $PMIX_RANK in
        0) wait_for $trapped; wait_for $stopped; exit 3;;
        1) trap ': > $ending; exit' TERM; : > $trapped; while :; do sleep 0.02; done;;
        2) read word; kill -STOP $PPID; : > $stopped; wait_for $ending; kill -KILL $PPID; sleep 1000;;
        esac)";
    const Result result = tuttirun(on_hosts({2, 1}, {"--stdin", "2", "sh", "-c", actions}), "go\n");
    CHECK(result.status == 3);
    const Words lines = launcher_lines(result);
    REQUIRE(lines.size() == 2);
    CHECK(contains(lines[0], ", on h0) exited with status 3; ending the job"));
    CHECK(lines[1].starts_with("tuttirun: lost the daemon on h1 "));
    CHECK(lines[1].ends_with("; with it its rank 2"));
}

TEST_CASE("strangers at the head's port do no harm, and are mentioned once")
{
    const Result result = tuttirun(on_hosts({1, 1}, {program("bootstrap_actions"), "exchange"}, "strangers"));
    CHECK(result.status == 0);
    CHECK(lines_of(result.out).size() == 2);
    REQUIRE(launcher_lines(result).size() == 1);
    CHECK(contains(result.err,
                   "a stranger from 127.0.0.1 was refused at the port for daemons: it does not speak "
                   "Tutti's protocol"));
}

TEST_CASE("a daemon that does not know the job's key is not let in, and that is said")
{
    const Result result = tuttirun(on_hosts({1, 1}, {"true"}, "other-key"));
    CHECK(result.status == 1);
    CHECK(contains(result.err, "cannot start tuttirun on h"));
    CHECK(contains(result.err, "it belongs to another job"));
}

TEST_CASE("what a daemon says while it ends is passed on")
{
    const Result result = tuttirun(on_hosts({1, 1}, {"true"}, "no-room"));
    CHECK(result.status == 1);
    REQUIRE(launcher_lines(result).size() == 1);
    CHECK(contains(result.err, "tuttirun: lost the daemon on h"));
    CHECK(contains(result.err, "cannot create /nonexistent/tuttirun-"));
    CHECK(contains(result.err, "set TMPDIR"));
}

TEST_CASE("a daemon of another version of Tutti is refused by name")
{
    const Result result = tuttirun(on_hosts({1, 1}, {"true"}, "other-version"));
    CHECK(result.status == 1);
    const Words lines = launcher_lines(result);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with("tuttirun: h"));
    CHECK(contains(lines[0], " has Tutti 0.0.9, this is "));
    CHECK(contains(lines[0], "install the same version on all hosts"));
}

TEST_CASE("a daemon on a machine of another architecture is refused by name")
{
    const Result result = tuttirun(on_hosts({1, 1}, {"true"}, "other-machine"));
    CHECK(result.status == 1);
    const Words lines = launcher_lines(result);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with("tuttirun: h"));
    CHECK(contains(lines[0], ") is a machine of another kind (vax, this is "));
    CHECK(lines[0].ends_with("): all hosts of a job need the same"));
}

TEST_CASE("a daemon that gets no record says so")
{
    const Result result = tuttirun(on_hosts({1}, {"true"}, "garbage"));
    CHECK(result.status == 1);
    CHECK(contains(result.err, "tuttirun --daemon on "));
    CHECK(contains(result.err, "is no record for a daemon"));
}

TEST_CASE("many hosts form a tree, and work and end like few")
{
    const Result result = tuttirun(on_tree({program("bootstrap_actions"), "exchange"}));
    CHECK(result.status == 0);
    CHECK(lines_of(result.out).size() == 34);
    const Result failure = tuttirun(on_tree(shell("[ $PMIX_RANK = 33 ] && exit 6; sleep 1000")));
    CHECK(failure.status == 6);
    CHECK(contains(failure.err, ", on 127.0.1.33) exited with status 6"));
}

TEST_CASE("a daemon in the middle of the tree that is killed takes those below it along, and all ends")
{
    Launched job(
        tuttirun_command(on_tree(shell("[ $PMIX_RANK = 0 ] && echo $PPID > $TMPDIR/daemon; echo ready; "
                                       "sleep 1000 & sleep 1000; echo never"))));
    REQUIRE(job.wait_for_output(readies(34)));
    const pid_t middle = std::stoi(file_text(job.temporary_directory() + "/daemon"));
    std::filesystem::remove(job.temporary_directory() + "/daemon");
    CHECK(daemons_below(middle, job).size() == 3);  // of two hosts, and its watchdog
    const auto start = std::chrono::steady_clock::now();
    ::kill(middle, SIGKILL);
    const Result result = job.wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK(seconds < 10 + kSoonSeconds);
    REQUIRE(launcher_lines(result).size() == 1);
    CHECK(contains(result.err, "tuttirun: lost the daemon on 127.0.1.0 ("));
    CHECK(contains(result.err, "; with it its ranks 0, 32, 33; ending the job"));
}
