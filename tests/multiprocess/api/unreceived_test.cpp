// Messages that have come and that no receive takes: errors and the end tell of them.
#include <string>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"

using namespace tutti::test;

TEST_CASE("the error of a receive names a message that has come and nearly fits", "[endings]")
{
    const auto [call, but] = GENERATE(table<std::string, std::string>(
        {{"recv_near_tag", "tag 6 is awaited"},
         {"any_near_tag", "tag 6 is awaited"},
         {"recv_near_source", "one from rank 2 is awaited"},
         {"probe_near_communicator", "one on another communicator is awaited"},
         {"recv_far", ""}}));
    CAPTURE(call);
    const Result result = tuttirun({"-n", "3", program("api_leaves"), call});
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "peer lost: "));
    CHECK(contains(result.err, "; a message from rank 1 with tag 5, 4 bytes, has come, but " + but + ";") ==
          !but.empty());
    CHECK(contains(result.err, " has come, but ") == !but.empty());
}

TEST_CASE("messages that nobody has received are reported at the end", "[endings]")
{
    const Result result = tuttirun({"-n", "3", program("api_leaves"), "quiet_far"});
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(contains(result.err, "tutti: rank 0 on "));
    CHECK(
        contains(result.err,
                 ": 1 message was never received, the first from rank 1 with tag 5, 4 bytes; receive each"));
    CHECK(lines_of(result.err).size() == 1);
}
