// Processes whose collective calls do not belong together: the job ends soon, and its last words name both
// calls, with a board and without.
#include <catch2/catch.hpp>

#include <iterator>

#include "tests/mismatches.hpp"
#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

TEST_CASE("ranks that call different collectives are told so, and nobody waits for ever", "[endings]")
{
    const auto index = GENERATE(range(std::size_t{0}, std::size(kMismatches)));
    const bool board = GENERATE(true, false);
    if (!board && index % 3 != 0)
        return;  // threads have no board, either
    if (kSanitized && index % 2 != 0)
        return;  // they are below, without a board
    const Mismatch& mismatch = kMismatches[index];
    const int ranks = board ? (index % 3 == 0 ? 7 : 4) : 2 + static_cast<int>(index % 6 / 3);
    CAPTURE(mismatch.name, ranks, board);
    const Result result = tuttirun({"-x", board ? "TUTTI_SHARED_CORES=1" : "TUTTI_SHARED_CORES=0",
                                    "--timeout", "20", "-n", std::to_string(ranks), program("api_mismatch"),
                                    std::string(mismatch.name), board || ranks == 2 ? "5" : "0"});
    CHECK(result.status == 1);
    const std::string& text = result.err;
    CAPTURE(text);
    CHECK(contains(text, std::string(mismatch.most_words)));
    CHECK(contains(text, std::string(mismatch.last_words)));
}

TEST_CASE("two ranks with a core each, which look for each other's data in shared memory, are told so, too",
          "[endings]")
{
    // Both ranks of each take a whole core until they are told: every third.
    for (std::size_t index = 0; index < std::size(kMismatches); index += 3) {
        const Mismatch& mismatch = kMismatches[index];
        const Result result = tuttirun({"-x", "TUTTI_SHARED_CORES=0", "--timeout", "20", "-n", "2",
                                        program("api_mismatch"), std::string(mismatch.name), "9"});
        CAPTURE(mismatch.name, result.err);
        CHECK(result.status == 1);
        CHECK(contains(result.err, std::string(mismatch.most_words)));
        CHECK(contains(result.err, std::string(mismatch.last_words)));
    }
}

TEST_CASE(
    "a request whose wait finds that calls differ is given up, and a program that catches that ends well",
    "[endings]")
{
    for (const std::string ranks : {"2", "3", "4"}) {
        const Result result = tuttirun({"--timeout", "20", "-n", ranks, program("api_mismatch"), "caught"});
        CAPTURE(result.err);
        CHECK(result.status == 0);
        CHECK(lines_of(result.out) ==
              std::vector<std::string>(static_cast<std::size_t>(std::stoi(ranks)), "caught, inactive"));
    }
}

TEST_CASE("ranks that wait for each other in different communicators are told so", "[endings]")
{
    struct Circle {
        std::string name;
        std::string one;
        std::string other;
    };
    const Circle circle = GENERATE(Circle{"opposite", "barrier", "allreduce"},
                                   Circle{"requests", "barrier", "allreduce"}, Circle{"ring", "barrier", ""});
    const std::string shared_cores = GENERATE("TUTTI_SHARED_CORES=1", "TUTTI_SHARED_CORES=0");
    const int ranks = GENERATE(2, 3, 5);
    if (circle.name == "ring" && ranks == 2)
        return;  // both have one communicator
    if (kSanitized && ranks == 3)
        return;
    const Result result = tuttirun({"-x", shared_cores, "--timeout", kSanitized ? "60" : "15", "-n",
                                    std::to_string(ranks), program("api_circle"), circle.name});
    CAPTURE(circle.name, shared_cores, ranks, result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "this rank calls "));
    CHECK(contains(result.err, circle.one));
    CHECK(contains(result.err, circle.other));
    CHECK(contains(result.err, "of different communicators in the same order"));
}

TEST_CASE("waits in different communicators that end by themselves are let be", "[endings]")
{
    const std::string shared_cores = GENERATE("TUTTI_SHARED_CORES=1", "TUTTI_SHARED_CORES=0");
    const int ranks = GENERATE(2, 4);
    const Result result =
        tuttirun({"-x", shared_cores, "-n", std::to_string(ranks), program("api_circle"), "late"});
    CHECK(result.status == 0);
    CHECK(result.err == "");
}
