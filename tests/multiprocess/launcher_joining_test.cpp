// Ranks that join late, leave while nobody listens, or never join.
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

namespace {

/// `before` in the shell, then rank by rank the contacts of all others.
Words exchange_after(const std::string& before)
{
    return shell(before + "; exec " + shell_quoted(program("bootstrap_actions")) + " exchange");
}

Words on_one_host(int ranks, const Words& rest)
{
    Words words{"-n", std::to_string(ranks)};
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
}

constexpr const char* kAbsence =
    ") exited with status 0 before it joined the job, which other ranks have joined";

/// The daemon of the head's own host.
pid_t own_daemon(const Launched& job)
{
    for (const pid_t pid : job.processes()) {
        if (file_text("/proc/" + std::to_string(pid) + "/comm") == "tuttirun-daemon\n") {
            return pid;
        }
    }
    return -1;
}

}  // namespace

TEST_CASE("a rank that joins seconds after the others is waited for")
{
    const Words late = exchange_after("[ $PMIX_RANK != 1 ] || sleep 3");
    CHECK(tuttirun(on_one_host(3, late)).status == 0);
    CHECK(tuttirun(on_hosts({1, 2}, late)).status == 0);
}

TEST_CASE("who waits long for a rank to join says for whom")
{
    const Result result = tuttirun(on_one_host(2, exchange_after("[ $PMIX_RANK != 1 ] || sleep 6")));
    CHECK(result.status == 0);
    CHECK(contains(result.err, "tutti: rank 0 waits for rank 1 on "));
    CHECK(contains(result.err, ", which has not joined the job in 5 s\n"));
    CHECK(lines_of(result.err).size() == 1);
}

TEST_CASE("a rank that ends well and never joined ends the job that others have joined")
{
    const Words first_leaves = exchange_after("[ $PMIX_RANK != 0 ] || exit 0");
    const Words last_leaves = exchange_after("[ $PMIX_RANK != 2 ] || { sleep 0.5; exit 0; }");
    for (const Words& words : {on_one_host(3, first_leaves), on_one_host(3, last_leaves),
                               on_hosts({1, 2}, first_leaves), on_hosts({2, 1}, last_leaves)}) {
        const Result result = tuttirun(words);
        CHECK(result.status == 1);
        CHECK(contains(result.err, kAbsence));
        CHECK(launcher_lines(result).size() == 1);
    }
}

TEST_CASE("programs that know nothing of jobs end as they like")
{
    CHECK(tuttirun(on_one_host(3, shell("sleep 0.$PMIX_RANK"))).status == 0);
    CHECK(tuttirun(on_hosts({1, 2}, shell("exit 0"))).status == 0);
}

TEST_CASE("a rank that has closed the launcher's descriptors is reached by PMIx")
{
    // The number of its control channel stands first in the variable.
    const Words closing = exchange_after(
        "[ $PMIX_RANK != 1 ] || exec bash -c \"exec ${TUTTI_CONTROL%%:*}>&-; exec \\\"\\$0\\\" "
        "exchange\" " +
        shell_quoted(program("bootstrap_actions")));
    CHECK(tuttirun(on_one_host(3, closing)).status == 0);
    CHECK(tuttirun(on_hosts({2, 1}, closing)).status == 0);
}

TEST_CASE("ranks of another launcher's job below a rank do not take its channel for theirs")
{
    const Result result = tuttirun(on_one_host(
        2, shell("exec \"$TUTTIRUN\" -n 2 " + shell_quoted(program("bootstrap_actions")) + " exchange")));
    CHECK(result.status == 0);
    CHECK(result.err == "");
    CHECK(lines_of(result.out).size() == 4);
}

TEST_CASE("ranks that leave while their daemon is stopped have left")
{
    Launched job(tuttirun_command(on_one_host(
        3, shell("echo up; sleep 1; exec " + shell_quoted(program("bootstrap_actions")) + " finalize"))));
    REQUIRE(job.wait_for_output("up\nup\nup\n"));
    const pid_t daemon = own_daemon(job);
    REQUIRE(daemon > 0);
    ::kill(daemon, SIGSTOP);
    ::sleep(5);
    ::kill(daemon, SIGCONT);
    const Result result = job.wait();
    CHECK(result.status == 0);
    CHECK(result.err == "");
}
