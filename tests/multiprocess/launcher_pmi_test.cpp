// Ranks that another launcher starts by PMI-1: MPICH's Hydra.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

namespace {

constexpr const char* kHydra = "/usr/bin/mpiexec.hydra";

bool has_hydra()
{
    if (::access(kHydra, X_OK) == 0)
        return true;
    WARN("launcher: skipped: mpiexec.hydra is not installed (see scripts/install-dependencies --all-tests)");
    return false;
}

Result hydra(int ranks, std::vector<std::string> words)
{
    words.insert(words.begin(), {kHydra, "-n", std::to_string(ranks), program("bootstrap_actions")});
    return Launched(words).wait();
}

}  // namespace

TEST_CASE("ranks of Hydra exchange contacts")
{
    if (!has_hydra())
        return;
    for (const int ranks : {1, 3, 4}) {
        std::vector<std::string> expected;
        for (int rank = 0; rank < ranks; ++rank)
            expected.push_back("pmi rank " + std::to_string(rank) + " of " + std::to_string(ranks) + ", " +
                               std::to_string(ranks) + " local");
        const Result result = hydra(ranks, {"exchange"});
        CHECK(result.status == 0);
        CHECK(result.err == "");
        CHECK(sorted(lines_of(result.out)) == expected);
    }
}

TEST_CASE(
    "an abort ends a job of Hydra with its status and message, and a rank that leaves without a word ends it")
{
    if (!has_hydra())
        return;
    const Result aborted = hydra(4, {"abort", "2", "7", "an end"});
    CHECK(aborted.status == 7);
    CHECK(contains(aborted.err, "tutti: an end; ending the job with status 7\n"));
    const Result left = hydra(4, {"leave", "2", "5"});
    CHECK(left.status != 0);
    CHECK(left.seconds < kSoonSeconds);
}

TEST_CASE("jobs of Hydra that cannot meet are an error, not several jobs of one")
{
    if (!has_hydra())
        return;
    Launched by_port({kHydra, "-pmi-port", "-n", "2", program("bootstrap_actions"), "exchange"});
    const Result result = by_port.wait();
    CHECK(result.status == 4);
    CHECK(
        contains(result.err, "started this process with -pmi-port; leave this option out, or use tuttirun"));
}

TEST_CASE("Hydra's job within a rank of tuttirun is Hydra's, also where tuttirun serves PMI, too")
{
    if (!has_hydra())
        return;
    const std::string exchange = shell_quoted(program("bootstrap_actions")) + " exchange < /dev/null";
    for (const char* const library : {"auto", "own"}) {
        std::vector<std::string> words = script(1, std::string(kHydra) + " -n 2 " + exchange);
        words.insert(words.begin(), {"--mpi", library});
        const Result result = tuttirun(words);
        CHECK(result.status == 0);
        CHECK(sorted(lines_of(result.out)) ==
              std::vector<std::string>{"pmi rank 0 of 2, 2 local", "pmi rank 1 of 2, 2 local"});
    }
}

TEST_CASE("with --mpi own a program of Tutti's is a rank as ever, and without PMIx by PMI")
{
    const std::string exchange = shell_quoted(program("bootstrap_actions")) + " exchange";
    const auto names = [&](const std::string& before) {
        std::vector<std::string> words = script(3, before + exchange);
        words.insert(words.begin(), {"--mpi", "own"});
        const Result result = tuttirun(words);
        CHECK(result.status == 0);
        CHECK(result.err == "");
        return sorted(lines_of(result.out));
    };
    CHECK(names("") == std::vector<std::string>{"pmix rank 0 of 3, 3 local", "pmix rank 1 of 3, 3 local",
                                                "pmix rank 2 of 3, 3 local"});
    CHECK(names("env -u PMIX_NAMESPACE ") == std::vector<std::string>{"pmi rank 0 of 3, 3 local",
                                                                      "pmi rank 1 of 3, 3 local",
                                                                      "pmi rank 2 of 3, 3 local"});
    const Result on_two =
        tuttirun(on_hosts({2, 1}, {"--mpi", "own", "sh", "-c", "env -u PMIX_NAMESPACE " + exchange}));
    CHECK(on_two.status == 0);
    CHECK(sorted(lines_of(on_two.out)) == std::vector<std::string>{"pmi rank 0 of 3, 2 local",
                                                                   "pmi rank 1 of 3, 2 local",
                                                                   "pmi rank 2 of 3, 1 local"});
}
