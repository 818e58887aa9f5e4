// How jobs end: exit statuses, the one line that says why, and that nothing is left (Launched checks that).
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

namespace {

/// Ranks that would go on for ever, with children of their own in the same process group. None is started behind
/// "ready": a shell blocks signals while it does that, and its child would miss one.
const char* const kForever = "sleep 1000 & sleep 1000 & echo ready; wait; echo never";

std::vector<std::string> shell_command(const std::string& text)
{
    return {"sh", "-c", text};
}

/// The one process of the job that calls itself so.
pid_t named(const Launched& job, const std::string& name)
{
    for (const pid_t pid : job.processes()) {
        if (file_text("/proc/" + std::to_string(pid) + "/comm") == name + "\n") {
            return pid;
        }
    }
    throw std::runtime_error("there is no " + name);
}

/// All ranks say "ready".
void wait_until_ready(Launched& job, int ranks)
{
    std::string all;
    for (int rank = 0; rank < ranks; ++rank) {
        all += "ready\n";
    }
    REQUIRE(job.wait_for_output(all));
}

}  // namespace

TEST_CASE("a job in which all goes well ends with 0 and says nothing of its own")
{
    for (const int ranks : {1, 2, 3, 4, 7, 16}) {
        const Result result = tuttirun(script(ranks, "echo $PMIX_RANK"));
        CHECK(result.status == 0);
        CHECK(result.err == "");
        CHECK(lines_of(result.out).size() == static_cast<std::size_t>(ranks));
    }
}

TEST_CASE("the status of the first rank that fails is tuttirun's, and ends the job at once")
{
    for (const int ranks : {1, 2, 3, 7}) {
        const Result result = tuttirun(script(
            ranks, "if [ $PMIX_RANK = " + std::to_string(ranks - 1) + " ]; then exit 3; fi; sleep 1000"));
        CHECK(result.status == 3);
        CHECK(lines_of(result.err).size() == 1);
        CHECK(contains(result.err, "tuttirun: rank " + std::to_string(ranks - 1) + " (pid "));
        CHECK(contains(result.err, "exited with status 3; ending the job\n"));
        CHECK(result.seconds < kSoonSeconds);
    }
}

TEST_CASE("a rank that is killed ends the job with 128 and the signal's number")
{
    for (const int signal : {SIGKILL, SIGSEGV, SIGABRT, SIGTERM}) {
        const Result result = tuttirun(
            script(4, "if [ $PMIX_RANK = 2 ]; then kill -" + std::to_string(signal) + " $$; fi; sleep 1000"));
        CHECK(result.status == 128 + signal);
        CHECK(contains(result.err, "rank 2 (pid "));
        CHECK(contains(result.err, "was killed by signal " + std::to_string(signal) + " ("));
        CHECK(result.seconds < kSoonSeconds);
    }
}

TEST_CASE("only the first failure is reported")
{
    const Result result = tuttirun(script(7,
                                          "trap 'exit 9' TERM; [ $PMIX_RANK = 3 ] && exit 5; while :; do "
                                          "sleep 0.02; done"));
    CHECK(result.status == 5);
    // The shells have words of their own for being ended.
    const std::vector<std::string> lines = lines_of(result.err);
    CHECK(std::count_if(lines.begin(), lines.end(),
                        [](const std::string& line) { return line.starts_with("tuttirun: "); }) == 1);
}

TEST_CASE("ranks that ignore the polite signals are killed after the grace period")
{
    const Result result = tuttirun(script(3,
                                          "trap '' TERM INT HUP; [ $PMIX_RANK = 0 ] && exit 1; while :; do "
                                          "sleep 0.05; done"));
    CHECK(result.status == 1);
    CHECK(result.seconds < kSoonSeconds);
}

TEST_CASE("a stopped rank ends with the job")
{
    const Result result =
        tuttirun(script(2, "if [ $PMIX_RANK = 1 ]; then sleep 0.1; exit 4; fi; kill -STOP $$"));
    CHECK(result.status == 4);
    CHECK(result.seconds < kSoonSeconds);
}

TEST_CASE("a rank's child that goes on does not keep the job from its end")
{
    const Result result = tuttirun(script(2, "sleep 1000 & echo done"));
    CHECK(result.status == 0);
    CHECK(result.out == "done\ndone\n");
    CHECK(result.seconds < kSoonSeconds);
}

