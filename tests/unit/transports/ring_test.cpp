// One thread on both ends of the shared-memory ring: what comes out is what went in, at every size and
// position.
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <random>

#include "tests/sanitizers.hpp"
#include "tests/unit/transports/ring_support.hpp"

using namespace tutti::test;
using Poll = RingConsumer::Poll;

namespace {

// A page's rest, as many ranks' rings begin with; any other; all.
constexpr std::size_t kSmallPart = 3840;

// Puts both ends at `lines` lines behind the ring's start.
void advance(Ring& ring, std::size_t lines)
{
    Frame frame;
    for (std::size_t i = 0; i < lines; ++i) {
        REQUIRE(ring.write(pattern(i, 8, 0), {}));
        REQUIRE(read(ring, frame) == Poll::frame);
    }
}

}  // namespace

TEST_CASE("a new ring is empty, and stays so")
{
    Ring ring;
    Frame frame;
    CHECK(read(ring, frame) == Poll::empty);
    CHECK(read(ring, frame) == Poll::empty);
    CHECK_FALSE(ring.consumer.report());
}

TEST_CASE("frames of every payload size up to the largest, with every header size")
{
    const bool keeps_distance = GENERATE(false, true);
    const std::size_t size = keeps_distance ? RingMemory::kKeepsDistance : 32u << 10;
    Ring ring(size, GENERATE(3840u, 8192u, 32u << 10));
    CHECK((ring.view.distance() != 0) == keeps_distance);
    std::uint64_t number = 0;
    Frame out;
    for (std::size_t payload = 0; payload <= ring.view.max_payload(); ++payload) {
        ++number;
        const Frame in(number, 1 + number % 32, payload);
        if (!in.write_to(ring))
            FAIL("no room for " << payload << " bytes in an empty ring");
        if (read(ring, out) != Poll::frame || out != in)
            FAIL("frame of " << payload << " bytes is damaged");
    }
    CHECK(read(ring, out) == Poll::empty);
}

TEST_CASE("every starting position: frames that fit before the end, and such that do not")
{
    const std::size_t payload = GENERATE(0, 1, 24, 40, 41, 511, 512, 513, 2000, 4032);
    const std::size_t ring_lines = (32u << 10) / kLine;
    Ring ring(32u << 10, GENERATE(3840u, 32u << 10));
    Frame out;
    std::uint64_t number = 0;
    for (std::size_t start = 0; start < 2 * ring_lines + 3; ++start) {
        const Frame first(++number, 16, payload);
        const Frame second(++number, 24, payload);
        REQUIRE(first.write_to(ring));
        REQUIRE(second.write_to(ring));
        REQUIRE(read(ring, out) == Poll::frame);
        REQUIRE(out == first);
        REQUIRE(read(ring, out) == Poll::frame);
        REQUIRE(out == second);
        REQUIRE(read(ring, out) == Poll::empty);
        advance(ring, 1);
    }
}

TEST_CASE("a full ring refuses, loses nothing, and goes on when the consumer has caught up")
{
    const std::size_t payload = GENERATE(0, 100, 1000, 4032);
    Ring ring(32u << 10, GENERATE(3840u, 32u << 10));
    Frame out;
    std::uint64_t written = 0;
    std::uint64_t seen = 0;
    for (int round = 0; round < 50; ++round) {
        while (Frame(written, 16, payload).write_to(ring))
            ++written;
        REQUIRE(written > seen);
        REQUIRE_FALSE(Frame(999, 16, payload).write_to(ring));
        while (read(ring, out) == Poll::frame)
            REQUIRE(out == Frame(seen++, 16, payload));
        REQUIRE(seen == written);
    }
    // Nearly all of the ring was used: a sender that is ahead is not stopped early.
    CHECK(written * record::record_bytes(16, payload) > 50 * (32u << 10) / 2);
}

TEST_CASE(
    "a large ring leaves room behind a long record, so that its reader's core fetches nothing half written")
{
    const std::size_t payload = GENERATE(511, 512, 4096);
    Ring ring(RingMemory::kKeepsDistance);
    const std::size_t record = record::record_bytes(16, payload);
    const std::size_t free = payload < 512 ? 0 : 1024;
    CHECK(ring.view.record_bytes(16, payload) == record + free);
    REQUIRE(Frame(1, 16, payload).write_to(ring));
    std::memset(ring.view.base + record, 0x5a, free);  // whatever lies there is no record
    REQUIRE(Frame(2, 16, payload).write_to(ring));
    Frame out;
    for (const std::uint64_t number : {1, 2}) {
        REQUIRE(read(ring, out) == Poll::frame);
        CHECK(out == Frame(number, 16, payload));
    }
    CHECK(read(ring, out) == Poll::empty);
}

