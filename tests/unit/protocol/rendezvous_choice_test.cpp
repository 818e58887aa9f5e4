// Which way large messages go: both are tried, the better one stays, and the other gets its chances.
#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

#include "lib/engine/protocol/rendezvous_choice.hpp"

using tutti::protocol::RendezvousChoice;
using tutti::protocol::Way;

namespace {

constexpr unsigned kFirstTries = 6;
constexpr unsigned kRetryEvery = 512;

/// A machine where each way takes a fixed time.
struct Machine {
    std::int64_t pull_ns;
    std::int64_t stream_ns;

    /// The way that one message went.
    Way send(RendezvousChoice& choice, std::size_t bytes) const
    {
        const Way way = choice.choose(bytes);
        choice.record(way, bytes, way == Way::pull ? pull_ns : stream_ns);
        choice.follow(bytes, choice.advice(bytes));
        return way;
    }
    /// How many of `messages` were pulled.
    unsigned pulled(RendezvousChoice& choice, std::size_t bytes, unsigned messages) const
    {
        unsigned count = 0;
        for (unsigned i = 0; i < messages; ++i)
            count += send(choice, bytes) == Way::pull;
        return count;
    }
};

}  // namespace

TEST_CASE("the first messages go both ways in turn, the rest the better one")
{
    const Machine pull_wins{100, 300};
    const Machine stream_wins{300, 100};
    for (const Machine& machine : {pull_wins, stream_wins}) {
        CAPTURE(machine.pull_ns);
        RendezvousChoice choice;
        for (unsigned i = 0; i < kFirstTries; ++i) {
            CAPTURE(i);
            REQUIRE(machine.send(choice, 5000) == (i % 2 == 0 ? Way::pull : Way::stream));
        }
        const bool pulls = machine.pull_ns < machine.stream_ns;
        // But for the retries at 16, 32, 64, 128 and 256.
        CHECK(machine.pulled(choice, 5000, 500) == (pulls ? 495 : 5));
    }
}

TEST_CASE("the 16th, 32nd, 64th ... and every 512th message goes the other way")
{
    for (const Machine& machine : {Machine{100, 300}, Machine{300, 100}}) {
        RendezvousChoice choice;
        machine.pulled(choice, 5000, kFirstTries);
        const Way better = machine.pull_ns < machine.stream_ns ? Way::pull : Way::stream;
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
    RendezvousChoice choice;
    Machine{90'000, 300}.pulled(choice, 5000, 2);
    const Machine warm{100, 300};
    warm.pulled(choice, 5000, kFirstTries - 2);
    CHECK(warm.pulled(choice, 5000, 10) == 10);
}

TEST_CASE("unlucky messages change nothing, however unlucky; lasting change does")
{
    RendezvousChoice choice;
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

TEST_CASE("the way that was worse is found out when it has become better")
{
    RendezvousChoice choice;
    Machine{1000, 300}.pulled(choice, 5000, 100);
    // Each retry halves the difference: 1000 falls below 300 with the second, at 256.
    const Machine after{10, 300};
    after.pulled(choice, 5000, 200);
    CHECK(after.pulled(choice, 5000, 100) >= 40);
    CHECK(after.pulled(choice, 5000, 100) == 100);
}

TEST_CASE("classes of size are chosen for apart: a power of two each")
{
    RendezvousChoice choice;
    const Machine pull_wins{100, 300};
    const Machine stream_wins{300, 100};
    pull_wins.pulled(choice, 4096, kFirstTries);
    stream_wins.pulled(choice, 8192, kFirstTries);
    CHECK(choice.choose(4096) == Way::pull);
    CHECK(choice.choose(8191) == Way::pull);
    CHECK(choice.choose(8192) == Way::stream);
    CHECK(choice.choose(16383) == Way::stream);
    // Not met before: tried first.
    CHECK(choice.choose(4095) == Way::pull);
    CHECK(choice.choose(4095) == Way::stream);
    CHECK(choice.choose(16384) == Way::pull);
    CHECK(choice.choose(16384) == Way::stream);
}

TEST_CASE("every size has a class, the largest share one")
{
    RendezvousChoice choice;
    const Machine stream_wins{300, 100};
    const std::size_t largest = std::numeric_limits<std::size_t>::max();
    CHECK(stream_wins.pulled(choice, largest, kFirstTries) == 3);
    CHECK(choice.choose(largest) == Way::stream);
    CHECK(choice.choose(largest / 2 + 1) == Way::stream);
    CHECK(choice.choose(std::size_t{1} << 50) == Way::stream);
    CHECK(choice.choose(0) == Way::pull);
    CHECK(choice.choose(1) == Way::pull);
}

TEST_CASE("a way that never worked has no time and is never taken for good against one that has")
{
    // Each pull is refused and streamed instead: only streams are timed.
    RendezvousChoice choice;
    for (unsigned i = 0; i < 2000; ++i) {
        choice.choose(5000);
        choice.record(Way::stream, 5000, 300);
    }
    const auto next = [&choice] {
        choice.follow(5000, choice.advice(5000));
        return choice.choose(5000);
    };
    // The first pull that works is timed, and wins or loses by that.
    choice.record(Way::pull, 5000, 1000);
    CHECK(next() == Way::stream);
    choice.record(Way::pull, 5000, 10);
    choice.record(Way::pull, 5000, 10);
    choice.record(Way::pull, 5000, 10);
    choice.record(Way::pull, 5000, 10);
    choice.record(Way::pull, 5000, 10);
    CHECK(next() == Way::pull);
}

TEST_CASE("a sender follows advice and nothing else")
{
    RendezvousChoice receiver;
    CHECK(receiver.advice(5000) == 0);
    Machine{100, 300}.pulled(receiver, 5000, 6);
    RendezvousChoice sender;
    for (unsigned i = 0; i < kFirstTries; ++i)
        sender.choose(5000);
    CHECK(sender.choose(5000) == Way::stream);
    for (const std::uint64_t none : {std::uint64_t{0}, std::uint64_t{3}, ~std::uint64_t{0}}) {
        sender.follow(5000, none);
        CHECK(sender.choose(5000) == Way::stream);
    }
    sender.follow(5000, receiver.advice(5000));
    CHECK(sender.choose(5000) == Way::pull);
    sender.follow(5000, RendezvousChoice::advise(Way::stream));
    CHECK(sender.choose(5000) == Way::stream);
}