TEST_CASE("children that left the process group end with the job, however it ends")
{
    // One that was left by its parent, one with a parent of its own, one that knows nothing of the job by its
    // environment; they ignore what is not SIGKILL where that is asked for.
    const std::string children = R"(
        setsid sleep 1000 &
        setsid sh -c "$trap sleep 1000 & setsid sleep 1000; echo never" &
        env -i TUTTI_TEST_MARK=$TUTTI_TEST_MARK PATH="$PATH" setsid sh -c 'sleep 1000; echo never' &
        sleep 0.3; echo ready; )";
    for (const std::string trap : {"", "trap '' TERM;"}) {
        const std::string begin = "trap=\"" + trap + "\";" + children;
        Launched good(tuttirun_command(script(2, begin)));
        const Result success = good.wait();
        CHECK(success.status == 0);
        CHECK(success.err == "");
        CHECK(success.seconds < kSoonSeconds);
        CHECK(good.processes().empty());

        Launched bad(tuttirun_command(script(2, begin + "[ $PMIX_RANK = 1 ] && exit 3; sleep 1000")));
        const Result failure = bad.wait();
        CHECK(failure.status == 3);
        CHECK(failure.seconds < kSoonSeconds);
        CHECK(bad.processes().empty());

        std::vector<std::string> cases{"daemon"};
        if (trap.empty()) {
            cases.insert(cases.end(), {"head", "daemon, watchdog", "head, watchdog"});
        }
        for (const std::string& victims : cases) {
            CAPTURE(trap, victims);
            Launched job(tuttirun_command(script(2, begin + "sleep 1000")));
            wait_until_ready(job, 2);
            // Before one can clean up after the other.
            const pid_t watchdog = named(job, "tuttirun-watch");
            const pid_t daemon = named(job, "tuttirun-daemon");
            if (contains(victims, "watchdog")) {
                ::kill(watchdog, SIGKILL);
            }
            if (contains(victims, "daemon")) {
                ::kill(daemon, SIGKILL);
            }
            if (contains(victims, "head")) {
                ::kill(job.pid(), SIGKILL);
            }
            CHECK(job.wait().status == (contains(victims, "head") ? 128 + SIGKILL : 1));
        }
    }
}

TEST_CASE("a watchdog that is killed does not disturb the job")
{
    Launched job(
        tuttirun_command({"--stdin", "all", "-n", "2", "sh", "-c", "echo ready; read word; echo done"}));
    wait_until_ready(job, 2);
    ::kill(named(job, "tuttirun-watch"), SIGKILL);
    job.end_input();
    const Result result = job.wait();
    CHECK(result.status == 0);
    CHECK(result.err == "");
    CHECK(lines_of(result.out).size() == 4);
}

TEST_CASE("programs that cannot be started are named with the reason")
{
    const Result missing = tuttirun({"-n", "2", "./no-such-program"});
    CHECK(missing.status == 127);
    CHECK(contains(missing.err, "rank 0 (on "));
    CHECK(contains(missing.err, "./no-such-program: No such file or directory"));

    const Result not_in_path = tuttirun({"-n", "2", "no-such-program"});
    CHECK(not_in_path.status == 127);
    CHECK(contains(not_in_path.err, "PATH"));

    const Result no_program = tuttirun({"-n", "2", "/etc/passwd"});
    CHECK(no_program.status == 126);
    CHECK(contains(no_program.err, "Permission denied"));

    const Result directory = tuttirun({"-n", "2", "/tmp"});
    CHECK(directory.status == 126);

    const Result second = tuttirun({"-n", "2", "sleep", "1000", ":", "-n", "1", "./no-such-program"});
    CHECK(second.status == 127);
    CHECK(contains(second.err, "rank 2 (on "));
    CHECK(second.seconds < kSoonSeconds);
}

TEST_CASE("signals to tuttirun end the job")
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        Launched job(tuttirun_command(script(3, kForever)));
        wait_until_ready(job, 3);
        job.signal(signal);
        const Result result = job.wait();
        CHECK(result.status == 128 + signal);
        CHECK(contains(result.err, "signal " + std::to_string(signal)));
        CHECK(result.seconds < kSoonSeconds);
        CHECK(job.processes().empty());
    }
}

TEST_CASE("after the user's signal ranks have time to write what they have")
{
    for (const int signal : {SIGINT, SIGTERM}) {
        Launched job(tuttirun_command(
            script(2, "trap 'sleep 0.8; echo written; exit 0' INT TERM; echo ready; while :; do sleep 0.02; done")));
        wait_until_ready(job, 2);
        job.signal(signal);
        const Result result = job.wait();
        CHECK(result.status == 128 + signal);
        CHECK(sorted(lines_of(result.out)) ==
              std::vector<std::string>{"ready", "ready", "written", "written"});
    }
}

