// What a waiting rank does next, by a clock that the test turns.
#include <catch2/catch.hpp>

#include <cstdint>
#include <tuple>
#include <vector>

#include "lib/engine/progress/wait_policy.hpp"

namespace tutti::progress {

namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kStart = 1'000'000'007;  // a clock that has been going for a while

// Idle passes until the policy stops spinning.
unsigned spins(const WaitPolicy& policy, unsigned passes_at_once = 1)
{
    WaitPolicy::Idle idle;
    unsigned passes = passes_at_once;
    while (policy.spins_on(idle, passes_at_once))
        passes += passes_at_once;
    return passes;
}

// Yields that take `yield_ns` each, until it is time to sleep.
unsigned yields(WaitPolicy& policy, WaitPolicy::Idle& idle, std::int64_t& now_ns, std::int64_t yield_ns)
{
    for (unsigned count = 1;; ++count) {
        now_ns += yield_ns;
        if (policy.wants_time() && policy.sleeps(idle, now_ns))
            return count;
    }
}

using Question = std::tuple<std::int64_t, std::int64_t, bool>;  // asked at, waited for, twice as long

// What a wait asks in `until_ns`, which sleeps as long as it may each time.
std::vector<Question> questions(std::int64_t until_ns, bool again_soon)
{
    Patience patience;
    std::vector<Question> asked;
    for (std::int64_t at_ns = 0; at_ns <= until_ns;)
        at_ns += patience.lose(kStart + at_ns, [&](std::int64_t waited_ns, bool twice_as_long) {
            asked.emplace_back(at_ns, waited_ns, twice_as_long);
            return again_soon;
        });
    return asked;
}

}  // namespace

TEST_CASE("a rank with a core of its own spins 2000 passes, one that shares it none")
{
    CHECK(spins({false, false}) == 2000);
    CHECK(spins({false, false}, 16) == 2000);
    CHECK(spins({true, false}) == 1);
    CHECK(spins({true, true}) == 1);
    CHECK(WaitPolicy(false, false).ever_spins());
    CHECK_FALSE(WaitPolicy(true, false).ever_spins());
}

TEST_CASE("what arrives starts a wait's spinning and yielding anew")
{
    WaitPolicy policy(false, false);
    WaitPolicy::Idle idle;
    std::int64_t now_ns = kStart;
    while (policy.spins_on(idle)) {
    }
    yields(policy, idle, now_ns, kUs);
    idle = {};
    CHECK(policy.spins_on(idle));
    CHECK_FALSE(policy.sleeps(idle, now_ns));
}

TEST_CASE("every eighth yield looks at the clock, whichever wait it belongs to")
{
    WaitPolicy policy(true, false);
    for (int round = 0; round < 3; ++round) {
        for (int yield = 1; yield < 8; ++yield)
            CHECK_FALSE(policy.wants_time());
        CHECK(policy.wants_time());
    }
}

TEST_CASE("a rank yields for 200 us, 2 ms where cores are shared, and hardly where ranks are crowded")
{
    const auto [shared, crowded, yields_of_10_us] = GENERATE(
        table<bool, bool, unsigned>({{false, false, 8 + 24}, {true, false, 8 + 200}, {true, true, 8}}));
    CAPTURE(shared, crowded);
    WaitPolicy policy(shared, crowded);
    WaitPolicy::Idle idle;
    std::int64_t now_ns = kStart;
    // From the first look at the clock on, to the next look after that time.
    CHECK(yields(policy, idle, now_ns, 10 * kUs) == yields_of_10_us);
    // It goes on sleeping as long as nothing arrives.
    CHECK(policy.sleeps(idle, now_ns + 1));
}

TEST_CASE("a rank goes home at once, then after 0.5 to 16 ms, twice as long each time")
{
    WaitPolicy policy(true, false);
    std::int64_t now_ns = kStart;
    CHECK(policy.goes_home(now_ns));
    for (const std::int64_t stay_us : {500, 1'000, 2'000, 4'000, 8'000, 16'000, 16'000, 16'000}) {
        CAPTURE(stay_us);
        CHECK_FALSE(policy.goes_home(now_ns + stay_us * kUs - 1));
        now_ns += stay_us * kUs;
        CHECK(policy.goes_home(now_ns));
    }
}

TEST_CASE("a wait asks what is wrong after 100 ms, whenever it has lasted twice as long, and every 300 ms")
{
    CHECK(questions(1'900 * kMs, false) == std::vector<Question>{{100 * kMs, 100 * kMs, true},
                                                                 {200 * kMs, 200 * kMs, true},
                                                                 {400 * kMs, 400 * kMs, true},
                                                                 {700 * kMs, 700 * kMs, false},
                                                                 {800 * kMs, 800 * kMs, true},
                                                                 {1'100 * kMs, 1'100 * kMs, false},
                                                                 {1'400 * kMs, 1'400 * kMs, false},
                                                                 {1'600 * kMs, 1'600 * kMs, true},
                                                                 {1'900 * kMs, 1'900 * kMs, false}});
}

TEST_CASE("a wait that is told to asks each 100 ms, and once it has lasted twice as long says so")
{
    const auto asked = questions(900 * kMs, true);
    REQUIRE(asked.size() == 9);
    for (std::int64_t i = 0; i < 9; ++i) {
        const std::int64_t waited_ns = (i + 1) * 100 * kMs;
        const bool doubled = i == 0 || i == 1 || i == 3 || i == 7;
        CHECK(asked[static_cast<std::size_t>(i)] == Question{waited_ns, waited_ns, doubled});
    }
}

TEST_CASE("no sleep is longer than 300 ms, nor than until the next question")
{
    Patience patience;
    const auto nothing = [](std::int64_t, bool) { return false; };
    CHECK(patience.lose(kStart, nothing) == 100 * kMs);
    CHECK(patience.lose(kStart + 30 * kMs, nothing) == 70 * kMs);
    CHECK(patience.lose(kStart + 5'000 * kMs, nothing) == Patience::kLongestSleepNs);
    CHECK(patience.lose(kStart + 5'100 * kMs, nothing) == 200 * kMs);
}

}  // namespace tutti::progress
