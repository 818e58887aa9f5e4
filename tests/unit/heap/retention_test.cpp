// When pages of free memory go back to the system.
#include "lib/heap/retention.hpp"

#include <catch2/catch.hpp>

using tutti::heap::Retention;

namespace {

constexpr std::size_t kMib = std::size_t{1} << 20;

// Blocks of `block` bytes that are freed until a turn ends.
int frees_a_turn(Retention& retention, std::size_t block, std::size_t kept, std::size_t used)
{
    for (int frees = 1; frees < 9000; ++frees) {
        retention.note_freed(block);
        if (retention.ends_turn(kept, used))
            return frees;
    }
    return -1;
}

}  // namespace

TEST_CASE(
    "a turn ends when as much is freed as is in use and kept, at least 1 MiB, and four of the largest block")
{
    Retention retention;
    for (int turn = 0; turn < 3; ++turn) {
        CHECK(frees_a_turn(retention, kMib / 4, 10 * kMib, 20 * kMib) == 4 * 30);
        CHECK(frees_a_turn(retention, kMib / 8, 0, 0) == 8);
        CHECK(frees_a_turn(retention, 2 * kMib, 0, kMib) == 4);
    }
    retention.note_freed(8 * kMib);
    CHECK(frees_a_turn(retention, kMib, 0, 0) == 24);
}

TEST_CASE("there is a limit at once, higher where what is left lies between blocks in use")
{
    Retention retention;
    CHECK(retention.may_stay(32 * kMib, 0) == 32 * kMib);
    CHECK(retention.may_stay(40 * kMib, 0) == 24 * kMib);
    CHECK(retention.may_stay(60 * kMib, 60 * kMib) == 60 * kMib);
    CHECK(retention.may_stay(70 * kMib, 60 * kMib) == 54 * kMib);
    retention.note_left(66 * kMib);
    CHECK(retention.may_stay(70 * kMib, 60 * kMib) == 70 * kMib);
    CHECK(retention.may_stay(75 * kMib, 60 * kMib) == 66 * kMib);
}
