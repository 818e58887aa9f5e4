#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <numeric>

#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/transfer.hpp"
#include "tutti/error.hpp"

namespace {

using namespace tutti::datatype;
using tutti::DataType;

constexpr std::ptrdiff_t kFar = std::numeric_limits<std::ptrdiff_t>::max();
constexpr std::size_t kMany = std::size_t{1} << 40;

// Nodes and entries of lists; bytes that lie together have none.
std::size_t weight(const Shape* shape)
{
    if (shape == nullptr)
        return 0;
    std::size_t all = 1 + weight(shape->item.get()) + shape->blocks.size();
    for (const Shape::Part& part : shape->parts)
        all += 1 + weight(part.shape.get());
    return all;
}
std::size_t weight(const TypemapRef& type)
{
    return weight(type->placed().shape.get());
}

template <class Call>
void check_refused(const char* words, Call call)
{
    try {
        call();
        FAIL("no error");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == tutti::ErrorCode::invalid_argument);
        CHECK_THAT(error.what(), Catch::Contains(words));
    }
}

}  // namespace

TEST_CASE("predefined pairs have the sizes and extents of C")
{
    const auto pair = [](DataType value) {
        const TypemapRef first = basic(value);
        const TypemapRef second = basic(DataType::int32);
        const auto behind = static_cast<std::ptrdiff_t>(first->size_bytes());
        const std::array members{Member{0, 1, first.get()}, Member{behind < 4 ? 4 : behind, 1, second.get()}};
        return structure(members);
    };
    const TypemapRef double_int = pair(DataType::float64);
    CHECK(double_int->size_bytes() == 12);
    CHECK(double_int->extent_bytes() == 16);
    CHECK(double_int->is_one_run());
    CHECK_FALSE(double_int->is_contiguous());
    const TypemapRef short_int = pair(DataType::int16);
    CHECK(short_int->size_bytes() == 6);
    CHECK(short_int->extent_bytes() == 8);
    CHECK_FALSE(short_int->is_one_run());
    const TypemapRef long_double_int = pair(DataType::long_double);
    CHECK(long_double_int->size_bytes() == 20);
    CHECK(long_double_int->extent_bytes() == 32);
    CHECK(long_double_int->alignment() == 16);
    // Elements of a pair travel with the gap left out.
    CHECK(contiguous(10, *double_int)->size_bytes() == 120);
    CHECK(weight(contiguous(10, *double_int)) == 1);
    CHECK(long_double_int->signature().whole_elements(19) == 1);
}

