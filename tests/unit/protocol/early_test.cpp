// The first bytes of a long message travel with its envelope, before the receiver has answered.
#include <catch2/catch.hpp>

#include <deque>

#include "tests/unit/protocol/remote_read.hpp"

using namespace tutti::test;
using namespace tutti::protocol;
using tutti::ErrorCode;

namespace {

constexpr std::size_t kEarly = 300;

WireOptions early_options()
{
    return {.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 4096},
            .frame_bytes = 64,
            .early_bytes = kEarly};
}

LongHeader rts(std::uint64_t total, std::uint64_t id = 99)
{
    return {EagerHeader::of(FrameKind::first, {4, 0, 5}), total, id};
}

}  // namespace

TEST_CASE("early bytes are in their place before the answer, and the rest follows it")
{
    const std::size_t size = GENERATE(301u, 364u, 1000u, 10'000u);
    const bool synchronous = GENERATE(false, true);
    const bool unexpected = GENERATE(false, true);
    CAPTURE(size, synchronous, unexpected);
    Wire wire(early_options());
    Message one(size);
    if (!unexpected)
        one.receive(wire);
    one.send(wire, synchronous);
    CHECK(wire.sent_kinds(0) == Kinds{FrameKind::first, FrameKind::segment, FrameKind::segment,
                                      FrameKind::segment, FrameKind::segment, FrameKind::segment});
    wire.step(1);
    CHECK_FALSE(one.sent.done);
    if (unexpected) {
        CHECK(wire.sent_kinds(1).empty());
        one.receive(wire);
    }
    CHECK(Bytes(one.buffer.begin(), one.buffer.begin() + kEarly) ==
          Bytes(one.data.begin(), one.data.begin() + kEarly));
    CHECK(wire.sent_kinds(1) == Kinds{FrameKind::cts});
    wire.settle();
    CHECK(one.arrived());
    CHECK(count(wire.sent_kinds(0), FrameKind::data) == (size - kEarly + 63) / 64);
}

TEST_CASE("a synchronous message that is all early needs one answer, and ends only then")
{
    const std::size_t size = GENERATE(1u, 64u, 65u, 256u, 300u);
    const bool unexpected = GENERATE(false, true);
    CAPTURE(size, unexpected);
    Wire wire(early_options());
    Message one(size);
    if (!unexpected)
        one.receive(wire);
    one.send(wire, true);
    wire.step(1);
    CHECK_FALSE(one.sent.done);
    if (unexpected)
        one.receive(wire);
    CHECK(one.received.done);
    wire.settle();
    CHECK(one.arrived());
    CHECK(wire.sent_kinds(1) == Kinds{FrameKind::fin});
}

TEST_CASE("a synchronous message that would be eager needs one answer, also where others wait for their data")
{
    const std::size_t size = GENERATE(1u, 64u, 65u, 256u);
    const bool unexpected = GENERATE(false, true);
    CAPTURE(size, unexpected);
    WireOptions options = early_options();
    options.early_bytes = 0;
    Wire wire(options);
    Message one(size);
    if (!unexpected)
        one.receive(wire);
    one.send(wire, true);
    CHECK(wire.sent_kinds(0).front() == FrameKind::first);
    wire.step(1);
    CHECK_FALSE(one.sent.done);
    if (unexpected)
        one.receive(wire);
    CHECK(one.received.done);  // without a turn of the sender
    CHECK_FALSE(one.sent.done);
    wire.settle();
    CHECK(one.arrived());
    CHECK(wire.sent_kinds(1) == Kinds{FrameKind::fin});

    Message longer(257);
    longer.receive(wire);
    longer.send(wire, true);
    CHECK(wire.sent_kinds(0).back() == FrameKind::rts);
    wire.settle();
    CHECK(longer.arrived());
}

TEST_CASE("a shorter buffer takes what fits, wherever the early bytes end")
{
    const std::size_t capacity = GENERATE(0u, 1u, 64u, 65u, 299u, 300u, 301u, 999u);
    const bool unexpected = GENERATE(false, true);
    CAPTURE(capacity, unexpected);
    Wire wire(early_options());
    Message one(1000);
    const auto receive = [&] {
        one.received.key = {4, 0, 5};
        one.received.peer_rank = 0;
        one.received.buffer = one.buffer.data();
        one.received.capacity = capacity;
        wire.at(1).receive(one.received);
    };
    if (!unexpected)
        receive();
    one.send(wire);
    Message next(900, 2);
    next.send(wire);
    wire.step(1);
    if (unexpected)
        receive();
    wire.settle();
    REQUIRE(one.received.done);
    CHECK(one.received.status.code == ErrorCode::truncated);
    CHECK(one.received.status.size_bytes == 1000);
    CHECK(one.sent.done);
    CHECK(one.sent.status.code == ErrorCode::success);
    const auto end = static_cast<std::ptrdiff_t>(capacity);
    CHECK(Bytes(one.buffer.begin(), one.buffer.begin() + end) ==
          Bytes(one.data.begin(), one.data.begin() + end));
    CHECK(Bytes(one.buffer.begin() + end, one.buffer.end()) == Bytes(1000 - capacity, std::byte{0x77}));
    next.receive(wire);
    wire.settle();
    CHECK(next.arrived());
}

TEST_CASE("the answer comes while early bytes wait for room")
{
    const std::size_t capacity = GENERATE(100u, 1000u);
    CAPTURE(capacity);
    Wire wire(early_options());
    wire.limit_queue(2);
    Message one(1000);
    one.buffer.resize(capacity);
    one.receive(wire);
    one.send(wire);
    Message behind(10, 2);
    behind.receive(wire);
    behind.send(wire);
    CHECK(wire.in_flight(1) == 2);
    wire.settle();
    CHECK(one.sent.done);
    CHECK(one.sent.status.code == ErrorCode::success);
    CHECK(one.received.status.code == (capacity < 1000 ? ErrorCode::truncated : ErrorCode::success));
    CHECK(std::equal(one.buffer.begin(), one.buffer.end(), one.data.begin()));
    CHECK(behind.arrived());
    CHECK_FALSE(wire.at(0).has_pending());
}

TEST_CASE("early bytes use credit: a flood of messages stays bounded, and credit comes back")
{
    Wire wire(early_options());
    std::deque<Message> messages;
    for (std::uint64_t number = 0; number < 50; ++number)
        messages.emplace_back(1000, number).send(wire);
    wire.settle();
    const std::size_t with_data = count(wire.sent_kinds(0), FrameKind::first);
    CHECK(with_data == 4096 / (kEarly + kEagerOverheadBytes));
    CHECK(count(wire.sent_kinds(0), FrameKind::rts) == 50 - with_data);
    for (Message& one : messages)
        one.receive(wire);
    wire.settle();
    for (const Message& one : messages)
        REQUIRE(one.arrived());
    Message late(1000, 51);
    late.receive(wire);
    late.send(wire);
    CHECK(count(wire.sent_kinds(0), FrameKind::first) == with_data + 1);
    wire.settle();
    CHECK(late.arrived());
}

TEST_CASE("a peer that is lost within the early bytes fails both ends once")
{
    const bool unexpected = GENERATE(false, true);
    CAPTURE(unexpected);
    Wire wire(early_options());
    wire.limit_queue(2);
    Message one(1000);
    if (!unexpected)
        one.receive(wire);
    one.send(wire);
    wire.step(1);
    wire.lose_peer_of(1, "the test says so");
    wire.lose_peer_of(0, "the test says so");
    if (unexpected)
        one.receive(wire);
    REQUIRE(one.received.done);
    CHECK(one.received.status.code == ErrorCode::peer_lost);
    REQUIRE(one.sent.done);
    CHECK(one.sent.status.code == ErrorCode::peer_lost);
}

TEST_CASE("a receive that is given up within the early bytes lets the rest pass")
{
    Wire wire(early_options());
    wire.limit_queue(2);
    Message one(200);
    one.receive(wire);
    one.send(wire, true);
    wire.step(1);
    wire.at(1).forget(one.received);
    wire.limit_queue(1000);
    Message next(900, 2);
    next.receive(wire);
    next.send(wire);
    wire.settle();
    CHECK_FALSE(one.received.done);
    CHECK(next.arrived());
}

TEST_CASE("early bytes that cannot be are refused")
{
    Wire wire(early_options());
    const auto refused = [&](const LongHeader& header, std::span<const std::byte> payload) {
        try {
            wire.forge(1, header, payload);
            FAIL("the frame was taken");
        } catch (const tutti::Error& error) {
            CHECK(error.code() == ErrorCode::protocol);
            CHECK(error.peer() == 0);
        }
    };
    const auto early = [](const EarlyPart& part) { return std::as_bytes(std::span(&part, 1)); };
    refused(rts(1000), {});
    refused(rts(1000), message(1, 24));
    const EarlyPart too_much{1001, {}};
    refused(rts(1000), early(too_much));
    const EarlyPart flood{4097, {}};
    refused(rts(1u << 20), early(flood));
    CHECK(wire.at(1).unexpected_count() == 0);
    const EarlyPart right{100, {}};
    wire.forge(1, rts(1000), early(right));
    refused(rts(1000, 100), early(right));  // the first is not complete
    CHECK(wire.at(1).unexpected_count() == 1);
}

TEST_CASE("early, eager and pulled messages in any order over transports that refuse, keep and idle")
{
    const auto faults = GENERATE(
        values<tutti::transport::FaultOptions>({{},
                                                {.seed = 21, .again = 0.4},
                                                {.seed = 22, .pending = 0.5},
                                                {.seed = 23, .again = 0.3, .pending = 0.3, .idle = 0.2}}));
    CAPTURE(faults.seed);
    Reader reader;
    WireOptions mixed = reader.options(faults);
    mixed.early_bytes = kEarly;
    Wire wire(mixed);
    exchange_mixed(wire, 9, 200, [](auto& random) -> std::size_t {
        return random() % 2 == 0 ? random() % 700 : 3900 + random() % 3000;
    });
    CHECK(reader.reads.size() > 3);
    CHECK(count(wire.sent_kinds(0), FrameKind::first) > 20);
}
