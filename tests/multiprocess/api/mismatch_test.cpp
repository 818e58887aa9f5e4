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
    const Mismatch& mismatch = kMismatches[index];
    const int ranks = board ? (index % 3 == 0 ? 7 : 4) : 2 + static_cast<int>(index % 6 / 3);
    CAPTURE(mismatch.name, ranks, board);
    const Result result = tuttirun({"-x", board ? "TUTTI_SHARED_CORES=1" : "TUTTI_SHARED_CORES=0",
                                    "--timeout", "20", "-n", std::to_string(ranks), program("api_mismatch"),
                                    std::string(mismatch.name), board ? "5" : "0"});
    CHECK(result.status == 1);
    const std::string& text = result.err;
    CAPTURE(text);
    CHECK(contains(text, std::string(mismatch.most_words)));
    CHECK(contains(text, std::string(mismatch.last_words)));
}