TEST_CASE("random sizes and turns, a hundred times the ring, against a queue")
{
    Ring ring(GENERATE(64u << 10, 128u << 10), GENERATE(64u, 3840u, 8192u, 64u << 10));
    std::mt19937 random(7);
    std::deque<Frame> expected;
    std::uint64_t bytes = 0;
    std::uint64_t number = 0;
    Frame out;
    while (bytes < 100 * (64u << 10)) {
        for (unsigned i = random() % 20; i > 0; --i) {
            const std::size_t size =
                random() % 3 == 0 ? random() % (ring.view.max_payload() + 1) : random() % 64;
            ++number;
            Frame frame(number, 1 + random() % 32, size);
            if (!frame.write_to(ring))
                break;
            bytes += size + 64;
            expected.push_back(std::move(frame));
        }
        for (unsigned i = random() % 20; i > 0; --i) {
            const Poll result = read(ring, out);
            REQUIRE(result == (expected.empty() ? Poll::empty : Poll::frame));
            if (result == Poll::empty)
                break;
            REQUIRE(out == expected.front());
            expected.pop_front();
        }
    }
}

TEST_CASE("old payload that reads like a word is never taken for a frame")
{
    // Every eight bytes of every payload are the word of a valid frame, or of a skip, of the next lap: when
    // the consumer comes round to them.
    const record::Kind kind = GENERATE(record::frame, record::skip, record::first_again);
    const std::size_t header = GENERATE(1, 16);
    const std::size_t in_front = GENERATE(0, 1);  // laps
    const std::size_t first_part = GENERATE(3840u, 32u << 10);
    Ring ring(32u << 10, first_part);
    std::mt19937 random(11);
    Bytes payload(ring.view.max_payload());
    std::uint64_t lap = 0;  // of the last record; the next one may be of the lap after it
    std::size_t most_written = 0;
    const auto write = [&](std::size_t header_bytes, std::size_t payload_bytes) {
        for (std::size_t i = 0; i + 8 <= payload.size(); i += 8) {
            const std::uint64_t lookalike = record::word(kind, header, 24, 0, lap + in_front + i / kLine % 2);
            std::memcpy(payload.data() + i, &lookalike, 8);
        }
        return ring.write(std::span(payload).first(header_bytes), std::span(payload).first(payload_bytes));
    };
    const auto note_lap = [&](auto out, auto) {
        std::uint64_t word = 0;
        std::memcpy(&word, out.data() - sizeof word, sizeof word);
        lap = word >> 40;
    };
    const bool replies = GENERATE(false, true);
    for (int i = 0; i < (kSanitized ? 5'000 : 20'000); ++i) {
        if (replies && random() % 2 == 0)
            ring.reply();
        const std::size_t first_header = 8 + random() % 4 * 8;
        REQUIRE(write(first_header, random() % (payload.size() / 8 + 1) * 8));
        // Behind a skip to the ring's start there may be no room for a second one.
        std::size_t written = 1;
        if (random() % 4 != 0) {
            const bool has_payload = random() % 2 == 0;
            written += write(24, has_payload ? random() % (payload.size() / 8 + 1) * 8 : 0) ? 1 : 0;
        }
        most_written = std::max(most_written, written);
        std::size_t frames = 0;
        Poll result = Poll::frame;
        while ((result = ring.consumer.poll(note_lap)) == Poll::frame)
            ++frames;
        ring.consumer.report();
        REQUIRE(result == Poll::empty);
        REQUIRE(frames == written);
    }
    CHECK(most_written == 2);
    CHECK(lap > 100);
}

