// Ranks die in epochs of windows.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/multiprocess/launched.hpp"
#include "tests/multiprocess/on_hosts.hpp"

using namespace tutti::test;

TEST_CASE("the others of a window learn that a rank has died in an epoch, by window, rank and call",
          "[windows]")
{
    // Where the last rank dies, and what the others are told where they map its memory, do not, or use TCP.
    struct Case {
        std::string where;
        std::string mapped;
        std::string ordinary;
        std::string tcp;
    };
    const std::string in_all = ", in the epoch of lock_all()";
    const std::string one_put = "this rank's put() of 8 bytes, bytes 8 to 16";
    const std::string one_get = "this rank's get() of 800000 bytes, bytes 0 to 800000";
    const std::string waiting = "while this rank was waiting in ";
    const auto [where, mapped, ordinary, tcp] = GENERATE_COPY(
        Case{"lock", waiting + "lock()", waiting + "lock()", waiting + "lock()"},
        Case{"lock_all", waiting + "lock()", waiting + "lock()", waiting + "lock()"},
        Case{"fence", ", in the epoch of fence()", ", in the epoch of fence()", ", in the epoch of fence()"},
        Case{"start", waiting + "start()", waiting + "start()", waiting + "start()"},
        Case{"wait", waiting + "wait()", waiting + "wait()", waiting + "wait()"},
        Case{"test", "before it called complete()", "before it called complete()",
             "before it called complete()"},
        Case{"post", "fence: peer lost: ", one_put + ", in the epoch of start()",
             ", in the epoch of start()"},
        Case{"known", "", "before " + one_put + ", in the epoch of start()",
             "before " + one_put + ", in the epoch of start()"},
        Case{"flush", "while this rank accesses its memory" + in_all,
             "this rank's get() of 8 bytes, bytes 56 to 64" + in_all, in_all},
        Case{"put", "while this rank accesses its memory" + in_all,
             "this rank's put() of 8 bytes, bytes 56 to 64" + in_all, in_all},
        Case{"request", "", one_get + in_all, one_get + in_all},
        Case{"key", in_all, in_all, in_all},  // the owner may have answered first
        Case{"update", "", waiting + "lock()", waiting + "lock()"});
    const std::string memory = GENERATE("mapped", "ordinary", "tcp", "ofi");
    if (where == "request" && memory == "mapped")
        return;  // its end is not noticed
    if (kSanitized && memory == "tcp")
        return;  // the same frames as on a node
    if (memory == "ofi" && where != "lock" && where != "fence" && where != "post" && where != "put")
        return;  // as over TCP: what has no memory of the other's in it
    CAPTURE(where, memory);
    // The launcher would end the others at once: its rank is a shell, which stays for a while.
    const std::vector<std::string> rest{
        "sh",  "-c",  R"("$0" "$@" 2> /dev/null || exec sleep 10)", program("api_window_killed"),
        where, memory};
    std::vector<std::string> arguments{"-q", "-n", "3"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    if (memory == "tcp" || memory == "ofi")
        arguments = on_hosts({2, 1}, rest);
    if (memory == "ofi")
        arguments.insert(arguments.begin(), {"--fabric", "ofi:net"});
    const Result result = tuttirun(arguments);
    CAPTURE(result.out, result.err);
    CHECK(result.status == 3);
    CHECK(result.seconds < 2 * kSoonSeconds);
    const std::vector<std::string> reported = lines_of(result.out);
    REQUIRE(reported.size() == 2);
    for (const std::string& line : reported) {
        CHECK(contains(line, ": peer lost: table: rank 2 "));
        CHECK(contains(line, memory == "mapped" ? mapped : memory == "ordinary" ? ordinary : tcp));
    }
}
