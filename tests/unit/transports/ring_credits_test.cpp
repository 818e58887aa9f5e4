// Credits: a producer that knows that all is consumed begins at the ring's start again.
#include <catch2/catch.hpp>

#include <deque>
#include <random>

#include "tests/sanitizers.hpp"
#include "tests/unit/transports/ring_support.hpp"

using namespace tutti::test;
using Poll = RingConsumer::Poll;

namespace {

const std::byte* place_of_next(Ring& ring)
{
    const std::byte* place = nullptr;
    REQUIRE(ring.consumer.poll([&](auto header, auto) { place = header.data() - sizeof(std::uint64_t); }) ==
            Poll::frame);
    return place;
}

}  // namespace

TEST_CASE(
    "after a reply the next record lies where the first one lay, if it has several lines that fit a cache")
{
    Ring ring;
    for (int i = 0; i < 10; ++i) {
        REQUIRE(Frame(1, 16, 300).write_to(ring));
        CHECK(place_of_next(ring) == ring.view.base);
        ring.reply();
    }
    REQUIRE(Frame(1, 16, 300).write_to(ring));
    const std::byte* const first = place_of_next(ring);
    ring.reply();
    REQUIRE(Frame(2, 16, 8).write_to(ring));  // one line
    CHECK(place_of_next(ring) == first + 6 * kLine);
    ring.reply();
    REQUIRE(Frame(3, 16, 600).write_to(ring));  // longer than what is there
    CHECK(place_of_next(ring) == first + 7 * kLine);
}

TEST_CASE("no payload is written where the consumer still looks after the ring has begun again")
{
    Ring ring;
    REQUIRE(Frame(1, 16, 300).write_to(ring));
    CHECK(place_of_next(ring) == ring.view.base);
    ring.reply();
    REQUIRE(Frame(2, 16, 100).write_to(ring));
    REQUIRE(Frame(3, 16, 900).write_to(ring));
    CHECK(place_of_next(ring) == ring.view.base);
    CHECK(place_of_next(ring) == ring.view.base + 6 * kLine);
}

TEST_CASE("a record that is being read counts as consumed only afterwards")
{
    Ring ring;
    REQUIRE(Frame(1, 16, 300).write_to(ring));
    std::uint16_t meanwhile = 1;
    ring.consumer.poll([&](auto, auto) { meanwhile = ring.consumer_credits.consumed; });
    CHECK(meanwhile == 0);
    CHECK(ring.consumer_credits.consumed == 1);
}

TEST_CASE("without a reply, or with an older one, the next record lies behind the last one")
{
    Ring ring;
    REQUIRE(Frame(1, 16, 300).write_to(ring));
    REQUIRE(Frame(2, 16, 300).write_to(ring));
    CHECK(place_of_next(ring) == ring.view.base);
    ring.reply();
    CHECK(place_of_next(ring) == ring.view.base + 6 * kLine);
    REQUIRE(Frame(3, 16, 300).write_to(ring));
    CHECK(place_of_next(ring) == ring.view.base + 12 * kLine);
    ring.reply();
    REQUIRE(Frame(4, 16, 300).write_to(ring));
    CHECK(place_of_next(ring) == ring.view.base);
}

TEST_CASE("two rings in turns: credits travel with the records, and every frame arrives in order")
{
    const std::size_t part = GENERATE(3840u, 32u << 10);
    Ring there(32u << 10, part);
    Ring back(32u << 10, part);
    Credits left;
    Credits right;
    RingProducer to_right(there.view, left);
    RingConsumer from_left(there.view, right);
    RingProducer to_left(back.view, right);
    RingConsumer from_right(back.view, left);
    std::mt19937 random(3);
    std::deque<Frame> expected[2];
    std::uint64_t number = 0;
    std::uint64_t again = 0;

    const auto send = [&](RingProducer& producer, std::deque<Frame>& queue) {
        Frame frame(++number, 1 + random() % 32,
                    random() % 4 == 0 ? random() % (there.view.max_payload() + 1) : random() % 400);
        while (!producer.try_write(frame.header, frame.payload)) {
            if (producer.wanted_part() == 0)
                return;
            producer.use_part(producer.wanted_part());
        }
        queue.push_back(std::move(frame));
    };
    const auto receive = [&](RingConsumer& consumer, std::deque<Frame>& queue) {
        Frame out;
        const Poll result = consumer.poll([&](auto header, auto payload) {
            out.header.assign(header.begin(), header.end());
            out.payload.assign(payload.begin(), payload.end());
            const std::byte* const place = header.data() - sizeof(std::uint64_t);
            again += place == there.view.base || place == back.view.base;
        });
        REQUIRE(result == (queue.empty() ? Poll::empty : Poll::frame));
        if (result == Poll::empty)
            return;
        REQUIRE(out == queue.front());
        queue.pop_front();
        consumer.report();
    };
    for (int i = 0; i < (kSanitized ? 20'000 : 100'000); ++i) {
        if (random() % 2 == 0)
            send(to_right, expected[0]);
        if (random() % 2 == 0)
            send(to_left, expected[1]);
        for (unsigned k = random() % 3; k > 0; --k)
            receive(from_left, expected[0]);
        for (unsigned k = random() % 3; k > 0; --k)
            receive(from_right, expected[1]);
    }
    CHECK(again > (kSanitized ? 500 : 5'000));
}

// A word holds 24 bits of the lap. A ring of replies begins a lap with each record.
TEST_CASE("words that are as old as laps are counted are not taken for new ones")
{
    if (kSanitized)
        return;  // too many laps
    Ring ring;
    const Bytes header = pattern(1, 16, 1);
    const Bytes payload = pattern(1, 100, 1);
    // This one lies behind that at the start, and is the last to be written there.
    REQUIRE(ring.write(header, payload));
    REQUIRE(ring.write(header, payload));
    const auto nothing = [](auto, auto) {};
    REQUIRE(ring.consumer.poll(nothing) == Poll::frame);
    REQUIRE(ring.consumer.poll(nothing) == Poll::frame);
    for (std::uint64_t lap = 0; lap < record::kLaps + 2; ++lap) {
        ring.reply();
        const bool good = ring.write(header, payload) && ring.consumer.poll(nothing) == Poll::frame &&
                          ring.consumer.poll(nothing) == Poll::empty;
        if (!good)
            FAIL("in lap " << lap);
        ring.consumer.report();
    }
}
