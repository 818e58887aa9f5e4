// Ranks that use their bootstrap: under tuttirun, under Open MPI's mpirun, and alone.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

namespace {

std::vector<std::string> actions(int ranks, const std::vector<std::string>& words)
{
    std::vector<std::string> command{"-n", std::to_string(ranks), program("bootstrap_actions")};
    command.insert(command.end(), words.begin(), words.end());
    return command;
}

std::vector<std::string> expected_lines(const std::string& name, int ranks)
{
    std::vector<std::string> lines;
    for (int rank = 0; rank < ranks; ++rank) {
        lines.push_back(name + " rank " + std::to_string(rank) + " of " + std::to_string(ranks) + ", " +
                        std::to_string(ranks) + " local");
    }
    return sorted(lines);
}

}  // namespace

TEST_CASE("ranks exchange contacts")
{
    for (const int ranks : {1, 2, 3, 4, 7, 16}) {
        const Result result = tuttirun(actions(ranks, {"exchange"}));
        CHECK(result.status == 0);
        CHECK(result.err == "");
        CHECK(sorted(lines_of(result.out)) == expected_lines("pmix", ranks));
    }
}

TEST_CASE("ranks of several programs are one job")
{
    const Result result = tuttirun({"-n", "2", program("bootstrap_actions"), "exchange", ":", "-n", "1",
                                    program("bootstrap_actions"), "exchange"});
    CHECK(result.status == 0);
    CHECK(sorted(lines_of(result.out)) == expected_lines("pmix", 3));
}

TEST_CASE("waiting for a contact costs no CPU time")
{
    const Result result = tuttirun(actions(2, {"wait"}));
    CHECK(result.status == 0);
    int microseconds = -1;
    CHECK(std::sscanf(result.out.c_str(), "%d us", &microseconds) == 1);
    CHECK(microseconds >= 0);
    CHECK(microseconds < 50'000);  // of 500,000 that it waits
}

TEST_CASE("abort ends the job with its status and message")
{
    const Result result = tuttirun(actions(4, {"abort", "2", "5", "no more \"fuel\""}));
    CHECK(result.status == 5);
    // The shells have words of their own for being ended.
    const std::vector<std::string> lines = lines_of(result.err);
    CHECK(std::count_if(lines.begin(), lines.end(),
                        [](const std::string& line) { return line.starts_with("tuttirun: "); }) == 1);
    CHECK(contains(result.err, "rank 2 (pid "));
    CHECK(contains(result.err, "called abort with status 5: no more \"fuel\""));
    CHECK(result.seconds < kSoonSeconds);
    CHECK(tuttirun(actions(2, {"abort", "0", "0", ""})).status == 0);
    CHECK(tuttirun(actions(2, {"abort", "1", "256", "x"})).status == 1);
}

TEST_CASE("a rank that leaves without finalize ends the job")
{
    for (const int status : {0, 7}) {
        const Result result = tuttirun(actions(3, {"leave", "1", std::to_string(status)}));
        CHECK(result.status == (status == 0 ? 1 : status));
        CHECK(contains(result.err, "rank 1 (pid "));
        CHECK(contains(result.err, status == 0 ? "exited with status 0 without calling finalize"
                                               : "exited with status 7"));
        CHECK(result.seconds < kSoonSeconds);
    }
    const Result named = tuttirun(actions(2, {"leave", "1", "0", "MPI_Finalize"}));
    CHECK(named.status == 1);
    CHECK(contains(named.err, "exited with status 0 without calling MPI_Finalize; ending the job\n"));
}

TEST_CASE("a rank that waits for a contact of a dead one does not wait for ever")
{
    const Result result = tuttirun(actions(3, {"fetch-from-dead", "1"}));
    CHECK(result.status != 0);
    CHECK(result.seconds < kSoonSeconds);
}

TEST_CASE("many ranks that do nothing but come and go")
{
    const Result result = tuttirun(actions(64, {"finalize"}));
    CHECK(result.status == 0);
    CHECK(result.err == "");
}

TEST_CASE("started alone it is a job of one")
{
    Launched alone({program("bootstrap_actions"), "exchange"});
    const Result result = alone.wait();
    CHECK(result.status == 0);
    CHECK(result.out == "singleton rank 0 of 1, 1 local\n");
}

TEST_CASE("several processes started without PMIx are an error, not several jobs of one")
{
    for (const std::string variables : {"SLURM_STEP_ID=0 SLURM_NTASKS=4 SLURM_PROCID=1",
                                        "PMI_SIZE=2 PMI_RANK=0", "OMPI_COMM_WORLD_SIZE=2"}) {
        Launched launched(
            {"sh", "-c", variables + " " + shell_quoted(program("bootstrap_actions")) + " exchange"});
        const Result result = launched.wait();
        CHECK(result.status == 4);
        CHECK(contains(result.err, "without PMIx"));
    }
    Launched one_task({"sh", "-c",
                       "SLURM_STEP_ID=0 SLURM_NTASKS=1 SLURM_PROCID=0 " +
                           shell_quoted(program("bootstrap_actions")) + " exchange"});
    CHECK(one_task.wait().status == 0);
}

TEST_CASE("the same program under Open MPI's mpirun")
{
    if (::access("/usr/bin/mpirun.openmpi", X_OK) != 0) {
        WARN("mpirun.openmpi is not installed");
        return;
    }
    for (const int ranks : {1, 4}) {
        std::vector<std::string> command{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"};
        const std::vector<std::string> rest = actions(ranks, {"exchange"});
        command.insert(command.end(), rest.begin(), rest.end());
        Launched mpirun(command);
        const Result result = mpirun.wait();
        CHECK(result.status == 0);
        CHECK(sorted(lines_of(result.out)) == expected_lines("pmix", ranks));
    }
}
