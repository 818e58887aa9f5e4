// How many bytes free memory keeps.
#include "lib/heap/retention.hpp"

#include <catch2/catch.hpp>

using tutti::heap::Retention;

namespace {

constexpr std::size_t kMib = std::size_t{1} << 20;
constexpr std::size_t kKib = std::size_t{1} << 10;

}  // namespace

TEST_CASE("what the next requests take again stays")
{
    Retention retention;
    for (int i = 0; i < 1000; ++i) {
        retention.note_taken(0);
        retention.note_freed(4 * kMib);
        REQUIRE(retention.may_stay(4 * kMib, 10 * kMib) == 4 * kMib);
    }
}

TEST_CASE("what nobody takes goes back after a while, but for twice the largest block")
{
    Retention retention;
    std::size_t kept = 12 * kMib;
    int frees = 0;
    for (; frees < 9000 && kept == 12 * kMib; ++frees) {
        retention.note_taken(kept - 64 * kKib);
        retention.note_freed(64 * kKib);
        kept = retention.may_stay(kept, kMib);
    }
    CHECK(frees == 8 * 13 * 16);  // eight times 13 MiB
    CHECK(kept == 256 * kKib);
    // Large blocks want more.
    for (int i = 0; i < 8 * 13; ++i) {
        retention.note_freed(kMib);
        kept = retention.may_stay(12 * kMib, kMib);
    }
    CHECK(kept == 2 * kMib);
}

TEST_CASE("there is a limit at once, higher where what is left lies between blocks in use")
{
    Retention retention;
    retention.note_freed(40 * kMib);
    CHECK(retention.may_stay(40 * kMib, 0) == 24 * kMib);
    retention.note_freed(40 * kMib);
    CHECK(retention.may_stay(60 * kMib, 60 * kMib) == 60 * kMib);
    CHECK(retention.may_stay(70 * kMib, 60 * kMib) == 54 * kMib);
    retention.note_left(66 * kMib);
    CHECK(retention.may_stay(70 * kMib, 60 * kMib) == 70 * kMib);
    CHECK(retention.may_stay(75 * kMib, 60 * kMib) == 66 * kMib);
}
