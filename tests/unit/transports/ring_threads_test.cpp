// Producer and consumer on two threads: what the thread sanitizer watches.
#include <catch2/catch.hpp>

#include <sched.h>

#include <atomic>
#include <thread>

#include "tests/sanitizers.hpp"
#include "tests/unit/transports/ring_support.hpp"

using namespace tutti::test;
using Poll = RingConsumer::Poll;

namespace {

std::size_t size_of(std::uint64_t number, std::size_t max_payload)
{
    return number % 5 == 0 ? number * 977 % (max_payload + 1) : number * 13 % 200;
}

constexpr std::uint64_t kFrames = kSanitized ? 10'000 : 30'000;  // many laps

// Sends `frames` frames from one thread to another; `pause_every` frames the slower side gives way.
void stream(std::uint64_t frames, bool slow_producer)
{
    Ring ring(32u << 10, GENERATE(3840u, 32u << 10));  // little of it used at first, or all
    const std::size_t max_payload = ring.view.max_payload();
    std::atomic<bool> failed{false};
    std::jthread producer([&] {
        for (std::uint64_t number = 0; number < frames && !failed.load(std::memory_order_relaxed); ++number) {
            const Frame frame(number, 1 + number % 32, size_of(number, max_payload));
            while (!frame.write_to(ring) && !failed.load(std::memory_order_relaxed))
                sched_yield();
            if (slow_producer && number % 16 == 0)
                sched_yield();
        }
    });
    Frame out;
    for (std::uint64_t number = 0; number < frames;) {
        const Poll result = read(ring, out);
        const bool good =
            result == Poll::empty ||
            (result == Poll::frame && out == Frame(number, 1 + number % 32, size_of(number, max_payload)));
        if (!good) {
            failed = true;
            FAIL("frame " << number << " is damaged, missing or not there");
        }
        if (result == Poll::empty)
            sched_yield();
        else if (++number % 64 == 0 && !slow_producer)
            sched_yield();
    }
    CHECK(read(ring, out) == Poll::empty);
}

}  // namespace

TEST_CASE("a stream from a faster producer: the ring fills and empties")
{
    stream(kFrames, false);
}

TEST_CASE("a stream from a slower producer: the ring is mostly empty")
{
    stream(kFrames, true);
}

TEST_CASE("the consumer's report is what gives room back")
{
    Ring ring;
    Frame out;
    std::size_t written = 0;
    while (ring.producer.try_write(pattern(written, 16, 0), {}))
        ++written;
    // Less than a quarter consumed: nothing is reported, so nothing fits.
    for (std::size_t i = 0; i < 100; ++i)
        REQUIRE(ring.consumer.poll([](auto, auto) {}) == Poll::frame);
    CHECK_FALSE(ring.consumer.report());
    CHECK_FALSE(ring.producer.try_write(pattern(0, 16, 0), {}));
    for (std::size_t i = 100; i < 128; ++i)
        REQUIRE(ring.consumer.poll([](auto, auto) {}) == Poll::frame);
    CHECK(ring.consumer.report());
    CHECK_FALSE(ring.consumer.report());
    CHECK(ring.producer.try_write(pattern(0, 16, 0), {}));
    CHECK(ring.control.consumed.load() == 128 * kLine);
}
