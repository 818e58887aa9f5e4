// Statistics of ranks on several hosts come to the head, which writes them.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/cluster/cluster.hpp"
#include "tests/json.hpp"

using namespace tutti::test;

TEST_CASE_METHOD(Hosts, "ranks of several hosts have one document, with their hosts, messages and lines",
                 "[stats]")
{
    const std::string file = cluster_program("stats-" + std::to_string(::getpid()) + ".json");
    const Result result =
        tuttirun({"--stats=" + file, "-H", "a:1,b:2", std::getenv("TUTTI_TEST_COUNTED"), "exchange"});
    check_quiet_success(result);
    const Json stats(file_text(file));
    std::filesystem::remove(file);
    REQUIRE(stats["by_rank"].size() == 3);
    CHECK(stats["by_rank"][0]["host"] == "a");
    CHECK(stats["by_rank"][1]["host"] == "b");
    CHECK(stats["by_rank"][2]["host"] == "b");
    CHECK(stats["ranks_without_profile"].empty());
    int pairs = 0;
    for (const Json& pair : stats["messages"].elements())
        if (pair["bytes"] != 0) {
            ++pairs;
            CHECK(pair["messages"].integer() - 20 <= 1);  // hosts try whether they reach each other
            CHECK(pair["bytes"] == 40000);
            CHECK(pair["to"] == (pair["from"].integer() + 1) % 3);
        }
    CHECK(pairs == 3);
#ifdef __x86_64__
    REQUIRE_FALSE(stats["lines"].empty());
    for (const Json& line : stats["lines"].elements())
        CHECK(contains(line["place"].text(), " at counted.cpp:"));
#endif
}
