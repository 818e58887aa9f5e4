// Views by random filetypes, byte by byte.
#include "lib/core/files/view_map.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/core/files/file_error.hpp"
#include "tests/unit/datatype/random_types.hpp"

namespace {

using namespace tutti::detail;
using namespace tutti::test;
using tutti::datatype::TypemapRef;

using ViewPlaces = std::vector<std::int64_t>;

// Of the bytes of some repetitions of a filetype.
ViewPlaces places_of_view(const NaiveType& filetype, std::int64_t displacement)
{
    ViewPlaces places;
    for (const std::ptrdiff_t place : filetype.places(4))
        places.push_back(displacement + place);
    return places;
}

// As the standard says it: from one repetition to the next, too.
bool is_filetype(const ViewPlaces& places, std::int64_t displacement)
{
    return places.empty() ||
           (places.front() >= displacement &&
            std::ranges::adjacent_find(places, std::ranges::greater_equal{}) == places.end());
}

bool is_accepted(const TypemapRef& filetype, std::size_t etype_bytes)
{
    try {
        check_filetype("test", "file", *filetype, etype_bytes);
        return true;
    } catch (const FileError&) {
        return false;
    }
}

// What differs; nothing where all is as it should be.
const char* wrong_view(const ViewMap& view, const ViewPlaces& places)
{
    for (std::size_t byte = 0; byte < places.size(); ++byte)
        if (view.place_of(byte) != places[byte])
            return "the place of a byte";
    std::size_t before = 0;
    for (std::int64_t place = std::max<std::int64_t>(places.front() - 3, 0); place <= places.back(); ++place) {
        while (places[before] < place)
            ++before;
        if (view.bytes_before(place) != before)
            return "how many bytes lie before a place";
    }
    return nullptr;
}

const char* wrong_runs(const ViewMap& view, const ViewPlaces& places, std::size_t from, std::size_t to)
{
    std::size_t at = from;
    std::int64_t end = -1;
    const char* wrong = nullptr;
    view.for_each_run(from, to, [&](std::int64_t place, std::uint64_t bytes) {
        if (bytes == 0 || place <= end)
            wrong = "runs that are empty, touch or do not ascend";
        end = place + static_cast<std::int64_t>(bytes);
        for (; place != end; ++place, ++at)
            if (at >= to || places[at] != place)
                wrong = "the place of a byte of a run";
    });
    return at == to ? wrong : "the number of bytes";
}

}  // namespace

TEST_CASE("views have their bytes where the filetype's list of elements says")
{
    std::size_t views = 0;
    std::size_t refused = 0;
    for (unsigned seed = 0; seed < 6000; ++seed) {
        RandomTypes random(seed);
        const Both filetype = random.make(random.number(0, 4));
        if (filetype.naive.entries.empty() || filetype.naive.entries.size() > kManyElements)
            continue;
        INFO("seed " << seed);
        const std::int64_t displacement = random.number(0, 1) * random.number(0, 1000);
        const ViewPlaces places = places_of_view(filetype.naive, displacement);
        REQUIRE(is_accepted(filetype.type, 1) == is_filetype(places, displacement));
        if (!is_filetype(places, displacement)) {
            ++refused;
            continue;
        }
        REQUIRE_FALSE(is_accepted(filetype.type, filetype.type->size_bytes() + 1));
        const ViewMap view(displacement, filetype.type);
        const char* wrong = wrong_view(view, places);
        const auto size = static_cast<int>(places.size());
        for (int part = 0; part < 20 && wrong == nullptr; ++part) {
            const int from = random.number(0, size);
            wrong = wrong_runs(view, places, static_cast<std::size_t>(from),
                               static_cast<std::size_t>(random.number(from, size)));
        }
        if (wrong != nullptr)
            FAIL(wrong);
        ++views;
    }
    CHECK(views > 500);
    CHECK(refused > 500);
}

TEST_CASE("a view without a filetype is the file from its displacement on")
{
    const ViewMap all;
    CHECK(all.is_contiguous());
    CHECK(all.place_of(17) == 17);
    CHECK(all.bytes_before(17) == 17);
    const ViewMap behind(100, tutti::datatype::bytes(8));
    CHECK(behind.is_contiguous());
    CHECK(behind.place_of(17) == 117);
    CHECK(behind.bytes_before(117) == 17);
    CHECK(behind.bytes_before(100) == 0);
    CHECK(behind.bytes_before(50) == 0);
}

TEST_CASE("places that no file can have are none")
{
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const ViewMap contiguous(10, tutti::datatype::bytes(1));
    CHECK(contiguous.place_of(static_cast<std::uint64_t>(kMost - 10)) == kMost);
    CHECK_THROWS_AS(contiguous.place_of(static_cast<std::uint64_t>(kMost - 9)), std::overflow_error);
    CHECK_THROWS_AS(contiguous.place_of(std::numeric_limits<std::uint64_t>::max()), std::overflow_error);
    const TypemapRef two_of_four = tutti::datatype::resized(0, 4, *tutti::datatype::bytes(2));
    const ViewMap strided(10, two_of_four);
    CHECK(strided.place_of(std::uint64_t{1} << 61) == (std::int64_t{1} << 62) + 10);
    CHECK_THROWS_AS(strided.place_of(std::uint64_t{1} << 62), std::overflow_error);
    const ViewMap empty(10, tutti::datatype::resized(0, 4, *tutti::datatype::bytes(0)));
    CHECK_THROWS_AS(empty.place_of(0), std::overflow_error);
    CHECK(empty.bytes_before(kMost) == 0);
}
