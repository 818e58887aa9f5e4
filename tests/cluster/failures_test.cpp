// What goes wrong between hosts ends the job within the bound, names who and where, and leaves nothing behind
// (Hosts checks that). Tests that wait until silence is noticed are a part of their own, [silence].
#include <signal.h>

#include <chrono>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"

using namespace tutti::test;

namespace {

/// Two ranks a host that exchange messages for longer than any test takes.
std::vector<std::string> long_job()
{
    return job("a:2,b:2", "soak", {"--seconds", "1000"});
}

/// Returns when all ranks of long_job() have joined it and exchange messages: the launcher is in the
/// background.
void wait_until_busy()
{
    Hosts::wait_for_processes("a", "api_soak --seconds", 2);
    Hosts::wait_for_processes("b", "api_soak --seconds", 2);
    Hosts::shell("a",
                 "for i in $(seq 500); do ss -Htn state established | grep -q . && exit 0; sleep 0.02; done; "
                 "exit 1");
}

}  // namespace

TEST_CASE_METHOD(Hosts, "a link that is cut in silence ends the job on both sides", "[silence]")
{
    const std::string lost = GENERATE("a", "b");  // the head's side, too
    CAPTURE(lost);
    Launched launched(tuttirun_command(long_job()), std::chrono::seconds(60));
    wait_until_busy();
    cut(lost);
    check_cut_ends(launched);
}

TEST_CASE_METHOD(Hosts, "a rank that is killed on another host ends the job at once", "[failures]")
{
    const std::string how = GENERATE("recv", "barrier");
    const Result result = tuttirun(job("a:2,b:2", "killed", {how}));
    CHECK(result.status == 128 + SIGKILL);
    CHECK(contains(result.err, "rank 3 (pid "));
    CHECK(contains(result.err, "on b) was killed by signal 9"));
    CHECK(lines_of(result.err).size() == 1);
    CHECK(result.seconds < 2 * kSoonSeconds);
}

TEST_CASE_METHOD(Hosts, "a rank that throws on another host ends the job with its words", "[failures]")
{
    std::vector<std::string> arguments = job("a:1,b:2", "progress", {"throw"});
    const Result result = tuttirun(arguments);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "rank 2 (pid "));
    CHECK(contains(result.err, "on b"));
    CHECK(contains(result.err, "rank 2 has had enough"));
    CHECK(result.seconds < 2 * kSoonSeconds);
}

TEST_CASE_METHOD(Hosts, "a wait for ranks of another host that have left says so", "[failures]")
{
    const std::string fabric = GENERATE("tcp", "ofi");
    const std::string waits_in = GENERATE("recv_any", "recv");
    CAPTURE(fabric, waits_in);
    std::vector<std::string> arguments = job("a:2,b:2", "leaves", {waits_in, "1"});
    arguments.insert(arguments.begin(), {"--fabric", fabric});
    const Result result = tuttirun(arguments);
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK((contains(result.err, "rank 3: it has left the job") ||
           contains(result.err, "nothing more comes from rank 3 of the job: it")));
    CHECK(contains(result.err, " left the job"));
    CHECK(result.seconds < kBoundSeconds);
}

TEST_CASE_METHOD(Hosts, "a daemon that is killed ends the job, and its ranks with it", "[failures]")
{
    Launched launched(tuttirun_command(long_job()), std::chrono::seconds(60));
    wait_until_busy();
    // The first is the watchdog, the other its daemon.
    ::kill(processes("b", "tuttirun --daemon").at(1), SIGKILL);
    const Result result = launched.wait();
    CHECK(result.status == 1);
    CAPTURE(result.err);
    CHECK(contains(result.err, "lost the daemon on b (10.77.0.2): "));
    CHECK(contains(result.err, "; with it its ranks 2, 3"));
    CHECK(result.seconds < kBoundSeconds);
}

TEST_CASE_METHOD(Hosts, "a daemon that is stopped is lost, though its host lives", "[silence]")
{
    std::vector<std::string> arguments = long_job();
    arguments.insert(arguments.begin(), {"--daemon-timeout", "2"});
    Launched launched(tuttirun_command(arguments), std::chrono::seconds(60));
    wait_until_busy();
    const pid_t daemon = processes("b", "tuttirun --daemon").at(1);  // behind its watchdog
    ::kill(daemon, SIGSTOP);
    const Result result = launched.wait();
    ::kill(daemon, SIGCONT);  // it finds that nobody is there any more, and ends its ranks
    CHECK(result.status == 1);
    CAPTURE(result.err);
    CHECK(contains(result.err,
                   "lost the daemon on b (10.77.0.2): it has not answered for 2 s (--daemon-timeout)"));
    CHECK(contains(result.err, "; with it its ranks 2, 3"));
    CHECK(result.seconds < kBoundSeconds);
    wait_for_processes("b", "api_soak", 0);
}

TEST_CASE_METHOD(Hosts, "a head that is stopped for a while takes nobody for lost", "[silence]")
{
    std::vector<std::string> arguments = job("a:1,b:1", "soak", {"--seconds", "6"});
    arguments.insert(arguments.begin(), {"--daemon-timeout", "4"});
    // Below a shell: whoever leads onto the host stops with what it runs there, and would have to be
    // continued.
    std::vector<std::string> command = {"sh", "-c", "\"$@\" & wait $!", "sh"};
    for (const std::string& word : tutti::test::tuttirun_command(arguments))
        command.push_back(word);
    Launched launched(on("a", command), std::chrono::seconds(60));
    wait_for_processes("b", "api_soak --seconds", 1);
    const pid_t head = processes("a", "tuttirun --daemon-timeout").at(1);  // behind the shell
    ::kill(head, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(5));
    ::kill(head, SIGCONT);
    const Result result = launched.wait();
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.out, "MB checked"));
}

