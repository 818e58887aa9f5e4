#include "tutti/serialize.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace {

struct Point {
    int x = 0;
    double y = 0;
    bool operator==(const Point&) const = default;
};

}  // namespace

namespace zoo {

enum class Kind : std::uint8_t { bird, fish };

struct Animal {
    std::string name;
    Kind kind = Kind::bird;
    std::vector<std::string> foods;
    std::optional<double> weight;
    bool operator==(const Animal&) const = default;
};

template <class Archive>
void serialize_fields(Archive& archive, Animal& animal)
{
    archive(animal.name, animal.kind, animal.foods, animal.weight);
}

struct Tree {
    int value = 0;
    std::vector<Tree> children;
    bool operator==(const Tree&) const = default;
};

template <class Archive>
void serialize_fields(Archive& archive, Tree& tree)
{
    archive(tree.value, tree.children);
}

// Nothing of it travels.
struct Silent {
    bool operator==(const Silent&) const = default;
};

template <class Archive>
void serialize_fields(Archive&, Silent&)
{
}

}  // namespace zoo

namespace {

template <class T>
void check_round_trip(const T& object)
{
    const std::vector<std::byte> bytes = tutti::serialize(object);
    CHECK(tutti::deserialize<T>(bytes) == object);

    // Every shorter piece, and one byte more, is refused.
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        INFO("cut at " << size);
        CHECK_THROWS_AS(tutti::deserialize<T>(std::span(bytes).first(size)), tutti::Error);
    }
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    CHECK_THROWS_AS(tutti::deserialize<T>(longer), tutti::Error);
}

template <class T>
std::string refusal(std::span<const std::byte> bytes)
{
    try {
        tutti::deserialize<T>(bytes);
    } catch (const tutti::Error& error) {
        CHECK(error.code() == tutti::ErrorCode::protocol);
        return error.what();
    }
    FAIL("no error");
    return {};
}

std::vector<std::byte> count_only(std::uint64_t count)
{
    return tutti::serialize(count);
}

}  // namespace

TEST_CASE("objects come back equal, and not from fewer or more bytes")
{
    check_round_trip(42);
    check_round_trip(true);
    check_round_trip(Point{3, 0.5});
    check_round_trip(std::string());
    check_round_trip(std::string("tutti\0quanti", 12));
    check_round_trip(std::u16string(u"due"));
    check_round_trip(std::vector<int>{1, -2, 3});
    check_round_trip(std::vector<Point>{});
    check_round_trip(std::vector<bool>{true, false, true});
    check_round_trip(std::vector<std::string>{"", "a", "bc"});
    check_round_trip(std::array<short, 3>{1, 2, 3});
    check_round_trip(std::array<std::string, 2>{"x", "yz"});
    check_round_trip(std::pair<int, std::string>{1, "one"});
    check_round_trip(std::tuple<char, bool, std::string>{'c', false, "t"});
    check_round_trip(std::optional<int>());
    check_round_trip(std::optional<std::string>("here"));
    check_round_trip(std::deque<int>{4, 5});
    check_round_trip(std::list<std::string>{"l"});
    check_round_trip(std::map<std::string, std::vector<int>>{{"a", {1}}, {"b", {}}, {"c", {2, 3}}});
    check_round_trip(std::multimap<int, int>{{1, 2}, {1, 3}});
    check_round_trip(std::unordered_map<int, std::string>{{1, "eins"}, {2, "zwei"}});
    check_round_trip(std::set<std::string>{"b", "a"});
    check_round_trip(std::unordered_set<int>{5, 6, 7});
    check_round_trip(std::vector<std::map<int, std::optional<std::pair<std::string, bool>>>>{
        {{1, std::pair{std::string("p"), true}}, {2, std::nullopt}}, {}});
}

TEST_CASE("user types join by one function")
{
    const zoo::Animal ara{"ara", zoo::Kind::bird, {"nuts", "fruit"}, 1.1};
    check_round_trip(ara);
    check_round_trip(std::vector<zoo::Animal>{ara, {}});
    check_round_trip(zoo::Tree{1, {{2, {}}, {3, {{4, {}}}}}});
    check_round_trip(std::vector<zoo::Silent>(5));
    check_round_trip(std::vector<std::tuple<>>(3));
}

TEST_CASE("what is read replaces what was there")
{
    std::vector<int> numbers{9, 9, 9};
    std::optional<std::string> word = "old";
    const auto bytes = tutti::serialize(std::tuple(std::vector<int>{1}, std::optional<std::string>()));
    tutti::InputArchive archive(bytes);
    archive(numbers, word);
    CHECK(numbers == std::vector<int>{1});
    CHECK_FALSE(word.has_value());
}

TEST_CASE("a count is believed only as far as bytes follow")
{
    for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1} << 40, std::uint64_t{1} << 61,
                                      std::numeric_limits<std::uint64_t>::max()}) {
        CHECK_THAT(refusal<std::string>(count_only(count)), Catch::Contains("announced"));
        CHECK_THAT(refusal<std::vector<double>>(count_only(count)), Catch::Contains("announced"));
        CHECK_THAT(refusal<std::vector<std::string>>(count_only(count)), Catch::Contains("announced"));
        CHECK_THAT((refusal<std::map<int, std::string>>(count_only(count))), Catch::Contains("announced"));
        CHECK_THAT(refusal<std::vector<zoo::Silent>>(count_only(count)), Catch::Contains("announced"));
    }
}

TEST_CASE("damaged bytes are refused in words")
{
    const std::vector<std::byte> two{std::byte{2}};
    CHECK_THAT(refusal<bool>(two), Catch::Contains("neither 0 nor 1"));
    CHECK_THAT(refusal<std::optional<int>>(two), Catch::Contains("neither 0 nor 1"));
    CHECK_THAT(refusal<int>(two), Catch::Contains("4 bytes are needed, but only 1 follow"));

    const auto twice = tutti::serialize(std::vector<int>{7, 7});
    CHECK_THAT(refusal<std::set<int>>(twice), Catch::Contains("twice"));
    CHECK_THAT(refusal<std::vector<char>>(twice), Catch::Contains("left over"));
}

TEST_CASE("nesting has an end in both directions")
{
    zoo::Tree chain;
    for (int i = 0; i < 1000; ++i) {
        zoo::Tree outer;
        outer.children.push_back(std::move(chain));
        chain = std::move(outer);
    }
    CHECK_THROWS_AS(tutti::serialize(chain), tutti::Error);

    std::vector<std::byte> bytes;
    for (int i = 0; i < 100'000; ++i) {
        const auto level = tutti::serialize(std::tuple(0, std::uint64_t{1}));
        bytes.insert(bytes.end(), level.begin(), level.end());
    }
    CHECK_THAT(refusal<zoo::Tree>(bytes), Catch::Contains("nests deeper"));
}

TEST_CASE("any change of a byte is refused or read, never worse")
{
    using Object = std::map<std::string, std::vector<std::optional<std::string>>>;
    const Object object{{"one", {"a", std::nullopt}}, {"two", {}}, {"three", {"bcd", "e", ""}}};
    const std::vector<std::byte> bytes = tutti::serialize(object);
    std::mt19937 random(1);
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::byte> damaged = bytes;
        for (int change = 0; change <= round % 3; ++change)
            damaged[random() % damaged.size()] = static_cast<std::byte>(random());
        try {
            const auto read = tutti::deserialize<Object>(damaged);
            CHECK(tutti::serialize(read).size() == bytes.size());
        } catch (const tutti::Error& error) {
            CHECK(error.code() == tutti::ErrorCode::protocol);
        }
    }
}
