// Daemons that die, are none of the job's, or are many.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

namespace {

pid_t parent_of(pid_t pid)
{
    const std::string stat = file_text("/proc/" + std::to_string(pid) + "/stat");
    std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    char state = 0;
    pid_t parent = 0;
    rest >> state >> parent;
    return parent;
}

/// Daemons that a process has started, each by way of its watchdog; those of other hosts where that is the
/// head.
std::vector<pid_t> daemons_below(pid_t parent, const Launched& job)
{
    std::vector<pid_t> found;
    for (const pid_t pid : job.processes()) {
        const std::string folder = "/proc/" + std::to_string(pid);
        if (contains(file_text(folder + "/cmdline"), std::string("\0--daemon\0", 10)) &&
            file_text(folder + "/comm") == "tuttirun-daemon\n" && parent_of(parent_of(pid)) == parent) {
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

}  // namespace

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
        trapped="$TMPDIR/trapped" stopped="$TMPDIR/stopped" ending="$TMPDIR/ending"
        wait_for() { while [ ! -e "$1" ]; do sleep 0.02; done; rm "$1"; }
        case $PMIX_RANK in
        0) wait_for "$trapped"; wait_for "$stopped"; exit 3;;
        1) trap ': > "$ending"; exit' TERM; : > "$trapped"; while :; do sleep 0.02; done;;
        2) read word; kill -STOP $PPID; : > "$stopped"; wait_for "$ending"; kill -KILL $PPID; sleep 1000;;
        esac)";
    const Result result = tuttirun(on_hosts({2, 1}, {"--stdin", "2", "sh", "-c", actions}), "go\n");
    CHECK(result.status == 3);
    const Words lines = launcher_lines(result);
    REQUIRE(lines.size() == 2);
    CHECK(contains(lines[0], ", on h0) exited with status 3; ending the job"));
    CHECK(lines[1].starts_with("tuttirun: lost the daemon on h1 "));
    CHECK(lines[1].ends_with("; with it its rank 2"));
}

TEST_CASE("a lost daemon is not blamed on a warning of the agent's; a cause comes before warnings")
{
    const Words dies = shell("[ $PMIX_RANK = 0 ] || kill -KILL $PPID; sleep 1000");
    const Result warned = tuttirun(on_hosts({1, 1}, dies, "warns"));
    CAPTURE(warned.err);
    CHECK(warned.status == 1);
    CHECK(contains(warned.err, "tuttirun: lost the daemon on h"));
    CHECK(contains(warned.err,
                   "/agent gave no reason, only warnings: srun: warning: can't honor it; with it its rank"));
    const Result reported = tuttirun(on_hosts({1, 1}, dies, "warns-and-tells"));
    CAPTURE(reported.err);
    CHECK(contains(reported.err,
                   "/agent said: srun: error: the node fails\nand, as a warning: srun: warning: can't "
                   "honor it; with it its rank"));
}

TEST_CASE("a daemon that is told to end ends the job, also where its ranks take that well")
{
    const Words ends_daemon = shell("trap 'exit 0' TERM; kill -TERM $PPID; sleep 1000 & wait");
    for (const Words& job : {script(1, ends_daemon.back()), on_hosts({1, 1}, ends_daemon)}) {
        const Result result = tuttirun(job);
        CHECK(result.status == 128 + SIGTERM);
        REQUIRE(launcher_lines(result).size() == 1);
        CHECK(contains(result.err, " got signal 15 (Terminated); ending the job\n"));
    }
}

TEST_CASE("a daemon that is told to end before there are ranks ends the job")
{
    // That of h1 comes after that of h0 was told.
    Launched job(tuttirun_command(on_hosts({1, 1}, shell("echo never"), "gate-h1")));
    std::vector<pid_t> daemons;
    for (int tries = 0; daemons.empty() && tries < 1000; ++tries) {
        ::usleep(10'000);
        daemons = daemons_below(job.pid(), job);
    }
    REQUIRE(daemons.size() == 1);
    ::kill(daemons.front(), SIGTERM);
    const std::string gate = job.temporary_directory() + "/go";
    std::ofstream(gate).flush();
    const Result result = job.wait();
    std::filesystem::remove(gate);
    CHECK(result.status == 128 + SIGTERM);
    CHECK(result.out == "");
    REQUIRE(launcher_lines(result).size() == 1);
    CHECK(contains(result.err, "tuttirun: the daemon on h0 got signal 15 (Terminated); ending the job\n"));
}

TEST_CASE("a daemon elsewhere that does not answer is not waited for when the user ends the job")
{
    Launched job(tuttirun_command(on_hosts({1, 1}, shell(kReadyForEver))));
    REQUIRE(job.wait_for_output(readies(2)));
    const std::vector<pid_t> daemons = daemons_below(job.pid(), job);
    REQUIRE(daemons.size() == 2);
    ::kill(daemons[0], SIGSTOP);
    const auto start = std::chrono::steady_clock::now();
    job.signal(SIGINT);
    const Result result = job.wait();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    ::kill(daemons[0], SIGCONT);  // it finds that nobody is there any more
    CHECK(result.status == 128 + SIGINT);
    CHECK(seconds.count() < 2 * kSoonSeconds);
    REQUIRE(launcher_lines(result).size() == 3);
    CHECK(contains(result.err, "ranks still run"));
    CHECK(contains(result.err, "lost the daemon on h"));
    CHECK(contains(result.err, "it has not answered for 2 s (after the job was to end)"));
}

TEST_CASE("outsiders at the head's port do no harm, and are mentioned once")
{
    const Result result = tuttirun(on_hosts({1, 1}, {program("bootstrap_actions"), "exchange"}, "outsiders"));
    CHECK(result.status == 0);
    CHECK(lines_of(result.out).size() == 2);
    REQUIRE(launcher_lines(result).size() == 1);
    CHECK(contains(result.err,
                   "a connection from 127.0.0.1 was refused at the port for daemons: it does not speak "
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
        tuttirun_command(on_tree(shell("[ $PMIX_RANK = 0 ] && echo $PPID > \"$TMPDIR\"/daemon; echo ready; "
                                       "sleep 1000 & sleep 1000; echo never"))));
    REQUIRE(job.wait_for_output(readies(34)));
    const pid_t middle = std::stoi(file_text(job.temporary_directory() + "/daemon"));
    std::filesystem::remove(job.temporary_directory() + "/daemon");
    CHECK(daemons_below(middle, job).size() == 2);
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
