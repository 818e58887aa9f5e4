// Accesses to a window that conflict.
#include "lib/core/windows/window_conflicts.hpp"

#include <random>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

using tutti::detail::WindowAccesses;
using tutti::detail::WindowUse;

TEST_CASE("gets agree with gets and updates with updates, and all else conflicts")
{
    const WindowUse all[] = {WindowUse::get, WindowUse::put, WindowUse::update};
    for (const WindowUse first : all)
        for (const WindowUse second : all) {
            WindowAccesses accesses;
            accesses.note(first, 10, 20);
            const bool agree = first == second && first != WindowUse::put;
            CAPTURE(static_cast<int>(first), static_cast<int>(second));
            const auto found = accesses.conflict(second, 15, 25);
            REQUIRE(found.has_value() == !agree);
            if (!agree) {
                CHECK(found->earlier == first);
                CHECK(found->begin == 15);
                CHECK(found->end == 20);
            }
            CHECK_FALSE(accesses.conflict(second, 20, 30));
            CHECK_FALSE(accesses.conflict(second, 0, 10));
        }
}

TEST_CASE("gets are complete before puts")
{
    WindowAccesses accesses;
    accesses.note(WindowUse::get, 0, 8);
    accesses.note(WindowUse::put, 8, 16);
    accesses.forget_gets();
    CHECK_FALSE(accesses.conflict(WindowUse::put, 0, 8));
    CHECK(accesses.conflict(WindowUse::put, 0, 9));
    accesses.forget();
    CHECK_FALSE(accesses.conflict(WindowUse::put, 0, 16));
}

TEST_CASE("conflicts of many ranges are those of their bytes")
{
    std::mt19937 random(1);
    const auto below = [&](int bound) {
        return static_cast<std::ptrdiff_t>(random() % static_cast<unsigned>(bound));
    };
    for (int round = 0; round < 200; ++round) {
        WindowAccesses accesses;
        std::set<std::ptrdiff_t> read;
        std::set<std::ptrdiff_t> updated;
        for (int i = 0; i < 20; ++i) {
            const std::ptrdiff_t begin = below(100);
            const std::ptrdiff_t end = begin + below(12);
            const bool is_get = below(2) == 0;
            accesses.note(is_get ? WindowUse::get : WindowUse::update, begin, end);
            for (std::ptrdiff_t at = begin; at < end; ++at)
                (is_get ? read : updated).insert(at);
        }
        for (int i = 0; i < 20; ++i) {
            const std::ptrdiff_t begin = below(110);
            const std::ptrdiff_t end = begin + below(12);
            std::ptrdiff_t first = begin;
            while (first < end && !read.contains(first) && !updated.contains(first))
                ++first;
            const auto found = accesses.conflict(WindowUse::put, begin, end);
            REQUIRE(found.has_value() == (first < end));
            if (!found)
                continue;
            CHECK(found->begin == first);
            for (std::ptrdiff_t at = found->begin; at < found->end; ++at)
                CHECK((found->earlier == WindowUse::get ? read : updated).contains(at));
        }
    }
}
