// Messages that lie in several places, over a transport that sends from there and one that does not.
#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/unit/protocol/remote_read.hpp"

namespace tutti::test {

namespace {

using transport::FaultOptions;
using transport::kMostParts;

/// The bytes of a message in `count` places, apart from each other, of unequal sizes; some have none.
struct InParts {
    InParts(std::size_t size, std::size_t count, std::uint64_t number = 1) : message(size, number)
    {
        std::span<const std::byte> rest(message.data);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t even = size / count + 1;
            const std::size_t part = i + 1 == count ? rest.size()
                                     : i % 3 == 1   ? 0
                                                    : std::min(rest.size(), i % 3 == 0 ? even : 1);
            places.emplace_back(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(part));
            rest = rest.subspan(part);
        }
        parts.assign(places.begin(), places.end());
    }
    InParts(const InParts&) = delete;

    void send(Wire& wire, bool synchronous = false)
    {
        SendRequest& sent = message.sent;
        sent.envelope = {4, 0, 5};
        sent.peer_rank = 1;
        sent.synchronous = synchronous;
        // Of this only the size means anything: it is not to be read.
        sent.data = {static_cast<const std::byte*>(nullptr), message.data.size()};
        sent.parts = parts;
        wire.at(0).send(sent);
    }
    /// To its end, with its receive posted before or after.
    void exchange(Wire& wire, bool posted, bool synchronous = false)
    {
        if (posted)
            message.receive(wire);
        send(wire, synchronous);
        wire.settle();
        if (!posted) {
            message.receive(wire);
            wire.settle();
        }
    }

    Message message;
    std::vector<Bytes> places;
    std::vector<std::span<const std::byte>> parts;
};

WireOptions options(bool gathers, std::size_t frame_bytes, FaultOptions faults = {})
{
    return {.protocol = {.eager_limit_bytes = 100'000, .unexpected_bytes = 1 << 20},
            .faults = faults,
            .frame_bytes = frame_bytes,
            .gathers = gathers};
}

}  // namespace

TEST_CASE("a message in parts arrives as one, eager or not, whatever the transport refuses or keeps")
{
    const FaultOptions faults =
        GENERATE(FaultOptions{}, FaultOptions{.seed = 3, .again = 0.5}, FaultOptions{.seed = 4, .pending = 1},
                 FaultOptions{.seed = 5, .again = 0.3, .pending = 0.3, .idle = 0.2});
    const bool gathers = GENERATE(true, false);
    const std::size_t frame_bytes = GENERATE(16u, 1000u, 200'000u);  // the first ones cut many parts
    const bool posted = GENERATE(false, true);
    const bool synchronous = GENERATE(false, true);
    CAPTURE(faults.seed, gathers, frame_bytes, posted, synchronous);
    Wire wire(options(gathers, frame_bytes, faults));
    for (const std::size_t size : {0u, 1u, 64u, 3000u, 65'537u, 150'000u}) {
        if (size / frame_bytes > 1000)
            continue;
        for (const std::size_t count : {1ul, 2ul, 7ul, kMostParts, kMostParts + 1}) {
            CAPTURE(size, count);
            InParts one(size, count, size + count);
            one.exchange(wire, posted, synchronous);
            CHECK(one.message.arrived());
        }
    }
    CHECK((wire.gathered_count() != 0) == gathers);
    CHECK(wire.most_parts() <= kMostParts);
}

TEST_CASE("a transport that gathers gets all parts at once, as far as there are no more than it takes")
{
    const bool synchronous = GENERATE(false, true);
    Wire wire(options(true, 200'000));
    InParts most(30'000, kMostParts);
    std::erase_if(most.parts, [](const auto& part) { return part.empty(); });
    most.exchange(wire, true, synchronous);
    CHECK(most.message.arrived());
    CHECK(wire.gathered_count() == 1);
    CHECK(wire.most_parts() == most.parts.size());

    InParts more(30'000, kMostParts + 1);
    more.exchange(wire, true, synchronous);
    CHECK(more.message.arrived());
    CHECK(wire.gathered_count() == 1);
}

TEST_CASE("of parts that are all empty, and of none, a message without bytes arrives")
{
    const bool gathers = GENERATE(true, false);
    const std::size_t count = GENERATE(0u, 1u, 5u, 257u);
    CAPTURE(gathers, count);
    Wire wire(options(gathers, 64));
    InParts one(0, std::max<std::size_t>(count, 1));
    one.parts.resize(count);
    one.message.buffer.resize(3);
    one.exchange(wire, true);
    REQUIRE(one.message.received.done);
    CHECK(one.message.sent.done);
    CHECK(one.message.received.status.code == ErrorCode::success);
    CHECK(one.message.received.status.size_bytes == 0);
}

TEST_CASE("a message in parts that is refused in its middle goes on from there")
{
    const bool gathers = GENERATE(true, false);
    const std::size_t size = GENERATE(3000u, 120'000u);
    CAPTURE(gathers, size);
    WireOptions few = options(gathers, size / 20);
    few.queue_frames = 3;
    Wire wire(few);
    InParts one(size, 9);
    one.message.receive(wire);
    one.send(wire);
    CHECK_FALSE(one.message.sent.done);
    wire.settle();
    CHECK(one.message.arrived());
    const FrameKind kind = size > 100'000 ? FrameKind::data : FrameKind::segment;
    CHECK(count(wire.sent_kinds(0), kind) >= 19);
}

TEST_CASE("of a message in parts no more is sent than the receiver wants")
{
    const bool gathers = GENERATE(true, false);
    CAPTURE(gathers);
    Wire wire(options(gathers, 1000));
    InParts one(150'000, 7);
    one.message.buffer.resize(10'000);
    one.exchange(wire, true);
    CHECK(one.message.sent.done);
    CHECK(one.message.received.status.code == ErrorCode::truncated);
    CHECK(std::equal(one.message.buffer.begin(), one.message.buffer.end(), one.message.data.begin()));
    CHECK(count(wire.sent_kinds(0), FrameKind::data) == 10);
}

TEST_CASE("a message in parts lies nowhere to be read from")
{
    Reader reader;
    WireOptions readable = reader.options();
    readable.gathers = GENERATE(true, false);
    Wire wire(readable);
    InParts one(100'000, 5);
    one.exchange(wire, true);
    CHECK(one.message.arrived());
    CHECK(reader.reads.empty());
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 0);
}

TEST_CASE("messages behind one in parts keep their order")
{
    const bool gathers = GENERATE(true, false);
    CAPTURE(gathers);
    Wire wire(options(gathers, 500, {.seed = 6, .again = 0.3, .pending = 0.5}));
    InParts first(60'000, 12, 1);
    Message second(300, 2);
    first.message.receive(wire);
    first.send(wire);
    second.send(wire);
    second.receive(wire);
    wire.settle();
    CHECK(first.message.arrived());
    CHECK(second.arrived());
}

TEST_CASE("a peer that is lost while a message in parts is under way fails it")
{
    const bool gathers = GENERATE(true, false);
    CAPTURE(gathers);
    WireOptions few = options(gathers, 1000);
    few.queue_frames = 2;
    Wire wire(few);
    InParts one(90'000, 12);
    one.send(wire);
    REQUIRE_FALSE(one.message.sent.done);
    wire.lose_peer_of(0, "test");
    CHECK(one.message.sent.done);
    CHECK(one.message.sent.status.code == ErrorCode::peer_lost);
    wire.at(0).retry();
    CHECK_FALSE(wire.at(0).has_pending());
}

}  // namespace tutti::test
