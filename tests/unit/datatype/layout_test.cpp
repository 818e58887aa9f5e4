#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tutti/error.hpp"
#include "tutti/layout.hpp"

namespace {

using tutti::Layout;
using Bytes = std::vector<std::byte>;

// An object in which every byte tells where it is.
Bytes numbered(std::size_t size)
{
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(i);
    return bytes;
}

Bytes at(std::initializer_list<int> positions)
{
    Bytes bytes;
    for (int position : positions)
        bytes.push_back(static_cast<std::byte>(position));
    return bytes;
}

Bytes packed(const Layout& layout, const std::byte* base)
{
    Bytes out(layout.size_bytes());
    layout.pack(base, 0, out);
    return out;
}

// Packs and unpacks in every two and three pieces, and checks that only the layout's bytes change.
void check_every_split(const Layout& layout, std::size_t object_bytes, std::size_t base_offset)
{
    const Bytes object = numbered(object_bytes);
    const Bytes whole = packed(layout, object.data() + base_offset);
    Bytes expected(object_bytes, std::byte{0xee});
    layout.unpack(expected.data() + base_offset, 0, whole);

    const std::size_t size = layout.size_bytes();
    for (std::size_t first = 0; first <= size; ++first) {
        for (std::size_t second = first; second <= size; ++second) {
            const std::array<std::size_t, 4> cuts{0, first, second, size};
            Bytes out(size);
            Bytes back(object_bytes, std::byte{0xee});
            for (int piece = 0; piece < 3; ++piece) {
                const std::size_t from = cuts[piece];
                const std::size_t length = cuts[piece + 1] - from;
                layout.pack(object.data() + base_offset, from, std::span(out).subspan(from, length));
                layout.unpack(back.data() + base_offset, from, std::span(whole).subspan(from, length));
            }
            REQUIRE(out == whole);
            REQUIRE(back == expected);
        }
    }
}

template <class Call>
void check_invalid(Call call)
{
    try {
        call();
        FAIL("no error");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == tutti::ErrorCode::invalid_argument);
    }
}

}  // namespace

TEST_CASE("a strided layout takes its blocks in order")
{
    const Bytes object = numbered(32);
    CHECK(packed(Layout::strided(3, 2, 5, 1), object.data()) == at({0, 1, 5, 6, 10, 11}));
    CHECK(packed(Layout::strided(2, 1, 3, 4), object.data()) == at({0, 1, 2, 3, 12, 13, 14, 15}));
    CHECK(packed(Layout::strided(1, 3, 100, 1), object.data()) == at({0, 1, 2}));
}

TEST_CASE("a stride may be negative, zero or as long as the block")
{
    const Bytes object = numbered(32);
    CHECK(packed(Layout::strided(3, 2, -4, 1), object.data() + 10) == at({10, 11, 6, 7, 2, 3}));
    CHECK(packed(Layout::strided(3, 2, 0, 1), object.data() + 4) == at({4, 5, 4, 5, 4, 5}));
    CHECK(packed(Layout::strided(3, 2, 2, 1), object.data()) == at({0, 1, 2, 3, 4, 5}));
}

TEST_CASE("an indexed layout takes its blocks as given")
{
    const Bytes object = numbered(32);
    const std::vector<Layout::Block> blocks{{4, 2}, {-3, 3}, {9, 0}, {0, 2}, {20, 1}};
    const Layout layout = Layout::indexed(blocks);
    CHECK(layout.size_bytes() == 8);
    CHECK(packed(layout, object.data() + 5) == at({9, 10, 2, 3, 4, 5, 6, 25}));
}

TEST_CASE("layouts without bytes move nothing")
{
    const std::vector<Layout::Block> empty_blocks{{5, 0}, {-7, 0}};
    for (const Layout& layout : {Layout::strided(0, 3, 5, 4), Layout::strided(7, 0, 5, 4),
                                 Layout::indexed({}), Layout::indexed(empty_blocks)}) {
        CHECK(layout.size_bytes() == 0);
        layout.pack(nullptr, 0, {});
        layout.unpack(nullptr, 0, {});
        Bytes one(1);
        check_invalid([&] { layout.pack(one.data(), 0, one); });
    }
}

TEST_CASE("pieces cut anywhere make the whole")
{
    // Block sizes with and without a constant-size copy, gaps, negative strides.
    for (const std::size_t block : {1, 2, 3, 4, 5, 8, 16}) {
        const auto width = static_cast<std::ptrdiff_t>(block);
        check_every_split(Layout::strided(4, block, width + 3, 1), 100, 0);
        check_every_split(Layout::strided(3, block, -width - 1, 1), 100, 60);
        check_every_split(Layout::strided(3, block, width, 1), 100, 1);
    }
    const std::vector<Layout::Block> blocks{{30, 5}, {0, 1}, {10, 3}, {13, 4}, {-6, 2}, {40, 0}, {50, 7}};
    check_every_split(Layout::indexed(blocks), 80, 8);
}

TEST_CASE("typed views count in elements")
{
    std::array<std::array<int, 5>, 4> matrix{};
    for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 5; ++column)
            matrix[row][column] = 10 * row + column;
    }
    const auto column = tutti::strided(&matrix[0][2], 4, 1, 5);
    std::array<int, 4> values{};
    column.layout.pack(reinterpret_cast<const std::byte*>(column.base), 0,
                       std::as_writable_bytes(std::span(values)));
    CHECK(values == std::array{2, 12, 22, 32});

    const std::vector<std::ptrdiff_t> offsets{7, -1, 0};
    const std::vector<std::size_t> lengths{2, 1, 3};
    const auto picked = tutti::indexed(&matrix[0][1], offsets, lengths);
    std::array<int, 6> some{};
    picked.layout.pack(reinterpret_cast<const std::byte*>(picked.base), 0,
                       std::as_writable_bytes(std::span(some)));
    CHECK(some == std::array{13, 14, 0, 1, 2, 3});
}

TEST_CASE("layouts refuse what cannot be")
{
    const std::vector<std::ptrdiff_t> offsets{0, 4};
    const std::vector<std::size_t> lengths{1, 1, 1};
    check_invalid([&] { Layout::indexed(offsets, lengths, 4); });

    constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max() / 2;
    constexpr std::ptrdiff_t kFar = std::numeric_limits<std::ptrdiff_t>::max();
    check_invalid([&] { Layout::strided(kHuge, 3, 4, 1); });
    check_invalid([&] { Layout::strided(1, kHuge, 4, 8); });
    check_invalid([&] { Layout::strided(4, 1, kFar / 2, 1); });
    check_invalid([&] { Layout::strided(2, 1, kFar, 4); });
    const std::vector<Layout::Block> blocks{{0, kHuge}, {-1, kHuge}};
    check_invalid([&] { Layout::indexed(blocks); });
    const std::vector<Layout::Block> past_the_end{{kFar, 2}};
    check_invalid([&] { Layout::indexed(past_the_end); });

    const Layout layout = Layout::strided(3, 2, 5, 1);
    Bytes object(20);
    Bytes piece(4);
    check_invalid([&] { layout.pack(object.data(), 3, piece); });
    check_invalid([&] { layout.unpack(object.data(), 7, std::span(piece).first(0)); });
    check_invalid([&] { layout.unpack(object.data(), std::numeric_limits<std::size_t>::max(), piece); });
}
