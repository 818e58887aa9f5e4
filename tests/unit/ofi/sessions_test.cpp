// Frames between two ranks: floods, acknowledgements, and sleep where none come.
#include <catch2/catch.hpp>

#include <poll.h>

#include "tests/unit/ofi/pair.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using tutti::security::Key;
using tutti::transport::SendResult;
using namespace std::chrono_literals;

TEST_CASE("two ranks that flood each other both get through, in order")
{
    Pair pair;
    constexpr std::size_t kFrames = 2000;
    std::size_t sent_a = 0;
    std::size_t sent_b = 0;
    const auto size_of = [](std::size_t number) {
        return number % 5 == 0 ? number * 7 % 16'000 : number % 100;
    };
    REQUIRE(drive_until(
        [&] {
            // Each sends as long as it can before it receives anything.
            while (sent_a < kFrames && pair.a.send(1, Bytes(size_of(sent_a))) == SendResult::done)
                ++sent_a;
            while (sent_b < kFrames && pair.b.send(0, Bytes(size_of(sent_b))) == SendResult::done)
                ++sent_b;
            pair.pass();
        },
        [&] { return pair.a.sink.payloads.size() == kFrames && pair.b.sink.payloads.size() == kFrames; }));
    for (std::size_t i = 0; i < kFrames; ++i) {
        REQUIRE(pair.a.sink.payloads[i].size() == size_of(i));
        REQUIRE(pair.b.sink.payloads[i].size() == size_of(i));
    }
}

TEST_CASE("who only receives acknowledges all the same")
{
    const Key key = Key::random();
    OfiRank a(0, 2, key);
    OfiRank b(1, 2, key);
    a.transport->connect(1, b.transport->address());  // b does not know how to send to a
    std::size_t sent = 0;
    REQUIRE(drive_until(
        [&] {
            sent += a.send(1, Bytes(8)) == SendResult::done;
            a.progress();
            b.progress();
        },
        [&] { return b.sink.payloads.size() >= 5 * kWindow; }));
}

TEST_CASE("an idle rank sleeps: its descriptor is quiet, and speaks when a frame comes")
{
    const char* const provider = GENERATE("net", "tcp;ofi_rxm");
    Pair pair({.rank = 0, .ranks = 2, .key = Key::random(), .provider = provider, .linger = 0ms});
    bool gone = false;
    REQUIRE(drive_until(
        [&] {
            gone = gone || pair.a.send(1, Bytes(8)) == SendResult::done;
            pair.pass();
        },
        [&] { return pair.b.sink.payloads.size() == 1; }));
    OfiTransport& sleeper = *pair.b.transport;
    for (int round = 0; round < 3; ++round) {
        pollfd readable{.fd = sleeper.wait_fd(), .events = POLLIN, .revents = POLLIN};
        // What was on its way, such as answers to questions, may still come.
        REQUIRE(drive_until(
            [&] {
                sleeper.arm();
                if (pair.b.progress() == 0)
                    poll(&readable, 1, 200);
                else
                    readable.revents = POLLIN;
            },
            [&] { return readable.revents == 0; }));
        REQUIRE(drive_until([&] { pair.a.progress(); },
                            [&] { return pair.a.send(1, Bytes(8)) == SendResult::done; }));
        const std::size_t before = pair.b.sink.payloads.size();
        REQUIRE(drive_until(
            [&] {
                CHECK(poll(&readable, 1, 20'000) == 1);
                sleeper.disarm();
                pair.pass();
                sleeper.arm();
                pair.b.progress();
            },
            [&] { return pair.b.sink.payloads.size() > before; }));
    }
}
