#include "launcher/base/host_names.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "launcher/hosts/hostfile.hpp"

using namespace tutti::launcher;
using Names = std::vector<std::string>;

namespace {

Names numbered(const std::string& before, int first, int last, std::size_t width,
               const std::string& behind = "")
{
    Names names;
    for (int number = first; number <= last; ++number) {
        const std::string digits = std::to_string(number);
        names.push_back(before + std::string(width - std::min(width, digits.size()), '0') + digits + behind);
    }
    return names;
}

Names joined(Names one, const Names& other)
{
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

std::string in_words(const Names& names)
{
    return hosts_in_words(names);
}

}  // namespace

TEST_CASE("Hosts are folded into ranges of numbers")
{
    CHECK(in_words({}).empty());
    CHECK(in_words({"node7"}) == "node7");
    CHECK(in_words({"a", "b"}) == "a, b");
    CHECK(in_words(numbered("node", 1, 99, 3)) == "node[001-099]");
    CHECK(in_words(numbered("node", 1, 100, 2)) == "node[01-100]");
    CHECK(in_words(numbered("n", 8, 11, 1)) == "n[8-11]");
    CHECK(in_words({"n3", "n1", "n2", "n7"}) == "n[1-3,7]");
    CHECK(in_words({"n1", "n01", "n2", "n02"}) == "n[01-02,1-2]");
    CHECK(in_words({"n1", "n1", "n1"}) == "n1");
    CHECK(in_words({"login", "n1", "n2", "gpu1", "n3"}) == "login, n[1-3], gpu1");
    CHECK(in_words(joined(numbered("cpu", 1, 4, 2), numbered("gpu", 1, 2, 1))) == "cpu[01-04], gpu[1-2]");
}

TEST_CASE("The number that differs is folded: within a name, before a domain, of a host and not of a user")
{
    CHECK(in_words(numbered("node", 1, 3, 2, ".cluster7.example")) == "node[01-03].cluster7.example");
    CHECK(in_words(numbered("node", 1, 3, 1, "-ib0")) == "node[1-3]-ib0");
    CHECK(in_words(joined(numbered("r1n", 1, 16, 2), numbered("r2n", 1, 16, 2))) == "r1n[01-16], r2n[01-16]");
    CHECK(in_words(numbered("me2@node", 1, 3, 1)) == "me2@node[1-3]");
    CHECK(in_words({"user1@n", "user2@n"}) == "user1@n, user2@n");
    CHECK(in_words(numbered("10.0.0.", 9, 11, 1)) == "10.0.0.[9-11]");
    CHECK(in_words({"fd00::1", "fd00::2"}) == "fd00::1, fd00::2");
    CHECK(in_words({"n12345678901234567890", "n12345678901234567891"}) ==
          "n12345678901234567890, n12345678901234567891");
}

TEST_CASE("A list of hosts is no longer than a line, and says how many are missing")
{
    Names odd;
    for (int number = 1; number < 100; number += 2)
        odd.push_back("n" + std::to_string(number));
    CHECK(in_words(odd) == "n[1,3,5,7,9,11,13,15,17,19,21,23] and 38 more");
    CHECK(in_words(joined(odd, numbered("m", 1, 50, 1))) == "n[1,3,5,7,9,11,13,15,17,19,21,23] and 88 more");
    Names letters;
    for (char letter = 'a'; letter <= 'z'; ++letter)
        letters.emplace_back(1, letter);
    CHECK(in_words(letters) == "a, b, c, d, e, f, g, h, i, j, k, l and 14 more");
    CHECK(in_words(numbered("node", 1, 65536, 5)) == "node[00001-65536]");
}

TEST_CASE("What is folded is read again as the same hosts")
{
    const Names names = GENERATE(values<Names>({
        {"a"},
        {"n1", "n2", "n10", "n02", "n010", "login", "n1-ib0", "n2-ib0", "n1-ib1", "10.0.0.1", "10.0.0.2",
         "10.0.1.1"},
        {"r1n1", "r1n2", "r2n1", "r3n7", "r3n08", "r3n09", "r3n10", "x0", "x00", "x000", "x1"},
        {"n1.a1", "n2.a1", "n2.a2", "n3.a3", "n998", "n999", "n1000", "n0999", "n1001"},
    }));
    std::multiset<std::string> read;
    for (const Host& host : parse_host_list("-H", folded_hosts(names)))
        read.insert(host.name);
    CHECK(read == std::multiset<std::string>(names.begin(), names.end()));
}
