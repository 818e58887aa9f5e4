// Columns: elements of one size at equal distances, which are copied in ways of their own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <vector>

#include "lib/foundation/datatype/build.hpp"
#include "lib/foundation/datatype/every_second.hpp"
#include "lib/foundation/datatype/transfer.hpp"

namespace {

using namespace tutti::datatype;

std::byte pattern(std::size_t place)
{
    return static_cast<std::byte>(place * 31 % 251 + 1);
}

// Memory that ends with the last element of a column, so that a sanitizer sees an access behind it.
std::vector<std::byte> memory_of(std::size_t count, std::size_t element, std::size_t stride)
{
    std::vector<std::byte> memory(count == 0 ? 0 : (count - 1) * stride + element);
    for (std::size_t place = 0; place < memory.size(); ++place)
        memory[place] = pattern(place);
    return memory;
}

}  // namespace

TEST_CASE("columns of all sizes and distances keep their order, and what lies between them")
{
    const std::size_t element = GENERATE(1u, 2u, 3u, 4u, 8u, 12u, 16u);
    const std::size_t every = GENERATE(2u, 3u, 7u);
    for (const std::size_t count : {1u, 2u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 129u, 1000u}) {
        CAPTURE(element, every, count);
        const std::size_t stride = every * element;
        const TypemapRef column = strided_bytes(count, element, static_cast<std::ptrdiff_t>(stride));
        std::vector<std::byte> memory = memory_of(count, element, stride);
        std::vector<std::byte> wire(count * element);
        pack(*column, 1, memory.data(), 0, wire);
        bool packed = true;
        for (std::size_t byte = 0; byte < wire.size(); ++byte)
            packed = packed && wire[byte] == pattern(byte / element * stride + byte % element);
        CHECK(packed);

        for (const std::size_t from : {std::size_t{0}, wire.size() / 3}) {
            std::vector<std::byte> expected = memory;
            for (std::size_t byte = from; byte < wire.size(); ++byte) {
                wire[byte] = ~wire[byte];
                expected[byte / element * stride + byte % element] = wire[byte];
            }
            unpack(*column, 1, memory.data(), from, std::span(wire).subspan(from));
            CHECK(memory == expected);
        }
    }
}

TEST_CASE("elements that are spread go to every second place, as many as it says, and no byte lies between")
{
    const std::size_t element = GENERATE(1u, 2u, 4u, 8u);
    for (std::size_t count = 0; count < 150; ++count) {
        CAPTURE(element, count);
        std::vector<std::byte> memory = memory_of(count, element, 2 * element);
        std::vector<std::byte> expected = memory;
        std::vector<std::byte> wire(count * element);
        std::ranges::generate(wire, [place = std::size_t{1000}]() mutable { return pattern(place++); });
        const std::size_t done = spread_every_second(memory.data(), wire.data(), element, count);
        REQUIRE(done <= count);
        for (std::size_t i = 0; i < done; ++i)
            std::copy_n(wire.data() + i * element, element, expected.data() + 2 * i * element);
        CHECK(memory == expected);
    }
}
