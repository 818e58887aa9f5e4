#include "lib/foundation/control/pmi_line.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "lib/foundation/control/process_mapping.hpp"

using tutti::control::is_pmi_word;
using tutti::control::nodes_of_mapping;
using tutti::control::PmiLine;

TEST_CASE("a line of PMI arrives as it was")
{
    const std::string text =
        PmiLine("put").with("kvsname", "kvs_1").with("key", "a.0").with("value", "x=y").with("rc", -1).text();
    CHECK(text == "cmd=put kvsname=kvs_1 key=a.0 value=x=y rc=-1\n");
    const auto line = PmiLine::parse(text.substr(0, text.size() - 1));
    REQUIRE(line);
    CHECK(line->command() == "put");
    CHECK(line->field("kvsname") == "kvs_1");
    CHECK(line->field("value") == "x=y");
    CHECK(line->field("other").empty());
    CHECK(line->number("rc") == -1);
    CHECK_FALSE(line->number("key"));
    CHECK(PmiLine::parse("cmd=finalize_ack ")->command() == "finalize_ack");
    CHECK(PmiLine::parse("rc=0  cmd=maxes")->number("rc") == 0);
}

TEST_CASE("what is no line of PMI is refused")
{
    for (const char* const text :
         {"", " ", "cmd", "cmd=", "=put", "key=a", "put key=a", "cmd=put key", "cmd=put value=a b",
          "cmd=put =a", "cmd=put key=a key=b", "cmd=put cmd=get"}) {
        CAPTURE(text);
        CHECK_FALSE(PmiLine::parse(text));
    }
    for (const char* const text : {"", "a b", "a\n", "a\tb", "\x7f"}) {
        CAPTURE(text);
        CHECK_FALSE(is_pmi_word(text));
    }
    CHECK(is_pmi_word("a=b#$@"));
    for (const char* const text : {"1x", "", "99999999999", " 1"})
        CHECK_FALSE(PmiLine("a").with("n", text).number("n"));
    std::minstd_rand random(1);
    for (int repetition = 0; repetition < 2'000; ++repetition) {
        std::string line = "cmd=put kvsname=kvs_1 key=a value=b";
        for (int change = 0; change < 3; ++change)
            line[random() % line.size()] = static_cast<char>(random() % 256);
        if (const auto parsed = PmiLine::parse(line))
            CHECK_FALSE(parsed->command().empty());
    }
}

TEST_CASE("nodes of ranks are read from PMI_process_mapping")
{
    using Nodes = std::vector<int>;
    CHECK(nodes_of_mapping("(vector,(0,1,1))", 3) == Nodes{0, 0, 0});
    CHECK(nodes_of_mapping("(vector,(0,2,2))", 4) == Nodes{0, 0, 1, 1});
    CHECK(nodes_of_mapping("(vector,(0,2,1))", 5) == Nodes{0, 1, 0, 1, 0});
    CHECK(nodes_of_mapping("(vector,(0,2,2),(2,1,3))", 7) == Nodes{0, 0, 1, 1, 2, 2, 2});
    CHECK(nodes_of_mapping("(vector,(5,2147483000,2147483647))", 2) == Nodes{5, 5});
}

TEST_CASE("a mapping of processes says what it was made of")
{
    using tutti::control::mapping_of_nodes;
    for (const std::vector<int>& nodes :
         {std::vector{0}, {0, 0, 1, 1}, {0, 1, 0, 1, 0}, {2, 0, 0, 1, 3, 3, 3}})
        CHECK(nodes_of_mapping(mapping_of_nodes(nodes), static_cast<int>(nodes.size())) == nodes);
    CHECK(mapping_of_nodes(std::vector{0, 0, 1, 1, 2}) == "(vector,(0,2,2),(2,1,1))");
}

TEST_CASE("what is no mapping of processes is refused")
{
    for (const char* const text :
         {"", "vector", "(vector)", "(vector,)", "(vector,(0,1,1)", "(vector,(0,1,1)))", "(vector,(0,1))",
          "(vector,(0,0,1))", "(vector,(0,1,0))", "(vector,(-1,1,1))", "(vector,(0,-1,1))",
          "(vector,(0,99999999999,1))", "(vector,(2147483647,1,1))", "(vector,(0,1,1)(0,1,1))",
          "(matrix,(0,1,1))"}) {
        CAPTURE(text);
        CHECK_FALSE(nodes_of_mapping(text, 4));
    }
}