TEST_CASE("ranks that take the user's signal and go on end when their grace is over, or by a second signal")
{
    const std::string deaf = "trap 'echo got' TERM; echo ready; while :; do sleep 0.02; done";
    const auto start = [&deaf](const std::string& seconds) {
        return tuttirun_command({"--grace", seconds, "-n", "2", "sh", "-c", deaf});
    };
    Launched patient(start("1.2"));
    wait_until_ready(patient, 2);
    patient.signal(SIGTERM);
    const Result waited = patient.wait();
    CHECK(waited.status == 128 + SIGTERM);
    CHECK(contains(waited.err, "ranks still run; they are killed 1.2 s after that signal (--grace)"));
    CHECK(waited.seconds >= 1.2);

    Launched asked_twice(start("1000"));
    wait_until_ready(asked_twice, 2);
    asked_twice.signal(SIGTERM);
    REQUIRE(asked_twice.wait_for_output("got\ngot\n"));
    asked_twice.signal(SIGTERM);
    CHECK(asked_twice.wait().status == 128 + SIGTERM);
}

TEST_CASE("SIGTERM and SIGINT that are to be forwarded reach the ranks, and the job goes on")
{
    for (const int signal : {SIGINT, SIGTERM}) {
        Launched job(tuttirun_command(
            {"--forward-signals", "TERM,INT", "-n", "2", "sh", "-c",
             "trap 'echo got' INT TERM; echo ready; while [ ! -e \"$TMPDIR/go\" ]; do sleep 0.02; done; echo went"}));
        wait_until_ready(job, 2);
        job.signal(signal);
        REQUIRE(job.wait_for_output("ready\nready\ngot\ngot\n"));
        const std::filesystem::path go = job.temporary_directory() + "/go";
        std::ofstream{go};
        CHECK(job.wait().status == 0);
        std::filesystem::remove(go);
    }
}

TEST_CASE("a signal of a crash ends tuttirun as it ends any program, and its job with it")
{
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGTRAP, SIGALRM}) {
        for (const std::string options : {"", "--forward-signals USR2 "}) {
            Launched job(shell_command("ulimit -c 0; exec \"$TUTTIRUN\" " + options + "-n 2 sh -c '" +
                                       kForever + "'"));
            wait_until_ready(job, 2);
            job.signal(signal);
            const bool is_caught = kSanitized && (signal == SIGSEGV || signal == SIGBUS);  // and told
            CHECK(job.wait().status == (is_caught ? 1 : 128 + signal));
        }
    }
}

TEST_CASE("a signal of a crash that is to be forwarded reaches the ranks and not tuttirun")
{
    Launched job(
        tuttirun_command({"--forward-signals", "ALRM", "-n", "2", "sh", "-c",
                          "trap 'echo got; exit 0' ALRM; echo ready; while :; do sleep 0.02; done"}));
    wait_until_ready(job, 2);
    job.signal(SIGALRM);
    const Result result = job.wait();
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) == std::vector<std::string>{"got", "got", "ready", "ready"});
}

TEST_CASE("a daemon that does not answer does not keep the user from ending the job")
{
    for (const std::string way : {"once", "twice", "timeout"}) {
        CAPTURE(way);
        Launched job(tuttirun_command(
            {"--timeout", way == "timeout" ? "1" : "1000", "-n", "2", "sh", "-c", kForever}));
        wait_until_ready(job, 2);
        ::kill(named(job, "tuttirun-daemon"), SIGSTOP);
        const auto start = std::chrono::steady_clock::now();
        if (way != "timeout") {
            job.signal(SIGINT);
        }
        if (way == "twice") {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            job.signal(SIGINT);
        }
        const Result result = job.wait();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        CHECK(result.status == (way == "timeout" ? 124 : 128 + SIGINT));
        CHECK(seconds.count() < (way == "twice" ? 0.6 : 2.0) * kSoonSeconds);
        CHECK(job.processes().empty());
    }
}

TEST_CASE("nothing survives tuttirun and its daemon, however they are killed")
{
    for (const bool kill_head : {true, false}) {
        for (const bool kill_daemon : {true, false}) {
            Launched job(tuttirun_command(script(3, kForever)));
            wait_until_ready(job, 3);
            if (kill_head)
                ::kill(job.pid(), SIGSTOP);  // it cannot end by itself before it is killed
            if (kill_daemon) {
                ::kill(named(job, "tuttirun-daemon"), SIGKILL);
            }
            if (kill_head) {
                ::kill(job.pid(), SIGKILL);
            }
            if (!kill_head && !kill_daemon) {
                job.signal(SIGTERM);
            }
            const Result result = job.wait();
            CHECK(result.status == (kill_head ? 128 + SIGKILL : kill_daemon ? 1 : 128 + SIGTERM));
        }
    }
}