TEST_CASE_METHOD(Hosts, "a host that dies ends the job", "[failures]")
{
    Launched launched(tuttirun_command(long_job()), std::chrono::seconds(60));
    wait_until_busy();
    kill("b");
    const auto start = std::chrono::steady_clock::now();
    const Result result = launched.wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CHECK(result.status == 1);
    CAPTURE(result.err);
    CHECK(contains(result.err, "lost the daemon on b (10.77.0.2): "));
    CHECK(contains(result.err, "; with it its ranks 2, 3"));
    CHECK(seconds < kBoundSeconds);
}

TEST_CASE_METHOD(Hosts, "a job outlives the ssh session that started its daemon", "[failures]")
{
    Launched launched(tuttirun_command(job("a:2,b:2", "soak", {"--seconds", "3"})), std::chrono::seconds(60));
    wait_until_busy();
    for (const pid_t session : wait_for_processes("b", "sshd: root@notty", 1))
        ::kill(session, SIGKILL);
    const Result result = launched.wait();
    CHECK(result.status == 0);
    CHECK(contains(result.out, "MB checked"));
}

TEST_CASE_METHOD(Hosts, "nothing outlives the head on any host, whatever ends it", "[failures]")
{
    const int signal = GENERATE(SIGKILL, SIGTERM, SIGINT);
    CAPTURE(signal);
    Launched launched(tuttirun_command(long_job()), std::chrono::seconds(60));
    wait_until_busy();
    // The first that was started; daemons are called otherwise.
    const std::vector<pid_t> heads = processes("a", "tuttirun --host");
    REQUIRE(!heads.empty());
    ::kill(heads.front(), signal);
    const Result result = launched.wait();
    CHECK(result.status == 128 + signal);
    wait_for_processes("b", "api_soak", 0);
    CHECK(result.seconds < 4 * kSoonSeconds);
}

TEST_CASE_METHOD(Hosts, "a job that takes too long is ended on all hosts", "[failures]")
{
    const Result result = tuttirun({"--timeout", "2", "--host", "a:1,b:1", "sleep", "1000"});
    CHECK(result.status == 124);
    CHECK(contains(result.err, "did not end within 2 s"));
    CHECK(result.seconds < 2 + 2 * kSoonSeconds);
}

TEST_CASE_METHOD(Hosts, "statuses, output and input of ranks on other hosts", "[failures]")
{
    const Result status =
        tuttirun({"--host", "a:1,b:2", "sh", "-c", "[ $PMIX_RANK = 2 ] && exit 7; sleep 1000"});
    CHECK(status.status == 7);
    CHECK(contains(status.err, "rank 2 (pid "));
    CHECK(contains(status.err, "on b) exited with status 7"));

    const Result names = tuttirun({"--host", "a:1,b:1,c:1", "-l", "cat", "/proc/sys/kernel/hostname"});
    check_quiet_success(names);
    CHECK(sorted(lines_of(names.out)) == std::vector<std::string>{"0: a", "1: b", "2: c"});

    Launched launched(tuttirun_command({"--host", "b:1,c:1", "-l", "cat"}), std::chrono::seconds(60));
    std::string input;
    for (int i = 0; i < 20'000; ++i)
        input += "line " + std::to_string(i) + "\n";
    launched.write(input);
    const Result echoed = launched.wait();
    check_quiet_success(echoed);
    const std::vector<std::string> lines = lines_of(echoed.out);
    REQUIRE(lines.size() == 20'000);
    CHECK(lines.front() == "0: line 0");
    CHECK(lines.back() == "0: line 19999");

    const Result missing = tuttirun({"--host", "a:1,b:1", "/no/such/program"});
    CHECK(missing.status == 127);
    CHECK(contains(missing.err, "/no/such/program: No such file or directory"));
}

TEST_CASE_METHOD(Hosts, "a rank that is stopped before it has met the others is named, and then met",
                 "[silence]")
{
    const std::string reported =
        "tutti: rank 0 waits for rank 1 on host b: the process that took the connection says nothing at "
        "10.77.0.2 "
        "(eth0) from 10.77.0.1 (eth0)";
    Launched launched(tuttirun_command({"--host", "a:1,b:1", "sh", "-c",
                                        "[ $PMIX_RANK = 1 ] || sleep 3; exec " +
                                            shell_quoted(program("api_messages")) + " 2>&1"}),
                      std::chrono::seconds(60));
    const pid_t late = wait_for_processes("b", "api_messages", 1).front();
    shell("b", "for i in $(seq 500); do ss -Hltn | grep -qv ':22 ' && exit 0; sleep 0.005; done; exit 1");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // it has handed out its address by then
    ::kill(late, SIGSTOP);
    CHECK((launched.wait_for_output(reported) || launched.wait_for_output(reported)));  // each waits 10 s
    ::kill(late, SIGCONT);
    const Result result = launched.wait();
    CAPTURE(result.out, result.err);
    CHECK(result.status == 0);
    CHECK(lines_of(result.out).size() == 1);
    CHECK(result.err.empty());
}
