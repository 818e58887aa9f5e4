#include "launcher/base/option_words.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/launcher/support.hpp"

using namespace tutti::launcher;
using tutti::launcher::test::usage_error;
using Words = std::vector<std::string>;

namespace {

const Dictionary kDictionary = {{"-n", {"--np", 1}},    {"-np", {"--np", 1}},    {"--np", {"--np", 1}},
                                {"-env", {"--env", 2}}, {"--env", {"--env", 2}}, {"-l", {"-l", 0}},
                                {"--label", {"-l", 0}}, {"-x", {"-x", 1}},       {"--one", {"--np", 0, "1"}}};

std::vector<Section> split(const Words& words)
{
    return split_words(words, kDictionary);
}

/// Canonical spellings, each followed by its values.
Words options_of(const Section& section)
{
    Words words;
    for (const GivenOption& given : section.options) {
        words.push_back(given.canonical);
        words.insert(words.end(), given.values.begin(), given.values.end());
    }
    return words;
}

}  // namespace

TEST_CASE("Options get their canonical spelling and end at the program")
{
    struct Row {
        Words words;
        Words options;
        Words program;
    };
    const Row row = GENERATE(values<Row>({
        {{}, {}, {}},
        {{"prog"}, {}, {"prog"}},
        {{"-np", "4", "prog", "-np", "5", "-l"}, {"--np", "4"}, {"prog", "-np", "5", "-l"}},
        {{"-n", "4", "--label", "-env", "A", "1", "prog"}, {"--np", "4", "-l", "--env", "A", "1"}, {"prog"}},
        {{"--np=4", "-n=5", "prog"}, {"--np", "4", "--np", "5"}, {"prog"}},
        {{"-x=A=1", "prog"}, {"-x", "A=1"}, {"prog"}},
        {{"-x=-n", "prog"}, {"-x", "-n"}, {"prog"}},
        {{"--np=", "prog"}, {"--np", ""}, {"prog"}},
        {{"-n", "-1", "prog"}, {"--np", "-1"}, {"prog"}},
        {{"-env", "A=1", "prog"}, {"--env", "A", "1"}, {"prog"}},
        {{"-env", "A=", "--env", "B", "C=1", "prog"}, {"--env", "A", "", "--env", "B", "C=1"}, {"prog"}},
        {{"--one", "2", "prog"}, {"--np", "1"}, {"2", "prog"}},
        {{"-l", "--", "-l", "-n"}, {"-l"}, {"-l", "-n"}},
        {{"-l", "--"}, {"-l"}, {}},
        {{"-"}, {}, {"-"}},
        {{"-l", "", "-n"}, {"-l"}, {"", "-n"}},
        {{"prog", "--", "a"}, {}, {"prog", "--", "a"}},
    }));
    CAPTURE(row.words);
    const std::vector<Section> sections = split(row.words);
    REQUIRE(sections.size() == 1);
    CHECK(options_of(sections[0]) == row.options);
    CHECK(sections[0].program == row.program);
}

TEST_CASE("A word of its own that is ':' separates programs")
{
    const std::vector<Section> sections =
        split({"-n", "1", "a", "x:y", ":", "-np", "2", "b", ":x", ":", "c"});
    REQUIRE(sections.size() == 3);
    CHECK(sections[0].program == Words{"a", "x:y"});
    CHECK(options_of(sections[1]) == Words{"--np", "2"});
    CHECK(sections[1].program == Words{"b", ":x"});
    CHECK(sections[2].options.empty());
    CHECK(sections[2].program == Words{"c"});

    CHECK(split({"a", ":"}).size() == 2);
    CHECK(split({":", "a"})[0].program.empty());
}

TEST_CASE("A section remembers how options were written")
{
    const std::vector<Section> sections = split({"-np", "4", "a", ":", "-n", "4", "b"});
    CHECK(sections[0].options.at(0).typed == "-np");
    CHECK(sections[1].options.at(0).typed == "-n");
}

TEST_CASE("Unknown options and missing values are named")
{
    struct Row {
        Words words;
        const char* message;
    };
    const Row row = GENERATE(values<Row>({
        {{"--labl", "a"}, "unknown option '--labl'; did you mean '--label'?"},
        {{"--nq=4", "a"}, "unknown option '--nq'; did you mean '--np'?"},
        {{"--zzzz", "a"}, "unknown option '--zzzz'\n"},
        {{"-n"}, "option '-n' needs a value, but the command line ends"},
        {{"-n", ":", "a"}, "option '-n' needs a value"},
        {{"-env", "A"}, "option '-env' needs 2 values"},
        {{"-x", "-n", "4", "a"}, "option '-x' needs a value, but '-n' follows it"},
        {{"-x", "--", "a"}, "option '-x' needs a value, but '--' follows it"},
        {{"--label=1", "a"}, "option '--label' takes no value"},
        {{"--one=1", "a"}, "option '--one' takes no value"},
        {{"-genvnone", "a"}, "unknown option '-genvnone'; ranks inherit all variables; start 'env -i"},
        {{"--env=A", "1", "a"}, "option '--env' takes 2 words"},
    }));
    CAPTURE(row.words);
    CHECK_THAT(usage_error([&] { split(row.words); }), Catch::Contains(row.message));
}
