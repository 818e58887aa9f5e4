// Doorbells: who has armed one and then finds nothing may sleep on it, and is woken.
#include <catch2/catch.hpp>

#include <poll.h>

#include <chrono>
#include <memory>
#include <thread>

#include "tests/conformance/harness.hpp"

using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

// Those where `again` means full and `done` means gone.
std::vector<Setup> sleeping_setups()
{
    return {{"inproc", "plain", {}},
            {"shm", "plain", {}},
            {"shm", "small frames", {.max_payload_bytes = 96}},
            {"tcp", "plain", {}},
            {"tcp", "small frames", {.max_payload_bytes = 96}}};
}

// Sleeps on the transport's doorbell until `done`; false when it was not woken for long. That is a missed
// ring, or a machine that stood still: so tests sleep kRounds times, and one may be late.
constexpr int kRounds = 3;
template <class Done>
bool sleep_until(Ranks& ranks, int index, Done&& done)
{
    const auto late = std::chrono::steady_clock::now() + 5s;
    for (int unanswered = 0; !done();) {
        ranks.doorbell(index).arm();
        const Bell bell(ranks.doorbell(index));
        if (ranks.progress(index) == 0 && !done())
            unanswered += !bell.sleep();
        ranks.doorbell(index).disarm();
        REQUIRE(unanswered < kRounds);
    }
    return std::chrono::steady_clock::now() < late;
}

}  // namespace

TEST_CASE("a transport between ranks has a doorbell or a file descriptor, one to itself needs none")
{
    Ranks alone(Setup{"self", "plain", {}});
    CHECK(alone.at(0).doorbell() == nullptr);
    for (const Setup& setup : setups_between_ranks()) {
        Ranks ranks(setup);
        CHECK((ranks.doorbell(0).word() != nullptr) !=
              (setup.transport == "tcp" || setup.transport.starts_with("ofi")));
        CHECK(ranks.doorbell(0).wait_fd() >= (ranks.doorbell(0).word() != nullptr ? -1 : 0));
    }
}

TEST_CASE("an arrival changes an armed doorbell, each one")
{
    const Setup setup = GENERATE(from_range(sleeping_setups()));
    INFO(setup.name());
    Ranks ranks(setup);
    for (std::uint64_t i = 0; i < 3; ++i) {
        ranks.doorbell(1).arm();
        REQUIRE(ranks.progress(1) == 0);
        const Bell bell(ranks.doorbell(1));
        CHECK_FALSE(bell.has_rung());
        OutFrame frame(i, 8, 10);
        REQUIRE(ranks.send(0, 1, frame) == SendResult::done);
        CHECK(bell.has_rung());
        CHECK(ranks.progress(1) == 1);
        ranks.doorbell(1).disarm();
    }
}

TEST_CASE("what came before arming is seen by the progress() after it")
{
    const Setup setup = GENERATE(from_range(sleeping_setups()));
    INFO(setup.name());
    Ranks ranks(setup);
    OutFrame frame(1, 8, 10);
    REQUIRE(ranks.send(0, 1, frame) == SendResult::done);
    ranks.doorbell(1).arm();
    CHECK(ranks.progress(1) == 1);
    ranks.doorbell(1).disarm();
}

TEST_CASE("a sleeper is woken by a frame from another thread", "[threads]")
{
    const Setup setup = GENERATE(from_range(sleeping_setups()));
    INFO(setup.name());
    Ranks ranks(setup);
    int late = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
        std::jthread sender([&] {
            std::this_thread::sleep_for(20ms);
            OutFrame frame(round, 8, 10);
            ranks.at(0).send(1, frame.header, frame.payload, frame);
        });
        late += !sleep_until(ranks, 1, [&] { return ranks.sink(1).frames.size() > round; });
    }
    CHECK(late <= 1);
}

TEST_CASE("a sender that sleeps because the receiver is full is woken when there is room", "[threads]")
{
    const Setup setup = GENERATE(from_range(sleeping_setups()));
    INFO(setup.name());
    Ranks ranks(setup);
    std::uint64_t sent = 0;
    const auto send_one = [&] {
        OutFrame frame(sent, 16, 90);
        const bool gone = ranks.at(0).send(1, frame.header, frame.payload, frame) == SendResult::done;
        sent += gone;
        return gone;
    };
    int late = 0;
    for (int round = 0; round < kRounds; ++round) {
        while (send_one())
            REQUIRE(sent < 1'000'000);
        const std::uint64_t first_full = sent;
        std::jthread receiver([&](const std::stop_token& enough) {
            std::this_thread::sleep_for(20ms);
            while (!enough.stop_requested())
                ranks.progress(1);
        });
        // As the engine does: it arms, tries again, and only then sleeps.
        late += !sleep_until(ranks, 0, [&] { return sent > first_full || send_one(); });
        receiver.request_stop();
        receiver.join();
        REQUIRE(ranks.deliver(1, sent));
    }
    CHECK(late <= 1);
    for (std::uint64_t i = 0; i < sent; ++i)
        REQUIRE(is_frame(ranks.sink(1).frames[i], i, 16, 90));
}

TEST_CASE("a doorbell that is asked for a file descriptor makes it readable, until it is disarmed",
          "[threads]")
{
    Ranks ranks(Setup{"shm", "plain", {}});
    pollfd bell{.fd = ranks.doorbell(1).wait_fd(), .events = POLLIN, .revents = 0};
    REQUIRE(bell.fd >= 0);
    for (std::uint64_t round = 0; round < 3; ++round) {
        OutFrame unanswered(2 * round, 8, 10);
        REQUIRE(ranks.send(0, 1, unanswered) == SendResult::done);
        CHECK(poll(&bell, 1, 0) == 0);
        CHECK(ranks.progress(1) == 1);

        ranks.doorbell(1).arm();
        REQUIRE(ranks.progress(1) == 0);
        std::jthread sender([&] {
            std::this_thread::sleep_for(5ms);
            OutFrame frame(2 * round + 1, 8, 10);
            ranks.at(0).send(1, frame.header, frame.payload, frame);
        });
        CHECK(poll(&bell, 1, 30'000) == 1);
        CHECK(ranks.progress(1) == 1);
        ranks.doorbell(1).disarm();
        CHECK(poll(&bell, 1, 0) == 0);
    }
}
