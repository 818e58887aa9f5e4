// The parts of tuttirun --check: its list of checks, which types of messages fit, and where buffers lie.
#include <catch2/catch.hpp>

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "lib/core/check/borrowed_memory.hpp"
#include "lib/core/check/message_type.hpp"
#include "lib/core/process/check_options.hpp"
#include "lib/foundation/datatype/build.hpp"
#include "tutti/error.hpp"

namespace {

using tutti::check::MessageType;
using tutti::check::parse_options;
using tutti::detail::ElementType;
using tutti::detail::kElementType;

struct Point {
    double x, y;
};
struct Other {
    double x, y;
};
enum class Colour : int { red };

template <class T>
MessageType type_of()
{
    return MessageType(&kElementType<T>);
}

// Whether so many bytes fit that are sent as T and received as U.
template <class T, class U>
bool fits(std::size_t bytes = 48)
{
    return type_of<U>().takes(type_of<T>().note(bytes), bytes);
}

bool fits(const tutti::datatype::TypemapRef& sent, const tutti::datatype::TypemapRef& received,
          std::size_t bytes)
{
    const auto described = [](const tutti::datatype::TypemapRef& map) {
        return ElementType{ElementType::Kind::described, {}, map->size_bytes(), {}, map.get()};
    };
    const ElementType from = described(sent);
    const ElementType to = described(received);
    return MessageType(&to).takes(MessageType(&from).note(bytes), bytes);
}

}  // namespace

TEST_CASE("TUTTI_CHECK is on, off or a list")
{
    CHECK_FALSE(parse_options("").any());
    CHECK_FALSE(parse_options("0").any());
    CHECK_FALSE(parse_options("off").any());
    const auto usual = parse_options("on");
    CHECK((usual.types && usual.buffers && usual.requests && usual.messages && usual.handles && usual.windows));
    CHECK_FALSE(usual.races);
    CHECK(usual.fails);
    CHECK(parse_options("all").races);
    const auto some = parse_options("types,races,report");
    CHECK((some.types && some.races));
    CHECK_FALSE((some.buffers || some.requests || some.messages || some.handles || some.windows || some.fails));
    CHECK(parse_options("windows").any());
    CHECK(parse_options("report").types);
    CHECK_THROWS_AS(parse_options("types,"), tutti::Error);
    CHECK_THROWS_WITH(parse_options("message"), Catch::Contains("did you mean 'messages'?"));
}

TEST_CASE("element types of C++ fit by kind and size")
{
    CHECK(fits<int, int>());
    CHECK(fits<long, long long>());
    CHECK(fits<Colour, int>());
    CHECK(fits<std::array<double, 3>, double>());
    CHECK(fits<double[2][3], double>());
    CHECK(fits<Point, Point>());
    CHECK(fits<Point, double>());  // its members are not known
    CHECK(fits<Point, char>());
    CHECK(fits<std::byte, Point>());
    CHECK(fits<unsigned char, float>());
    CHECK_FALSE(fits<int, unsigned>());
    CHECK_FALSE(fits<float, int>());
    CHECK_FALSE(fits<float, double>());
    CHECK_FALSE(fits<std::complex<double>, double>());
    CHECK_FALSE(fits<Point, Other>());
    CHECK(fits<float, double>(0));
    CHECK(type_of<float>().words(400) == "float32 x 100");
    CHECK(type_of<double>().words(12) == "float64 (cut)");
    CHECK(type_of<char>().words(12) == "12 bytes");
    CHECK_THAT(type_of<Point>().words(32), Catch::EndsWith("Point x 2"));
}

TEST_CASE("datatypes fit if their basic types do, one by one")
{
    using namespace tutti::datatype;
    using tutti::DataType;
    const TypemapRef real = basic(DataType::float64);
    const TypemapRef whole = basic(DataType::int64);
    const TypemapRef small = basic(DataType::int32);
    const Member members[] = {{0, 1, real.get()}, {8, 1, whole.get()}};
    const TypemapRef pair = structure(members);
    const Member twice[] = {
        {0, 1, real.get()}, {8, 1, whole.get()}, {16, 1, real.get()}, {24, 1, whole.get()}};
    const TypemapRef pairs = structure(twice);
    const TypemapRef column = vector(3, 1, 5, *real);

    CHECK(fits(column, real, 48));
    CHECK(fits(real, contiguous(6, *real), 24));  // a part of the receive
    CHECK(fits(pair, pairs, 48));
    CHECK(fits(pairs, pair, 32));
    CHECK(fits(basic(DataType::int8), basic(DataType::uint8), 5));
    CHECK_FALSE(fits(pair, real, 16));
    CHECK_FALSE(fits(real, whole, 8));
    CHECK_FALSE(fits(small, whole, 8));
    CHECK_FALSE(fits(basic(DataType::uint8), small, 4));
    CHECK_FALSE(fits(small, real, 4));  // half an element
}

TEST_CASE("a buffer is known by its lowest byte, whatever its layout")
{
    std::array<std::byte, 64> memory{};
    std::byte* const data = memory.data();
    const auto byte = tutti::datatype::bytes(1);
    const auto backwards = tutti::datatype::vector(3, 2, -8, *byte);  // 0 1, -8 -7, -16 -15
    const auto apart = tutti::datatype::hvector(2, 4, 8, *byte);      // 0 to 3, 8 to 11
    const auto lowest = [](std::vector<tutti::detail::ConstView> buffers) {
        return tutti::check::lowest_bytes(buffers);
    };
    CHECK(lowest({{data + 32, 6, backwards.get()}, {data + 7, 8, nullptr}, {data + 20, 16, apart.get()}}) ==
          std::vector<const std::byte*>{data + 7, data + 16, data + 20});
    CHECK(lowest({{data + 4, 1, nullptr}, {data, 0, nullptr}, {data + 4, 60, nullptr}}) ==
          std::vector<const std::byte*>{data + 4});
    CHECK(lowest({{nullptr, 0, nullptr}}).empty());
}
