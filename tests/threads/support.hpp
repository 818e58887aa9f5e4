// Checks for use on any rank's thread (Catch's own are for one thread), and the rank counts that tests run
// at.
#pragma once

#include <catch2/catch.hpp>

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "tests/expect.hpp"
#include "tests/sanitizers.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {

/// `call` must throw tutti::Error with this code, and this text in its sentence.
template <class Call>
void expect_error(ErrorCode code, const std::string& text, Call&& call,
                  std::source_location where = std::source_location::current())
{
    try {
        call();
    } catch (const Error& error) {
        expect(error.code() == code, std::string("code of: ") + error.what(), where);
        expect(std::string(error.what()).find(text) != std::string::npos,
               std::string("text of: ") + error.what(), where);
        return;
    }
    expect(false, "no error was thrown", where);
}

/// Blocks from all ranks for all are as many as ranks by ranks.
inline constexpr int kMostRanks = kSanitized ? 5 : 16;

/// Runs `body` at 1, 2, 3, 4, 7 and kMostRanks ranks; at 3 and kMostRanks under a sanitizer.
inline void at_all_sizes(const std::function<void(const Communicator&)>& body,
                         EnvironmentOptions options = {})
{
    for (const int ranks : {1, 2, 3, 4, 7, kMostRanks}) {
        if (kSanitized && ranks != 3 && ranks != kMostRanks)
            continue;
        INFO(ranks << " ranks");
        REQUIRE_NOTHROW(run_threads(
            ranks, [&](Environment& environment) { body(environment.world()); }, options));
    }
}

/// Runs `body` at one size.
inline void at_size(int ranks, const std::function<void(const Communicator&)>& body,
                    EnvironmentOptions options = {})
{
    REQUIRE_NOTHROW(run_threads(
        ranks, [&](Environment& environment) { body(environment.world()); }, options));
}

/// Elements that tell sender, message and index apart.
inline std::vector<int> numbers(int sender, int message, std::size_t count)
{
    std::vector<int> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = sender * 1'000'003 + message * 7919 + static_cast<int>(i) * 31 + 1;
    return values;
}

}  // namespace tutti::test
