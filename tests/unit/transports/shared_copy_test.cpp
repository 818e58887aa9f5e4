// The claims of a copy that two cores share: every byte once, whoever copies it.
#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>

#include "transports/shm/shared_copy.hpp"

using namespace tutti::transport::shm;

namespace {

CopyWork work_of(std::uint64_t bytes)
{
    return {{1, 2}, {3, 4}, bytes};
}

}  // namespace

TEST_CASE("a copy's pieces are all its bytes, each once, whoever claims them")
{
    const std::uint64_t bytes =
        GENERATE(1u, 4096u, 65'536u, 65'537u, 262'144u, 300'001u, (1u << 20) - 1, 50'000'003u);
    const int backs_of_three = GENERATE(0, 1, 2, 3);
    CAPTURE(bytes, backs_of_three);
    SharedCopy copy{};
    copy.begin(work_of(bytes));
    std::size_t front = 0;
    std::size_t back = bytes;
    for (int turn = 0;; ++turn) {
        const bool from_back = turn % 3 < backs_of_three;
        const auto piece = from_back ? copy.claim_back() : copy.claim_front();
        if (!piece)
            break;
        REQUIRE(piece->bytes > 0);
        if (from_back) {
            back -= piece->bytes;
            copy.finish();
        } else {
            front += piece->bytes;
        }
        REQUIRE(piece->offset == (from_back ? back : front - piece->bytes));
    }
    CHECK(front == back);
    CHECK(copy.over());
}

TEST_CASE("a copy of any size has a bounded number of pieces, and before one is begun there are none")
{
    SharedCopy copy{};
    CHECK_FALSE(copy.claim_back());
    copy.begin(work_of(std::uint64_t{1} << 45));
    std::uint64_t pieces = 0;
    std::uint64_t bytes = 0;
    for (auto piece = copy.claim_front(); piece; piece = copy.claim_front()) {
        ++pieces;
        bytes += piece->bytes;
    }
    CHECK(bytes == std::uint64_t{1} << 45);
    CHECK(pieces <= 1u << 16);
}

TEST_CASE("the receiver takes all that is left in one piece")
{
    const std::uint64_t bytes = GENERATE(65'537u, 300'001u, (1u << 22) + 1);
    const int backs = GENERATE(0, 1, 2);
    SharedCopy copy{};
    copy.begin(work_of(bytes));
    const auto first = copy.claim_front();
    REQUIRE(first);
    CHECK_FALSE(copy.is_helped());
    std::size_t end = bytes;
    for (int i = 0; i < backs; ++i) {
        if (const auto piece = copy.claim_back())
            end = piece->offset;
    }
    CHECK(copy.is_helped() == (backs != 0));
    const auto rest = copy.claim_rest();
    if (end == first->bytes) {
        CHECK_FALSE(rest);
    } else {
        REQUIRE(rest);
        CHECK(rest->offset == first->bytes);
        CHECK(rest->offset + rest->bytes == end);
    }
    CHECK_FALSE(copy.claim_rest());
    CHECK_FALSE(copy.claim_front());
    CHECK_FALSE(copy.claim_back());
}

TEST_CASE("the piece that a sender has begun and does not end is known")
{
    const std::size_t bytes = 1u << 20;
    SharedCopy copy{};
    copy.begin(work_of(bytes));
    REQUIRE(copy.claim_back());
    copy.finish();
    const auto begun = copy.claim_back();
    REQUIRE(begun);
    while (copy.claim_front()) {
    }
    CHECK_FALSE(copy.over());
    CHECK_FALSE(copy.failed());
    const auto left = copy.unfinished();
    REQUIRE(left);
    CHECK(left->offset == begun->offset);
    CHECK(left->bytes == begun->bytes);
    copy.fail();
    CHECK(copy.failed());
    copy.begin(work_of(bytes));
    CHECK_FALSE(copy.failed());
    CHECK(copy.over());
}
