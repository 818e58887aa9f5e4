// Words that no producer writes: the consumer says so, and touches nothing beyond the ring.
#include <catch2/catch.hpp>

#include <random>

#include "tests/unit/transports/ring_support.hpp"

using namespace tutti::test;
using Poll = RingConsumer::Poll;

namespace {

void put_word(Ring& ring, std::size_t offset, std::uint64_t word)
{
    std::memcpy(ring.view.base + offset, &word, sizeof word);
}

std::uint64_t raw(std::uint64_t kind, std::uint64_t header_bytes, std::uint64_t payload_bytes,
                  std::uint64_t lap = 0)
{
    return record::word(static_cast<record::Kind>(kind), header_bytes, payload_bytes, 0, lap);
}

}  // namespace

TEST_CASE("a word of an unknown kind, an impossible header or a frame past the end is corrupt")
{
    const std::uint64_t size = 32u << 10;
    const std::uint64_t word = GENERATE(raw(1, 57, 0), raw(1, 63, 0), raw(1, 16, 0xffff),
                                        raw(1, 16, (32u << 10) - 63), raw(3, 63, 0xffff));
    Ring ring(size);
    put_word(ring, 0, word);
    Frame out;
    bool taken = false;
    CHECK(ring.consumer.poll([&](auto, auto) { taken = true; }) == Poll::corrupt);
    CHECK_FALSE(taken);
    CHECK(read(ring, out) == Poll::corrupt);  // and stays so
}

TEST_CASE("a word of another lap or of no kind is no word: the ring is empty")
{
    Ring ring;
    put_word(ring, 0,
             GENERATE(raw(1, 16, 0, 4), raw(1, 16, 0, 2), raw(2, 0, 0, 3), ~std::uint64_t{0}, raw(0, 16, 100),
                      raw(0, 0, 1)));
    Frame out;
    CHECK(read(ring, out) == Poll::empty);
}

TEST_CASE("a skip that leads to another skip, or to rubbish, is corrupt")
{
    const std::uint64_t second = GENERATE(raw(2, 0, 0, 1), raw(3, 60, 0, 1), raw(1, 60, 0, 1));
    Frame out;
    Ring other;
    REQUIRE(other.producer.try_write(pattern(1, 16, 0), {}));
    REQUIRE(read(other, out) == Poll::frame);
    put_word(other, kLine, raw(2, 0, other.view.size / kLine - 1));
    put_word(other, 0, second);
    CHECK(read(other, out) == Poll::corrupt);
}

TEST_CASE("random words end in a frame within the ring, an empty ring or corrupt, never beyond")
{
    std::mt19937_64 random(5);
    for (int i = 0; i < 20'000; ++i) {
        Ring ring;
        const std::size_t start = random() % 512;
        Frame out;
        for (std::size_t line = 0; line < start; ++line) {
            ring.producer.try_write(pattern(0, 8, 0), {});
            read(ring, out);
        }
        const std::uint64_t kind = random() % 4;
        put_word(ring, start * kLine,
                 random() % 2 == 0 ? random() >> 24 : raw(kind, random() % 64, random() % 40'000));
        ring.consumer.poll([&](auto header, auto payload) {
            const std::byte* const end = ring.view.base + ring.view.size;
            if (header.data() < ring.view.base || header.data() + header.size() > end ||
                payload.data() < ring.view.base || payload.data() + payload.size() > end)
                FAIL("a view leaves the ring");
        });
        i += static_cast<int>(start / 4);  // the long ways to a start cost more
    }
}
