// Pull or stream: both are tried, the faster one stays, and the other gets its chances. Messages of a window
// are chosen for apart: runs of both are tried, and count by the time of their second half.
#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

#include "lib/engine/protocol/pull_or_stream.hpp"

using tutti::protocol::MessageProtocol;
using tutti::protocol::PullOrStream;
using tutti::protocol::WindowRun;

namespace {

constexpr auto kPull = MessageProtocol::pull;
constexpr auto kStream = MessageProtocol::stream;
constexpr unsigned kFirstTries = 6;
constexpr unsigned kRetryEvery = 512;
constexpr std::size_t kWindowBytes = 20'000;  // runs of 32, as all sizes from 16 KiB to 32 KiB
constexpr unsigned kWindowRun = 32;
constexpr unsigned kMessagesTried = kFirstTries * kWindowRun;

/// A machine where each protocol takes a fixed time.
struct Machine {
    std::int64_t pull_ns;
    std::int64_t stream_ns;

    /// The protocol of one message.
    MessageProtocol send(PullOrStream& choice, std::size_t bytes) const
    {
        const MessageProtocol protocol = choice.choose(bytes, false);
        choice.record(protocol, bytes, protocol == kPull ? pull_ns : stream_ns, false);
        choice.follow(bytes, choice.advice(bytes, false));
        return protocol;
    }
    /// How many of `messages` were pulled.
    unsigned pulled(PullOrStream& choice, std::size_t bytes, unsigned messages) const
    {
        unsigned count = 0;
        for (unsigned i = 0; i < messages; ++i)
            count += send(choice, bytes) == kPull;
        return count;
    }
};

/// A machine where each protocol takes a fixed time in the middle of a run, and where the first messages of a
/// stream have been sent while others were received.
struct WindowMachine {
    std::int64_t pull_ns;
    std::int64_t stream_ns;
    std::int64_t first_streams_ns;

    std::int64_t now_ns = 1000;
    unsigned streamed = 0;
    WindowRun run{};

    MessageProtocol send(PullOrStream& choice, std::size_t bytes = kWindowBytes)
    {
        const MessageProtocol protocol = choice.choose(bytes, true);
        streamed = protocol == kStream ? streamed + 1 : 0;
        now_ns += protocol == kPull ? pull_ns : streamed <= kWindowRun / 2 ? first_streams_ns : stream_ns;
        choice.record_in_window(run, protocol, bytes, now_ns, false);
        choice.follow(bytes, choice.advice(bytes, false));
        return protocol;
    }
};

}  // namespace

TEST_CASE("the first messages take both protocols in turn, the rest the better one")
{
    for (const Machine& machine : {Machine{100, 300}, Machine{300, 100}}) {
        CAPTURE(machine.pull_ns);
        PullOrStream choice;
        for (unsigned i = 0; i < kFirstTries; ++i) {
            CAPTURE(i);
            REQUIRE(machine.send(choice, 5000) == (i % 2 == 0 ? kPull : kStream));
        }
        const bool pulls = machine.pull_ns < machine.stream_ns;
        // But for the retries at 16, 32, 64, 128 and 256.
        CHECK(machine.pulled(choice, 5000, 500) == (pulls ? 495 : 5));
    }
}

TEST_CASE("the 16th, 32nd, 64th ... and every 512th message takes the other protocol")
{
    for (const Machine& machine : {Machine{100, 300}, Machine{300, 100}}) {
        PullOrStream choice;
        machine.pulled(choice, 5000, kFirstTries);
        const MessageProtocol better = machine.pull_ns < machine.stream_ns ? kPull : kStream;
        for (unsigned number = kFirstTries; number < 3 * kRetryEvery; ++number) {
            CAPTURE(number);
            const bool retry = number % kRetryEvery == 0 || number == 16 || number == 32 || number == 64 ||
                               number == 128 || number == 256;
            REQUIRE((machine.send(choice, 5000) == better) == !retry);
        }
    }
}

