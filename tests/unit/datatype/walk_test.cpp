// Parts of random types, byte by byte, and whether their bytes ascend.
#include <catch2/catch.hpp>

#include "lib/foundation/datatype/ascending.hpp"
#include "lib/foundation/datatype/runs.hpp"
#include "lib/foundation/datatype/walk.hpp"
#include "tests/unit/datatype/random_types.hpp"

namespace {

using namespace tutti::datatype;
using namespace tutti::test;

using Places = std::vector<std::ptrdiff_t>;

// Of all bytes, as runs of a whole object give them.
Places places_of_runs(const Typemap& type, std::size_t count)
{
    Places places;
    for_each_run(type, count, [&](std::ptrdiff_t offset, std::size_t bytes) {
        for (std::size_t byte = 0; byte < bytes; ++byte)
            places.push_back(offset + static_cast<std::ptrdiff_t>(byte));
    });
    return places;
}

// What differs in a part; nothing where all is as it should be.
const char* wrong_walk(const Typemap& type, const Places& places, std::size_t from, std::size_t to)
{
    std::size_t at = from;
    std::ptrdiff_t end = 0;
    const char* wrong = nullptr;
    walk(type, from, to, [&](std::ptrdiff_t offset, std::size_t bytes) {
        if (bytes == 0)
            wrong = "a run without bytes";
        if (at != from && offset == end)
            wrong = "two runs that touch";
        end = offset + static_cast<std::ptrdiff_t>(bytes);
        for (; offset != end; ++offset, ++at)
            if (at >= to || places[at] != offset)
                wrong = "the place of a byte";
    });
    return at == to ? wrong : "the number of bytes";
}

bool ascend(const Places& places)
{
    return std::ranges::adjacent_find(places, std::ranges::greater_equal{}) == places.end();
}

}  // namespace

TEST_CASE("parts of types have the bytes that their lists of elements say")
{
    std::size_t checked = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        RandomTypes random(seed);
        const Both both = random.make(random.number(0, 5));
        if (both.naive.entries.empty() || both.naive.entries.size() > kManyElements)
            continue;
        INFO("seed " << seed);
        const auto count = static_cast<std::size_t>(random.number(1, 4));
        const Places places = both.naive.places(count);
        REQUIRE(places_of_runs(*both.type, count) == places);
        const auto size = static_cast<int>(places.size());
        for (int part = 0; part < 20; ++part) {
            const int from = part == 0 ? 0 : random.number(0, size);
            const int to =
                part == 0 ? size : random.number(from, part % 2 == 0 ? size : std::min(size, from + 9));
            CAPTURE(count, from, to);
            const char* const wrong =
                wrong_walk(*both.type, places, static_cast<std::size_t>(from), static_cast<std::size_t>(to));
            if (wrong != nullptr)
                FAIL(wrong);
        }
        ++checked;
    }
    CHECK(checked > 1000);
}

TEST_CASE("a part far behind the start is found at once")
{
    const TypemapRef element = vector(1000, 1, 2, *basic(tutti::DataType::int32));
    const std::size_t many = std::size_t{1} << 40;
    const std::size_t from = many * element->size_bytes() + 4 * 500 + 1;
    std::vector<std::pair<std::ptrdiff_t, std::size_t>> runs;
    walk(*element, from, from + 6, [&](std::ptrdiff_t offset, std::size_t bytes) {
        runs.push_back({offset, bytes});
    });
    const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(many) * element->extent_bytes() + 8 * 500;
    CHECK(runs == std::vector<std::pair<std::ptrdiff_t, std::size_t>>{{begin + 1, 3}, {begin + 8, 3}});
}

TEST_CASE("types say how far their bytes reach where these ascend")
{
    std::size_t ascending = 0;
    std::size_t others = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        RandomTypes random(seed);
        const Both both = random.make(random.number(0, 4));
        if (both.naive.entries.size() > kManyElements)
            continue;
        INFO("seed " << seed);
        const Places places = both.naive.places(1);
        const std::optional<std::ptrdiff_t> reach = reach_if_ascending(*both.type);
        if (!ascend(places)) {
            REQUIRE_FALSE(reach.has_value());
            ++others;
            continue;
        }
        REQUIRE(reach == (places.empty() ? 0 : places.back() + 1 - places.front()));
        ++ascending;
    }
    CHECK(ascending > 1000);
    CHECK(others > 500);
}
