// Which way the messages of a window go: runs of both are tried, and count by the time of their second half.
#include <catch2/catch.hpp>

#include <cstdint>

#include "lib/engine/protocol/window_choice.hpp"

using tutti::protocol::Way;
using tutti::protocol::WayChoice;
using tutti::protocol::WindowChoice;
using tutti::protocol::WindowRun;

namespace {

constexpr std::size_t kWindowBytes = 20'000;  // runs of 32, as all sizes from 16 KiB to 32 KiB
constexpr unsigned kWindowRun = 32;
constexpr unsigned kMessagesTried = 4 * kWindowRun;

/// A machine where each way takes a fixed time in the middle of a run, and where the first messages of a
/// stream have been sent while others were received.
struct WindowMachine {
    std::int64_t pull_ns;
    std::int64_t stream_ns;
    std::int64_t first_streams_ns;

    std::int64_t now_ns = 1000;
    unsigned streamed = 0;
    WindowRun run{};

    Way send(WindowChoice& choice, std::size_t bytes = kWindowBytes)
    {
        const Way way = choice.choose(bytes).value_or(Way::stream);
        streamed = way == Way::stream ? streamed + 1 : 0;
        now_ns += way == Way::pull ? pull_ns : streamed <= kWindowRun / 2 ? first_streams_ns : stream_ns;
        choice.record(run, way, bytes, now_ns, false);
        choice.follow(bytes, choice.advice(bytes, false));
        return way;
    }
};

}  // namespace

TEST_CASE("runs of both ways are tried in turn, then the better one is taken")
{
    for (const bool pull_wins : {true, false}) {
        CAPTURE(pull_wins);
        WindowMachine machine{pull_wins ? 100 : 300, pull_wins ? 300 : 100, 100};
        WindowChoice choice;
        for (unsigned number = 0; number < kMessagesTried; ++number) {
            CAPTURE(number);
            REQUIRE(machine.send(choice) == (number / kWindowRun % 2 == 0 ? Way::stream : Way::pull));
        }
        for (unsigned number = kMessagesTried; number < 8 * kWindowRun; ++number)
            REQUIRE(machine.send(choice) == (pull_wins ? Way::pull : Way::stream));
    }
}

TEST_CASE("streams that were sent while others were received do not look cheap")
{
    WindowMachine machine{100, 300, 10};
    WindowChoice choice;
    for (unsigned number = 0; number < kMessagesTried; ++number)
        machine.send(choice);
    CHECK(machine.send(choice) == Way::pull);
}

TEST_CASE("the other way gets a run at the 8th run, the 16th ... and what has become better is found out")
{
    WindowMachine machine{100, 300, 300};
    WindowChoice choice;
    unsigned other = 0;
    for (unsigned number = 0; number < 33 * kWindowRun; ++number) {
        const Way way = machine.send(choice);
        const unsigned run = number / kWindowRun;
        const bool retry = run == 8 || run == 16 || run == 32;
        if (run >= 4)
            REQUIRE((way == Way::stream) == retry);
        other += retry;
    }
    CHECK(other == 3 * kWindowRun);

    machine.pull_ns = 1000;  // found out by each message
    for (unsigned number = 0; number < 8 * kWindowRun; ++number)
        machine.send(choice);
    CHECK(machine.send(choice) == Way::stream);
}

TEST_CASE("a window that is shorter than half a run, or of several sizes, times nothing")
{
    WindowMachine machine{100, 300, 300};
    WindowChoice choice;
    for (unsigned number = 0; number < 10 * kWindowRun; ++number) {
        if (number % (kWindowRun / 2) == 0)
            machine.run = {};  // the sender had waited
        machine.send(choice);
    }
    CHECK(choice.advice(kWindowBytes, false) == 0);
    CHECK_FALSE(choice.choose(kWindowBytes));

    WindowChoice mixed;
    WindowMachine sizes{100, 300, 300};
    for (unsigned number = 0; number < 10 * kWindowRun; ++number)
        sizes.send(mixed, number % 2 == 0 ? kWindowBytes : 2 * kWindowBytes);
    CHECK(mixed.advice(kWindowBytes, false) == 0);
    CHECK(mixed.advice(2 * kWindowBytes, false) == 0);
}

TEST_CASE("longer messages need shorter runs")
{
    WindowMachine machine{100, 300, 300};
    WindowChoice choice;
    for (unsigned number = 0; number < 16; ++number) {
        CAPTURE(number);
        REQUIRE(machine.send(choice, 1u << 20) == (number / 4 % 2 == 0 ? Way::stream : Way::pull));
    }
    CHECK(machine.send(choice, 1u << 20) == Way::pull);
}

TEST_CASE("a message in a window is chosen for apart from one by itself, and both advices travel in one word")
{
    WayChoice receiver;
    WindowMachine machine{100, 300, 300};
    for (unsigned number = 0; number < kMessagesTried; ++number)
        machine.send(receiver.window);
    for (int i = 0; i < 4; ++i) {
        receiver.single.record(Way::pull, kWindowBytes, 300);
        receiver.single.record(Way::stream, kWindowBytes, 100);
    }
    WayChoice sender;
    for (unsigned i = 0; i < 6; ++i)
        sender.choose(kWindowBytes, false);
    for (unsigned i = 0; i < kMessagesTried; ++i)
        sender.choose(kWindowBytes, true);
    sender.follow(kWindowBytes, receiver.advice(kWindowBytes, false));
    CHECK(sender.choose(kWindowBytes, false) == Way::stream);
    CHECK(sender.choose(kWindowBytes, true) == Way::pull);
    sender.follow(kWindowBytes, WayChoice::advise(Way::stream));
    CHECK(sender.choose(kWindowBytes, true) == Way::stream);
    sender.follow(kWindowBytes, WayChoice::advise(Way::pull));
    CHECK(sender.choose(kWindowBytes, false) == Way::pull);
    CHECK(sender.choose(kWindowBytes, true) == Way::pull);
}

TEST_CASE("where both ranks send at once, times and advice are apart, and a stream counts for more")
{
    WindowChoice choice;
    WindowRun run;
    std::int64_t now = 1000;
    for (const Way way : {Way::stream, Way::pull})
        for (unsigned i = 0; i < kWindowRun; ++i)
            choice.record(run, way, kWindowBytes, now += way == Way::stream ? 100 : 150, true);
    CHECK(choice.advice(kWindowBytes, false) == 0);
    CHECK(choice.advice(kWindowBytes, true) == WayChoice::advise(Way::pull) % 4);
}