TEST_CASE("slow first messages that meet cold memory do not decide")
{
    PullOrStream choice;
    Machine{90'000, 300}.pulled(choice, 5000, 2);
    const Machine warm{100, 300};
    warm.pulled(choice, 5000, kFirstTries - 2);
    CHECK(warm.pulled(choice, 5000, 10) == 10);
}

TEST_CASE("unlucky messages change nothing, however unlucky; lasting change does")
{
    PullOrStream choice;
    const Machine before{100, 130};
    before.pulled(choice, 5000, 20);
    for (int i = 0; i < 3; ++i) {  // a rank was kept from its core
        Machine{5'000'000, 130}.send(choice, 5000);
        CHECK(before.pulled(choice, 5000, 3) == 3);
    }

    const Machine after{1000, 130};
    CHECK(after.pulled(choice, 5000, 20) < 10);
    CHECK(after.pulled(choice, 5000, 400) < 10);
}

TEST_CASE("the protocol that was worse is found out when it has become better")
{
    PullOrStream choice;
    Machine{1000, 300}.pulled(choice, 5000, 100);
    // Each retry halves the difference: 1000 falls below 300 with the second, at 256.
    const Machine after{10, 300};
    after.pulled(choice, 5000, 200);
    CHECK(after.pulled(choice, 5000, 100) >= 40);
    CHECK(after.pulled(choice, 5000, 100) == 100);
}

TEST_CASE("classes of size are chosen for apart: a power of two each")
{
    PullOrStream choice;
    const Machine pull_wins{100, 300};
    const Machine stream_wins{300, 100};
    pull_wins.pulled(choice, 4096, kFirstTries);
    stream_wins.pulled(choice, 8192, kFirstTries);
    CHECK(choice.choose(4096, false) == kPull);
    CHECK(choice.choose(8191, false) == kPull);
    CHECK(choice.choose(8192, false) == kStream);
    CHECK(choice.choose(16383, false) == kStream);
    // Not met before: tried first.
    CHECK(choice.choose(4095, false) == kPull);
    CHECK(choice.choose(4095, false) == kStream);
    CHECK(choice.choose(16384, false) == kPull);
    CHECK(choice.choose(16384, false) == kStream);
}

TEST_CASE("every size has a class, the largest share one")
{
    PullOrStream choice;
    const Machine stream_wins{300, 100};
    const std::size_t largest = std::numeric_limits<std::size_t>::max();
    CHECK(stream_wins.pulled(choice, largest, kFirstTries) == 3);
    CHECK(choice.choose(largest, false) == kStream);
    CHECK(choice.choose(largest / 2 + 1, false) == kStream);
    CHECK(choice.choose(std::size_t{1} << 50, false) == kStream);
    CHECK(choice.choose(0, false) == kPull);
    CHECK(choice.choose(1, false) == kPull);
    CHECK(choice.choose(0, true) == kPull);
}

TEST_CASE("what is not timed counts as fast, until its first time")
{
    // Each pull is refused and streamed instead: only streams are timed.
    PullOrStream choice;
    for (unsigned i = 0; i < 2000; ++i) {
        choice.choose(5000, false);
        choice.record(kStream, 5000, 300, false);
    }
    const auto next = [&choice] {
        choice.follow(5000, choice.advice(5000, false));
        return choice.choose(5000, false);
    };
    CHECK(next() == kPull);
    // The first pull that works is timed, and wins or loses by that.
    choice.record(kPull, 5000, 1000, false);
    CHECK(next() == kStream);
    choice.record(kPull, 5000, 10, false);
    CHECK(next() == kPull);
}

TEST_CASE("a sender follows advice and nothing else")
{
    PullOrStream receiver;
    CHECK(receiver.advice(5000, false) == 0);
    Machine{100, 300}.pulled(receiver, 5000, 6);
    PullOrStream sender;
    for (unsigned i = 0; i < kFirstTries; ++i)
        sender.choose(5000, false);
    CHECK(sender.choose(5000, false) == kStream);
    for (const std::uint64_t none : {std::uint64_t{0}, std::uint64_t{3}, ~std::uint64_t{0}}) {
        sender.follow(5000, none);
        CHECK(sender.choose(5000, false) == kStream);
    }
    sender.follow(5000, receiver.advice(5000, false));
    CHECK(sender.choose(5000, false) == kPull);
    sender.follow(5000, PullOrStream::advise(kStream));
    CHECK(sender.choose(5000, false) == kStream);
}

TEST_CASE("in a window, runs of both protocols are tried in turn, then the better one is taken")
{
    for (const bool pull_wins : {true, false}) {
        CAPTURE(pull_wins);
        WindowMachine machine{pull_wins ? 100 : 300, pull_wins ? 300 : 100, 100};
        PullOrStream choice;
        for (unsigned number = 0; number < kMessagesTried; ++number) {
            CAPTURE(number);
            REQUIRE(machine.send(choice) == (number / kWindowRun % 2 == 0 ? kPull : kStream));
        }
        for (unsigned number = kMessagesTried; number < 16 * kWindowRun; ++number)
            REQUIRE(machine.send(choice) == (pull_wins ? kPull : kStream));
    }
}

TEST_CASE("streams that were sent while others were received do not look cheap")
{
    WindowMachine machine{100, 300, 10};
    PullOrStream choice;
    for (unsigned number = 0; number < kMessagesTried; ++number)
        machine.send(choice);
    CHECK(machine.send(choice) == kPull);
}

TEST_CASE(
    "the other protocol gets a run at the 16th run, the 32nd ... and what has become better is found out")
{
    WindowMachine machine{100, 300, 300};
    PullOrStream choice;
    unsigned other = 0;
    for (unsigned number = 0; number < 65 * kWindowRun; ++number) {
        const MessageProtocol protocol = machine.send(choice);
        const unsigned run = number / kWindowRun;
        const bool retry = run == 16 || run == 32 || run == 64;
        if (run >= kFirstTries)
            REQUIRE((protocol == kStream) == retry);
        other += retry;
    }
    CHECK(other == 3 * kWindowRun);

    machine.pull_ns = 1000;  // found out by each quarter of a run
    for (unsigned number = 0; number < 8 * kWindowRun; ++number)
        machine.send(choice);
    CHECK(machine.send(choice) == kStream);
}

TEST_CASE("a window that is shorter than half a run, or of several sizes, times nothing")
{
    WindowMachine machine{100, 300, 300};
    PullOrStream choice;
    for (unsigned number = 0; number < 10 * kWindowRun; ++number) {
        if (number % (kWindowRun / 2) == 0)
            machine.run = {};  // the sender had waited
        machine.send(choice);
    }
    CHECK(choice.advice(kWindowBytes, false) == 0);

    PullOrStream mixed;
    WindowMachine sizes{100, 300, 300};
    for (unsigned number = 0; number < 10 * kWindowRun; ++number)
        sizes.send(mixed, number % 2 == 0 ? kWindowBytes : 2 * kWindowBytes);
    CHECK(mixed.advice(kWindowBytes, false) == 0);
    CHECK(mixed.advice(2 * kWindowBytes, false) == 0);
}

TEST_CASE("longer messages need shorter runs")
{
    WindowMachine machine{100, 300, 300};
    PullOrStream choice;
    for (unsigned number = 0; number < kFirstTries * 4; ++number) {
        CAPTURE(number);
        REQUIRE(machine.send(choice, 1u << 20) == (number / 4 % 2 == 0 ? kPull : kStream));
    }
    CHECK(machine.send(choice, 1u << 20) == kPull);
}

TEST_CASE("a message in a window is chosen for apart from one by itself, and both advices travel in one word")
{
    PullOrStream receiver;
    WindowMachine machine{100, 300, 300};
    for (unsigned number = 0; number < kMessagesTried; ++number)
        machine.send(receiver);
    for (int i = 0; i < 4; ++i) {
        receiver.record(kPull, kWindowBytes, 300, false);
        receiver.record(kStream, kWindowBytes, 100, false);
    }
    PullOrStream sender;
    for (unsigned i = 0; i < kFirstTries; ++i)
        sender.choose(kWindowBytes, false);
    for (unsigned i = 0; i < kMessagesTried; ++i)
        sender.choose(kWindowBytes, true);
    sender.follow(kWindowBytes, receiver.advice(kWindowBytes, false));
    CHECK(sender.choose(kWindowBytes, false) == kStream);
    CHECK(sender.choose(kWindowBytes, true) == kPull);
    sender.follow(kWindowBytes, PullOrStream::advise(kStream));
    CHECK(sender.choose(kWindowBytes, true) == kStream);
    sender.follow(kWindowBytes, PullOrStream::advise(kPull));
    CHECK(sender.choose(kWindowBytes, false) == kPull);
    CHECK(sender.choose(kWindowBytes, true) == kPull);
}

TEST_CASE("where both ranks send at once, times and advice are apart, and a stream counts for more")
{
    PullOrStream choice;
    WindowRun run;
    std::int64_t now = 1000;
    for (const MessageProtocol protocol : {kStream, kPull})
        for (unsigned i = 0; i < kWindowRun; ++i)
            choice.record_in_window(run, protocol, kWindowBytes, now += protocol == kStream ? 100 : 150,
                                    true);
    CHECK(choice.advice(kWindowBytes, false) == 0);
    CHECK(choice.advice(kWindowBytes, true) == PullOrStream::advise(kPull) - 2);
}