TEST_CASE("a ring's first part is enough for a consumer that keeps up, and for ever")
{
    const std::size_t payload = GENERATE(0, 100, 900);
    Ring ring(32u << 10, kSmallPart);
    Frame out;
    for (std::uint64_t number = 0; number < 20'000; ++number) {
        const Frame in(number, 16, payload);
        REQUIRE(in.write_to(ring));
        REQUIRE(read(ring, out) == Poll::frame);
        REQUIRE(out == in);
    }
    CHECK(ring.part == kSmallPart);
    // Not a byte behind it was written.
    const auto rest = std::span(ring.memory.get(), ring.view.size).subspan(kSmallPart);
    CHECK(std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST_CASE("a consumer that falls behind, and a record that is long, have more of the ring used")
{
    Ring ring(32u << 10, kSmallPart);
    Frame out;
    SECTION("at once, in the first lap")
    {
        for (std::uint64_t number = 0; number < 100; ++number)
            REQUIRE(Frame(number, 16, 100).write_to(ring));
        CHECK(ring.part == 4 * kSmallPart);
        for (std::uint64_t number = 0; number < 100; ++number) {
            REQUIRE(read(ring, out) == Poll::frame);
            REQUIRE(out == Frame(number, 16, 100));
        }
    }
    SECTION("later, when it has stayed behind by as much as fits")
    {
        advance(ring, 3 * kSmallPart / kLine);
        REQUIRE(ring.part == kSmallPart);
        std::uint64_t written = 0;
        std::uint64_t seen = 0;
        while (written < 10'000) {
            while (Frame(written, 16, 100).write_to(ring))
                ++written;
            REQUIRE(read(ring, out) == Poll::frame);
            REQUIRE(out == Frame(seen++, 16, 100));
        }
        CHECK(ring.part == ring.view.size);
        CHECK((written - seen) * record::record_bytes(16, 100) > ring.view.size / 2);
    }
    SECTION("for a record that the part cannot hold")
    {
        const Frame in(7, 16, ring.view.max_payload());
        REQUIRE(in.write_to(ring));
        CHECK(ring.part == 2 * kSmallPart);
        REQUIRE(read(ring, out) == Poll::frame);
        CHECK(out == in);
    }
}

TEST_CASE("a producer has room once all is read, however little of it the consumer has reported")
{
    // As of 2, 8, 16 and 128 ranks: what is used at first is a quarter of the ring, an eighth, or less.
    const auto [size, first_part] =
        GENERATE(std::pair<std::size_t, std::size_t>{1u << 20, (256u << 10) - 128},
                 std::pair{512u << 10, (64u << 10) - 128}, std::pair{256u << 10, (32u << 10) - 128},
                 std::pair{32u << 10, 4096 - 128});
    CAPTURE(size, first_part);
    for (unsigned seed = 0; seed < 30; ++seed) {
        Ring ring(size, first_part);
        std::mt19937 random(seed);
        Frame out;
        for (std::uint64_t number = 0; number < 300; ++number) {
            const std::size_t most = random() % 3 == 0 ? ring.view.max_payload() : std::size_t{2000};
            const Frame in(number, 16, random() % (most + 1));
            REQUIRE(in.write_to(ring));
            REQUIRE(read(ring, out) == Poll::frame);
            REQUIRE(out == in);
        }
    }
}

TEST_CASE("short records never have more of a large ring used than fits a cache, long ones have all of it")
{
    const bool is_long = GENERATE(false, true);
    const std::size_t payload = is_long ? 16u << 10 : 1000;
    Ring ring(1u << 20, RingMemory::kEnoughForShort / 2);
    CHECK(ring.view.max_payload() >= 32u << 10);
    Frame out;
    std::uint64_t written = 0;
    std::uint64_t seen = 0;
    while (written < 2'000) {
        while (Frame(written, 16, payload).write_to(ring))
            ++written;
        REQUIRE(read(ring, out) == Poll::frame);
        REQUIRE(out == Frame(seen++, 16, payload));
    }
    CHECK(ring.part == (is_long ? ring.view.size : RingMemory::kEnoughForShort));
    while (seen < written) {
        REQUIRE(read(ring, out) == Poll::frame);
        REQUIRE(out == Frame(seen++, 16, payload));
    }
    CHECK(read(ring, out) == Poll::empty);
}

TEST_CASE("a producer that stopped before it published is not seen, whatever it had written")
{
    const std::size_t lines_before = GENERATE(0, 1, 300, 511);
    Ring ring;
    advance(ring, lines_before);
    // What try_write does up to the publishing store: header and payload lie there, the word is still an old
    // one.
    const std::uint64_t lookalike = record::word(record::frame, 16, 100, 0, 0);
    const std::size_t offset = lines_before * kLine;
    for (std::size_t at = offset + 8;
         at + 8 <= std::min(offset + record::record_bytes(16, 100), ring.view.size); at += 8)
        std::memcpy(ring.view.base + at, &lookalike, 8);
    Frame out;
    CHECK(read(ring, out) == Poll::empty);
    // It goes on.
    const Frame frame(1, 16, 100);
    REQUIRE(frame.write_to(ring));
    REQUIRE(read(ring, out) == Poll::frame);
    CHECK(out == frame);
    CHECK(read(ring, out) == Poll::empty);
}

TEST_CASE("positions beyond four gigabytes")
{
    Ring ring(256u << 10);
    const Bytes payload = pattern(3, ring.view.max_payload(), 0);
    std::uint64_t bytes = 0;
    std::uint64_t number = 0;
    const auto write_and_read = [&] {
        ++number;
        REQUIRE(ring.producer.try_write(std::as_bytes(std::span(&number, 1)), payload));
        std::uint64_t seen = 0;
        const auto result = ring.consumer.poll([&](auto header, auto read_payload) {
            std::memcpy(&seen, header.data(), sizeof seen);
            REQUIRE(read_payload.size() == payload.size());
            if (number % 1024 == 0 || bytes > (std::uint64_t{1} << 32) - (1u << 20))
                REQUIRE(std::memcmp(read_payload.data(), payload.data(), payload.size()) == 0);
        });
        REQUIRE(result == Poll::frame);
        REQUIRE(seen == number);
        ring.consumer.report();
        bytes += payload.size() + kLine;
    };
    while (bytes < (std::uint64_t{1} << 32) + (8u << 20))
        write_and_read();
    CHECK(ring.control.consumed.load() > std::uint64_t{1} << 32);
}
