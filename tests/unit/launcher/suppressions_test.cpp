#include "launcher/ranks/suppressions.hpp"

#include <catch2/catch.hpp>

using namespace tutti::launcher;

TEST_CASE("leak checkers get our suppressions beside the user's options")
{
    RankEnvironment plain;
    add_suppressions(plain, "/opt/share/tutti");
    CHECK(plain.at("LSAN_OPTIONS") == "print_suppressions=0:suppressions=/opt/share/tutti/lsan.supp");
    CHECK(plain.at("VALGRIND_OPTS") == "--suppressions=/opt/share/tutti/valgrind.supp");

    RankEnvironment own{{"LSAN_OPTIONS", "exitcode=7"}, {"VALGRIND_OPTS", "--suppressions=mine"}};
    add_suppressions(own, "/opt/share/tutti");
    CHECK(own.at("LSAN_OPTIONS") ==
          "exitcode=7:print_suppressions=0:suppressions=/opt/share/tutti/lsan.supp");
    CHECK(own.at("VALGRIND_OPTS") == "--suppressions=mine --suppressions=/opt/share/tutti/valgrind.supp");
}

TEST_CASE("a user's own file for LeakSanitizer stays, and a path that its options cannot have is left out")
{
    RankEnvironment own{{"LSAN_OPTIONS", "suppressions=mine"}};
    add_suppressions(own, "/opt/share/tutti");
    CHECK(own.at("LSAN_OPTIONS") == "suppressions=mine");

    RankEnvironment none;
    add_suppressions(none, "");
    add_suppressions(none, "/opt/a folder");
    CHECK(none.empty());
}
