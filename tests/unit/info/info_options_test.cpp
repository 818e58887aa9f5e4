#include "launcher/info/info_options.hpp"

#include <catch2/catch.hpp>

namespace tutti::info {

namespace {

InfoOptions parse(std::vector<const char*> words)
{
    words.insert(words.begin(), "tutti-info");
    return parse_command_line(static_cast<int>(words.size()), words.data());
}

std::string complaint(const std::vector<const char*>& words)
{
    try {
        static_cast<void>(parse(words));
    } catch (const InfoUsageError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("options say which call is asked about")
{
    const InfoOptions options = parse({"--explain", "allreduce", "--ranks", "64", "--nodes=8", "--bytes",
                                       "1M", "--op", "non-commutative", "--json"});
    CHECK(options.explain == "allreduce");
    CHECK(options.ranks == 64);
    CHECK(options.nodes == 8);
    CHECK(options.sizes_bytes == std::vector<std::size_t>{1 << 20});
    CHECK(!options.commutative);
    CHECK(options.json);
    CHECK(parse({"--predict", "all", "--bytes", "8,1K,64KiB"}).sizes_bytes ==
          std::vector<std::size_t>{8, 1024, 65536});
    CHECK(parse({"--config", "--json"}).config);
    CHECK_FALSE(options.config);
    CHECK(parse({"--help"}).message.find("--explain") != std::string::npos);
    CHECK(parse({"--version"}).message.starts_with("tutti-info "));
    CHECK(parse({}).message.empty());
}

TEST_CASE("what a call needs and was not said is remembered")
{
    using Words = std::vector<std::string>;
    CHECK(parse({"--explain", "scan"}).assumed == Words{"--ranks 1", "--bytes 8"});
    CHECK(parse({"--explain", "scan", "--ranks", "1"}).assumed == Words{"--bytes 8"});
    CHECK(parse({"--explain", "scan", "--ranks", "4", "--bytes", "8"}).assumed.empty());
}

TEST_CASE("a wrong command line is reported with the remedy")
{
    CHECK(complaint({"--explain", "alreduce"})
              .starts_with("--explain: there is no collective \"alreduce\"; did you mean 'allreduce'? "
                           "There is barrier, "));
    CHECK(complaint({"--explain", "sort"})
              .starts_with("--explain: there is no collective \"sort\"; there is "));
    CHECK(complaint({"--explain", "all"}).find("there is no collective \"all\"") != std::string::npos);
    CHECK(complaint({"--rank", "4"}) ==
          "unknown option '--rank'; did you mean '--ranks'? See tutti-info --help");
    CHECK(complaint({"allreduce"}) == "unknown argument 'allreduce'; see tutti-info --help");
    CHECK(complaint({"--ranks", "0"}).find("--ranks") != std::string::npos);
    CHECK(complaint({"--ranks", "many"}).find("--ranks") != std::string::npos);
    CHECK(complaint({"--ranks", "4", "--nodes", "5"}) ==
          "--nodes 5 is more than --ranks 4: every node has a rank");
    for (const char* size : {"1.5", "-1", "4 K", "K", "99999999999999999999", "2000000G"})
        CHECK(complaint({"--bytes", size}).find("is no size; write for example") != std::string::npos);
    CHECK(complaint({"--explain", "scan", "--bytes", "1,2"}).find("takes one size") != std::string::npos);
    CHECK(complaint({"--explain", "scan", "--predict", "scan"}).find("use one") != std::string::npos);
    CHECK(complaint({"--config", "--predict", "all"}).find("--config cannot go together") == 0);
    CHECK(complaint({"--op", "associative"}).find("--op") != std::string::npos);
    CHECK(complaint({"--ranks", "4", "--nodes", "2", "--crowded"}).find("leave --nodes out") !=
          std::string::npos);
}

}  // namespace tutti::info