TEST_CASE("what is left in TMPDIR where all of a job is killed at once goes with the next job, and no more")
{
    const std::string kill_all = R"(
        parent() { ps -o ppid= -p $1; }
        watchdog=$(parent $PPID); head=$(parent $watchdog)
        kill -STOP $PPID; kill -KILL $watchdog $head $PPID)";
    Launched jobs(shell_command("\"$TUTTIRUN\" -n 1 sh -c '" + kill_all + R"('
        ls "$TMPDIR" | wc -l
        mkdir "$TMPDIR/tuttirun-session-of-mine"
        "$TUTTIRUN" -n 1 sh -c 'sleep 0.3; "$TUTTIRUN" -n 1 sleep 0.3; ls "$TMPDIR" | wc -l'
        rmdir "$TMPDIR/tuttirun-session-of-mine")"));
    // The second line counts what is no job's, and the directory of the job that writes it.
    CHECK(lines_of(jobs.wait().out) == std::vector<std::string>{"1", "2"});
}

TEST_CASE("a job that takes too long is ended")
{
    constexpr const char* kOver =
        "tuttirun: the job did not end within 0.3 s (--timeout or MPIEXEC_TIMEOUT); ending it\n";
    const Result result = tuttirun({"--timeout", "0.3", "-n", "2", "sleep", "1000"});
    CHECK(result.status == 124);
    CHECK(result.err == kOver);
    CHECK(result.seconds < kSoonSeconds);
    ::setenv("MPIEXEC_TIMEOUT", "0.3", 1);
    const Result by_variable = tuttirun({"-n", "2", "sleep", "1000"});
    ::unsetenv("MPIEXEC_TIMEOUT");
    CHECK(by_variable.status == 124);
    CHECK(by_variable.err == kOver);
    CHECK(tuttirun({"--timeout", "10", "-n", "2", "true"}).status == 0);
}

TEST_CASE("SIGUSR1 and those asked for reach the ranks")
{
    for (const int signal : {SIGUSR1, SIGUSR2, SIGWINCH}) {
        Launched job(
            tuttirun_command({"--forward-signals", "WINCH,USR2", "-n", "2", "sh", "-c",
                              "trap 'echo got; exit 0' USR1 USR2 WINCH; echo ready; while :; do sleep "
                              "0.02; done"}));
        wait_until_ready(job, 2);
        job.signal(signal);
        const Result result = job.wait();
        CHECK(result.status == 0);
        CHECK(sorted(lines_of(result.out)) == std::vector<std::string>{"got", "got", "ready", "ready"});
    }
}

TEST_CASE("Ctrl-Z stops the ranks and tuttirun, SIGCONT continues them")
{
    Launched job(tuttirun_command(script(2,
                                         "echo ready; while [ ! -e \"$TMPDIR/go\" ]; do sleep 0.02; done; "
                                         "rm -f \"$TMPDIR/go.$PMIX_RANK\"; echo went")));
    wait_until_ready(job, 2);
    const auto is_stopped = [](pid_t pid) {
        char state = '?';
        const std::string path = "/proc/" + std::to_string(pid) + "/stat";
        if (FILE* file = std::fopen(path.c_str(), "r")) {
            if (std::fscanf(file, "%*d (%*[^)]) %c", &state) != 1) {
                state = '?';
            }
            std::fclose(file);
        }
        return state == 'T';
    };
    const auto count_stopped = [&] {
        int count = 0;
        for (const pid_t pid : job.processes()) {
            count += is_stopped(pid) ? 1 : 0;
        }
        return count;
    };
    const auto wait_for = [](const auto& condition) {
        for (int i = 0; i < 300 && !condition(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return condition();
    };
    job.signal(SIGTSTP);
    CHECK(wait_for([&] { return is_stopped(job.pid()) && count_stopped() >= 3; }));
    job.signal(SIGCONT);
    CHECK(wait_for([&] { return count_stopped() == 0; }));
    job.signal(SIGTERM);
    CHECK(job.wait().status == 128 + SIGTERM);
}

TEST_CASE("a listener that has gone away ends the job quietly")
{
    Launched job(
        {"sh", "-c", "\"$TUTTIRUN\" -n 2 yes | head -n 1; \"$TUTTIRUN\" -n 2 echo unheard >&-; echo $?"});
    const Result result = job.wait();
    CHECK(result.err == "");
    CHECK(result.out == "y\n0\n");
}

TEST_CASE("tuttirun tells what it does when asked, and its errors in any case")
{
    CHECK(contains(tuttirun({"-v", "-n", "2", "true"}).err, "tuttirun: starting 2 ranks of true on "));
    CHECK(contains(tuttirun({"-v", "-v", "-n", "2", "true"}).err, "tuttirun: rank 1 (pid "));
    CHECK(contains(tuttirun({"-q", "-n", "2", "false"}).err, "exited with status 1"));
}
