// What is told of attached memory: the pieces, their parts, and nothing else.
#include "lib/core/windows/attached_memory.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <memory>
#include <thread>

using tutti::detail::AttachedMemory;
using tutti::transport::RemoteRegion;

namespace {

/// As it lies in memory of any content.
struct Attached {
    Attached() : reported(AttachedMemory::make(&memory)) {}
    alignas(AttachedMemory) std::byte memory[sizeof(AttachedMemory)];
    AttachedMemory& reported;
};

}  // namespace

TEST_CASE("pieces of attached memory are found, and parts of them, but nothing beyond")
{
    const auto attached = std::make_unique<Attached>();
    AttachedMemory& reported = attached->reported;
    CHECK_FALSE(reported.find(1000, 1).has_value());
    reported.add(1000, 50, {7, 3});
    reported.add(1050, 10, {90, 4});
    reported.add(~std::uint64_t{0} - 9, 10, {5, 6});
    REQUIRE(reported.find(1000, 50).has_value());
    CHECK(reported.find(1000, 50)->address == 7);
    CHECK(reported.find(1000, 50)->key == 3);
    CHECK(reported.find(1049, 1)->address == 56);
    CHECK(reported.find(1050, 10)->key == 4);
    CHECK(reported.find(~std::uint64_t{0}, 1)->address == 14);
    CHECK_FALSE(reported.find(999, 1).has_value());
    CHECK_FALSE(reported.find(1000, 51).has_value());
    CHECK_FALSE(reported.find(1049, 2).has_value());  // across two pieces
    CHECK_FALSE(reported.find(1060, 1).has_value());
    CHECK_FALSE(reported.find(1001, ~std::uint64_t{0}).has_value());
    CHECK_FALSE(reported.find(~std::uint64_t{0}, 2).has_value());
    reported.remove(1000);
    CHECK_FALSE(reported.find(1000, 1).has_value());
    CHECK(reported.find(1050, 10).has_value());
    CHECK_FALSE(reported.find(0, 0).has_value());
}

TEST_CASE("places of pieces that are no more serve others; what finds no room is not told of")
{
    const auto attached = std::make_unique<Attached>();
    AttachedMemory& reported = attached->reported;
    for (std::uint64_t i = 0; i < AttachedMemory::kMost; ++i)
        reported.add(1000 * (i + 1), 8, {i, 1});
    reported.add(5, 8, {0, 1});
    CHECK_FALSE(reported.find(5, 8).has_value());
    reported.remove(3000);
    reported.add(5, 8, {77, 1});
    REQUIRE(reported.find(5, 8).has_value());
    CHECK(reported.find(5, 8)->address == 77);
    CHECK(reported.find(1000 * AttachedMemory::kMost, 8)->address == AttachedMemory::kMost - 1);
}

TEST_CASE("who looks while pieces change gets one of them, or none")
{
    const auto attached = std::make_unique<Attached>();
    AttachedMemory& reported = attached->reported;
    reported.add(100, 8, {1, 1});
    std::atomic<bool> over{false};
    std::jthread owner([&] {
        for (std::uint64_t i = 1; i <= 20'000; ++i) {
            const std::uint64_t address = i * 1000;
            reported.add(address, 1 + i % 900, {i, i});
            reported.remove(address);
        }
        over = true;
    });
    bool wrong = false;
    std::uint64_t looks = 0;
    for (std::uint64_t i = 1; !over || looks == 0; i = i % 20'000 + 1, ++looks) {
        const auto found = reported.find(i * 1000, 1);
        wrong |= found && (found->address != i || found->key != i);
        wrong |= !reported.find(100, 8);
    }
    CHECK_FALSE(wrong);
}
