// Parts of the command line from a file.
#include <catch2/catch.hpp>

#include "launcher/command_line/configfile.hpp"
#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using namespace tutti::launcher::test;
using Words = std::vector<std::string>;

TEST_CASE("A configfile has a program a line, with all that a command line may say of it")
{
    const TemporaryFolder folder;
    const std::string file = folder.write("programs",
                                          "# two programs\n"
                                          "-n 1 -env A 'x y' ./server \\\n  --port 1 :\n\n"
                                          "  -n2 ./worker \"a b\"");
    CHECK(read_configfile(file) ==
          Words{"-n", "1", "-env", "A", "x y", "./server", "--port", "1", ":", "-n2", "./worker", "a b"});
    const char* const option = GENERATE("-configfile", "--configfile", "--app", "-app");
    const JobOptions options = parse({"-genv", "B", "2", option, file});
    REQUIRE(options.apps.size() == 2);
    CHECK(options.apps[0].ranks == 1);
    CHECK(options.apps[0].argv == Words{"./server", "--port", "1"});
    CHECK(options.apps[1].ranks == 2);
    CHECK(options.apps[1].argv == Words{"./worker", "a b"});
    CHECK(options.apps[1].environment == std::vector<std::pair<std::string, std::string>>{{"B", "2"}});
    CHECK(parse({std::string("--configfile=") + file, "-q"}).quiet);
}

TEST_CASE("A configfile names all programs, and is a file with programs")
{
    const TemporaryFolder folder;
    const std::string file = folder.write("programs", "./a\n");
    CHECK_THAT(
        parse_error({"-configfile", file, "./b"}),
        Catch::Contains("-configfile " + file + " names all programs; no program may stand beside it"));
    CHECK_THAT(parse_error({"-configfile", file, ":", "./b"}), Catch::Contains("names all programs"));
    CHECK_THAT(parse_error({"-configfile", (folder.path() / "none").string()}),
               Catch::Contains("cannot read configfile"));
    CHECK_THAT(parse_error({"-configfile", folder.write("empty", "# nothing\n:\n")}),
               Catch::Contains("names no program; a line reads '-n 2 ./a.out'"));
    CHECK_THAT(parse_error({"-configfile", folder.write("nested", "-configfile " + file + "\n")}),
               Catch::Contains("-configfile stands within a configfile, or twice"));
    CHECK_THAT(parse_error({"-configfile", folder.write("open", "\n./a 'b\n")}),
               Catch::Contains("open:2: a quote in"));
    // A program may have an option of that name.
    CHECK(parse({"./a", "-configfile", file}).apps[0].argv == Words{"./a", "-configfile", file});
}

TEST_CASE("A number may follow its option at once")
{
    CHECK(parse({"-n2", "a"}).apps[0].ranks == 2);
    CHECK(parse({"-np16", "a"}).apps[0].ranks == 16);
    CHECK(parse({"-N2", "a"}).ranks_per == RanksPer{2, MachineLevel::node});
    CHECK(parse({"-ppn3", "a"}).ranks_per.ranks == 3);
}