TEST_CASE("nestings of vectors and subarrays take constant memory")
{
    const TypemapRef real = basic(DataType::float64);
    CHECK(weight(contiguous(kMany, *contiguous(7, *real))) == 0);
    CHECK(contiguous(kMany, *contiguous(7, *real))->is_contiguous());
    CHECK(weight(vector(kMany, 3, 3, *real)) == 0);
    CHECK(vector(kMany, 3, 3, *real)->is_contiguous());

    const TypemapRef column = vector(1000, 1, 50, *real);
    CHECK(weight(column) == 1);
    CHECK(weight(contiguous(50, *resized(0, 8, *column))) == 2);
    CHECK(weight(contiguous(1 << 20, *resized(0, 1000 * 50 * 8, *column))) == 1);  // the stride goes on
    CHECK(weight(hvector(kMany, 1, 800, *vector(2, 1, 50, *real))) == 1);

    const std::array cube{Dimension{4096, 4096, 0}, Dimension{4096, 4096, 0}, Dimension{4096, 4096, 0}};
    CHECK(weight(subarray(cube, Order::c, *real)) == 0);
    const std::array plane{Dimension{4096, 4096, 0}, Dimension{4096, 1, 7}, Dimension{4096, 4096, 0}};
    CHECK(weight(subarray(plane, Order::c, *real)) == 1);
    const std::array core{Dimension{4096, 4094, 1}, Dimension{4096, 4094, 1}, Dimension{4096, 4094, 1}};
    const TypemapRef inside = subarray(core, Order::c, *real);
    CHECK(weight(inside) == 2);
    CHECK(inside->size_bytes() == std::size_t{4094} * 4094 * 4094 * 8);
    CHECK(inside->extent_bytes() == std::ptrdiff_t{4096} * 4096 * 4096 * 8);
    CHECK(inside->true_lower_bound() == (4096 * 4096 + 4096 + 1) * 8);

    // Lists of what is regular.
    std::vector<Block> rows(10'000);
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = {static_cast<std::ptrdiff_t>(64 * i), 5};
    CHECK(weight(hindexed(rows, *basic(DataType::int8))) == 1);
    CHECK(weight(indexed(rows, *real)) == 1);
    std::vector<Member> members;
    for (std::size_t i = 0; i < 100; ++i)
        members.push_back({static_cast<std::ptrdiff_t>(i * 1024 * 1024), 1, column.get()});
    CHECK(weight(structure(members)) == 2);
    // What is not is listed once, however often it is repeated.
    rows[17].count = 6;
    const TypemapRef irregular = indexed(rows, *real);
    CHECK(weight(irregular) <= rows.size() + 2);
    CHECK(weight(contiguous(kMany, *irregular)) == weight(irregular) + 1);
}

TEST_CASE("a piece from the middle of very many elements")
{
    std::array<std::uint16_t, 8> memory{};
    std::iota(memory.begin(), memory.end(), std::uint16_t{1});
    const TypemapRef every_other = vector(kMany, 1, 2, *basic(DataType::int16));
    CHECK(every_other->size_bytes() == 2 * kMany);
    CHECK(every_other->signature().elements == kMany);
    // The object begins so far below that its middle is in the array.
    const auto base = reinterpret_cast<std::uintptr_t>(memory.data()) - kMany / 2 * 4;
    std::array<std::uint16_t, 4> taken{};
    pack(*every_other, 1, reinterpret_cast<const std::byte*>(base), kMany,
         std::as_writable_bytes(std::span(taken)));
    CHECK(taken == std::array<std::uint16_t, 4>{1, 3, 5, 7});
}

TEST_CASE("bounds that were given hold in place of those of the data, also in what is made of it")
{
    const TypemapRef integer = basic(DataType::int32);
    const TypemapRef wide = resized(-4, 20, *integer);
    CHECK(wide->lower_bound() == -4);
    CHECK(wide->upper_bound() == 16);
    CHECK(wide->true_lower_bound() == 0);
    CHECK(wide->true_extent_bytes() == 4);
    const std::array members{Member{0, 1, wide.get()}, Member{100, 1, integer.get()}};
    CHECK(structure(members)->lower_bound() == -4);
    CHECK(structure(members)->upper_bound() == 16);
    CHECK(structure(members)->true_extent_bytes() == 104);
    CHECK(resized(0, 4, *wide)->is_contiguous());
    CHECK(vector(3, 1, -2, *integer)->lower_bound() == -16);
    CHECK(vector(3, 1, -2, *integer)->extent_bytes() == 20);
}

TEST_CASE("members that differ only in their strides")
{
    std::array<std::uint8_t, 24> memory{};
    std::iota(memory.begin(), memory.end(), std::uint8_t{0});
    const TypemapRef byte = basic(DataType::uint8);
    const TypemapRef by_twos = vector(3, 1, 2, *byte);
    const TypemapRef by_threes = vector(3, 1, 3, *byte);
    const std::array members{Member{0, 1, by_twos.get()}, Member{8, 1, by_threes.get()},
                             Member{16, 1, by_twos.get()}};
    const TypemapRef all = structure(members);
    std::array<std::uint8_t, 9> taken{};
    pack(*all, 1, reinterpret_cast<const std::byte*>(memory.data()), 0,
         std::as_writable_bytes(std::span(taken)));
    CHECK(taken == std::array<std::uint8_t, 9>{0, 2, 4, 8, 11, 14, 16, 18, 20});
}

TEST_CASE("types of nothing")
{
    const TypemapRef integer = basic(DataType::int32);
    for (const TypemapRef& empty : {contiguous(0, *integer), vector(3, 0, 5, *integer), indexed({}, *integer),
                                    indexed({{5, 0}}, *integer), structure({}), bytes(0)}) {
        CHECK(empty->size_bytes() == 0);
        CHECK(empty->extent_bytes() == 0);
        CHECK(empty->alignment() == 1);
        CHECK(empty->is_contiguous());
        pack(*empty, 5, nullptr, 0, {});
    }
    const TypemapRef marked = resized(0, 24, *contiguous(0, *integer));
    CHECK(contiguous(3, *marked)->extent_bytes() == 72);
    CHECK(contiguous(3, *marked)->size_bytes() == 0);
}

TEST_CASE("types refuse what cannot be")
{
    const TypemapRef real = basic(DataType::float64);
    check_refused("exceed the address space", [&] { contiguous(kMany << 22, *real); });
    check_refused("exceed the address space", [&] { vector(2, 1, kFar, *real); });
    check_refused("exceed the address space", [&] { hvector(4, 1, kFar / 2, *real); });
    check_refused("exceed the address space", [&] { hindexed({{kFar, 1}}, *real); });
    check_refused("exceed the address space", [&] { hindexed({{-kFar, 1}, {kFar - 8, 1}}, *real); });
    check_refused("exceed the address space", [&] { resized(kFar, 1, *real); });
    check_refused("exceed the address space", [] { bytes(std::numeric_limits<std::size_t>::max()); });
    const std::array wide{Dimension{kMany, 1, 0}, Dimension{kMany, 1, 0}};
    check_refused("exceed the address space", [&] { subarray(wide, Order::c, *real); });
    const std::array past{Dimension{4, 3, 2}};
    check_refused("a subarray takes 3 elements from 2 on of a dimension of 4",
                  [&] { subarray(past, Order::c, *real); });
    check_refused("no basic type", [] { basic(tutti::with_index(DataType::float64, 4)); });

    TypemapRef nested = real;
    check_refused("nested", [&] {
        for (unsigned i = 0; i <= kMostLevels; ++i)
            nested = structure(
                std::array{Member{0, 1, nested.get()}, Member{nested->extent_bytes() + 8, 1, real.get()}});
    });

    std::array<std::byte, 16> memory{};
    check_refused("bytes 8 to 24 were asked of a layout of 16 bytes",
                  [&] { pack(*real, 2, memory.data(), 8, memory); });
}
