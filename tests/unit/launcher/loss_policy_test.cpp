// What the loss of a rank or a daemon means for the job.
#include "launcher/head/loss_policy.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include <catch2/catch.hpp>

using namespace tutti::launcher;
using LossAction = Verdict::Action;
using LossState = LossPolicy::JobState;

namespace {

constexpr const char* kAbsent =
    "rank 2 (pid 70, on a) exited with status 0 before it joined the job, which other ranks have joined: "
    "they "
    "would wait for it for ever; let all ranks run the program, or give fewer of them (-n); ending the job";

ExitReport exit_of(int rank, int wait_status, bool joined, bool left)
{
    return {rank, 70, wait_status, joined, left, {}};
}

void check_end(const Verdict& verdict, int exit_status, const std::string& line)
{
    CHECK(verdict.action == LossAction::end_job);
    CHECK(verdict.exit_status == exit_status);
    CHECK(verdict.line == line);
}

}  // namespace

TEST_CASE("A rank that ends badly ends the job with its status", "[loss]")
{
    LossPolicy policy(1);
    check_end(policy.rank_exited(exit_of(3, SIGKILL, true, false), "a"), 137,
              "rank 3 (pid 70, on a) was killed by signal 9 (Killed); ending the job");
    check_end(
        policy.rank_exited(exit_of(3, SIGSEGV | WCOREFLAG, true, true), "a"), 139,
        "rank 3 (pid 70, on a) was killed by signal 11 (Segmentation fault, core dumped); ending the job");
    check_end(policy.rank_exited(exit_of(0, W_EXITCODE(5, 0), false, false), "b"), 5,
              "rank 0 (pid 70, on b) exited with status 5; ending the job");
    check_end(policy.rank_exited(exit_of(1, 0, true, false), "a"), 1,
              "rank 1 (pid 70, on a) exited with status 0 without calling finalize; ending the job");
    check_end(policy.rank_exited({1, 70, 0, true, false, "MPI_Finalize"}, "a"), 1,
              "rank 1 (pid 70, on a) exited with status 0 without calling MPI_Finalize; ending the job");
}

TEST_CASE("Ranks that end well end nothing", "[loss]")
{
    LossPolicy policy(1);
    CHECK(policy.rank_exited(exit_of(0, 0, true, true), "a").action == LossAction::nothing);
    CHECK(policy.rank_joined().action == LossAction::nothing);
    CHECK(policy.rank_exited(exit_of(1, 0, true, true), "a").action == LossAction::nothing);
}

TEST_CASE("A rank that never joins ends the job once others have joined, and no earlier", "[loss]")
{
    LossPolicy before(1);
    CHECK(before.rank_exited(exit_of(2, 0, false, false), "a").action == LossAction::nothing);
    CHECK(before.rank_exited(exit_of(3, 0, false, false), "a").action == LossAction::nothing);
    check_end(before.rank_joined(), 1, kAbsent);

    LossPolicy after(1);
    CHECK(after.rank_joined().action == LossAction::nothing);
    check_end(after.rank_exited(exit_of(2, 0, false, false), "a"), 1, kAbsent);
}

TEST_CASE("An abort ends the job with its status", "[loss]")
{
    LossPolicy policy(1);
    check_end(policy.rank_aborted({1, 70, 7, "out of paper", {}}, "a"), 7,
              "rank 1 (pid 70, on a) called abort with status 7: out of paper; ending the job");
    check_end(policy.rank_aborted({1, 70, 0, "", {}}, "a"), 0,
              "rank 1 (pid 70, on a) called abort with status 0; ending the job");
    CHECK(policy.rank_aborted({1, 70, 256, "", {}}, "a").exit_status == 1);
    CHECK(policy.rank_aborted({1, 70, -1, "", {}}, "a").exit_status == 255);
}

TEST_CASE("A rank that cannot be started gives the status that shells give", "[loss]")
{
    LossPolicy policy(1);
    check_end(
        policy.rank_not_started(0, "a", ENOENT, "cannot run ./x"), 127,
        "rank 0 (on a) could not be started: cannot run ./x: No such file or directory; ending the job");
    CHECK(policy.rank_not_started(0, "a", ENOTDIR, "").exit_status == 127);
    CHECK(policy.rank_not_started(0, "a", EACCES, "").exit_status == 126);
    check_end(policy.rank_not_started(4, "b", 0, "no PMIx server"), 1,
              "rank 4 (on b) could not be started: no PMIx server; ending the job");
}

TEST_CASE("Daemons that do not come or are told to end, end the job", "[loss]")
{
    LossPolicy policy(2);
    check_end(policy.daemons_not_started("cannot start tuttirun on b"), 1, "cannot start tuttirun on b");
    check_end(policy.daemon_must_end("b", SIGTERM), 143,
              "the daemon on b got signal 15 (Terminated); ending the job");
}

TEST_CASE("The first loss of a daemon ends the job, and later ones are its consequences", "[loss]")
{
    const std::vector<int> ranks = {2, 3};
    LossPolicy policy(2);
    check_end(policy.daemons_lost("lost the daemon on b: gone", ranks, LossState::running), 1,
              "lost the daemon on b: gone; with it its ranks 2, 3; ending the job");
    CHECK(policy.daemons_lost("lost the daemon on a: gone", ranks, LossState::ending).action ==
          LossAction::nothing);

    LossPolicy one(2);
    check_end(one.daemons_lost("lost b", std::vector{4}, LossState::running), 1,
              "lost b; with it its rank 4; ending the job");
    LossPolicy none(2);
    check_end(none.daemons_lost("lost b", {}, LossState::running), 1, "lost b; ending the job");
}

TEST_CASE("The first loss of a daemon is reported while the job ends, but not on one host", "[loss]")
{
    for (const LossState state : {LossState::ending, LossState::exited}) {
        LossPolicy policy(2);
        const Verdict verdict = policy.daemons_lost("lost b", {}, state);
        CHECK(verdict.action == LossAction::report);
        CHECK(verdict.exit_status == 1);
        CHECK(verdict.line == "lost b");
    }
    LossPolicy alone(1);
    CHECK(alone.daemons_lost("lost a", {}, LossState::ending).action == LossAction::nothing);
    CHECK(LossPolicy(1).daemons_lost("lost a", {}, LossState::exited).action == LossAction::report);
}
