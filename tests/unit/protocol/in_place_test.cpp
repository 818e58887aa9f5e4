// Receives that are shown the message where its sender has it, until they say that they have seen it.
#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/unit/protocol/remote_read.hpp"

namespace tutti::test {

namespace {

/// The sender's memory as it is, where it can be mapped.
WireOptions in_place_options(bool maps = true)
{
    const auto view = [maps](const RemoteRegion& region, std::size_t size) {
        return maps ? std::span(reinterpret_cast<const std::byte*>(region.address), size)
                    : std::span<const std::byte>();
    };
    return {.protocol = {.eager_limit_bytes = 8192, .unexpected_bytes = 1 << 16},
            .frame_bytes = 64,
            .view = view};
}

struct InPlace : Message {
    explicit InPlace(std::size_t size) : Message(size) { received.in_place = true; }

    bool is_untouched() const
    {
        return std::ranges::all_of(buffer, [](std::byte byte) { return byte == std::byte{0x77}; });
    }
};

}  // namespace

TEST_CASE("a message is shown where it lies, and its sender is done only when it has been seen")
{
    const std::size_t size = GENERATE(1024u, 1025u, 100'000u);
    const bool unexpected = GENERATE(false, true);
    const bool synchronous = GENERATE(false, true);
    CAPTURE(size, unexpected, synchronous);
    Wire wire(in_place_options());
    InPlace one(size);
    if (!unexpected)
        one.receive(wire);
    one.send(wire, synchronous);
    wire.settle();
    if (unexpected)
        one.receive(wire);
    wire.settle();
    REQUIRE(one.received.done);
    CHECK(one.received.status.code == ErrorCode::success);
    CHECK(one.received.status.size_bytes == size);
    CHECK(one.received.viewed.data() == one.data.data());
    CHECK(one.received.viewed.size() == size);
    CHECK(one.is_untouched());
    CHECK_FALSE(one.sent.done);
    CHECK(wire.sent_kinds(1).empty());

    wire.at(1).end_view(one.received.sender, one.received.sender_id);
    CHECK_FALSE(one.sent.done);  // before it has come
    wire.settle();
    CHECK(one.sent.done);
    CHECK(one.sent.status.code == ErrorCode::success);
    CHECK(wire.sent_kinds(0) == Kinds{FrameKind::rts});
    CHECK(wire.sent_kinds(1) == Kinds{FrameKind::fin});
}

TEST_CASE("of memory that cannot be mapped, and of a short message, there is a copy")
{
    const auto [maps, size] = GENERATE(table<bool, std::size_t>(
        {{true, 0}, {true, 1}, {true, 1023}, {false, 1}, {false, 1024}, {false, 10'000}}));
    const bool unexpected = GENERATE(false, true);
    CAPTURE(maps, size, unexpected);
    Wire wire(in_place_options(maps));
    InPlace one(size);
    if (!unexpected)
        one.receive(wire);
    one.send(wire);
    wire.settle();
    if (unexpected)
        one.receive(wire);
    wire.settle();
    CHECK(one.arrived());
    CHECK(one.received.viewed.empty());
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 0);
}

TEST_CASE("no more is shown than was asked for, and less where less was sent")
{
    const std::size_t room = GENERATE(1000u, 2999u, 3001u, 5000u);
    CAPTURE(room);
    Wire wire(in_place_options());
    InPlace one(3000);
    one.buffer.resize(room);
    one.receive(wire);
    one.send(wire);
    wire.settle();
    REQUIRE(one.received.done);
    CHECK(one.received.status.code == (room < 3000 ? ErrorCode::truncated : ErrorCode::success));
    CHECK(one.received.status.size_bytes == 3000);
    CHECK(one.received.viewed.data() == one.data.data());
    CHECK(one.received.viewed.size() == std::min<std::size_t>(room, 3000));
    CHECK_FALSE(one.sent.done);
    wire.at(1).end_view(one.received.sender, one.received.sender_id);
    wire.settle();
    CHECK(one.sent.done);
    CHECK(one.sent.status.code == ErrorCode::success);
}

TEST_CASE("a receive without room is shown nothing, and its sender is done")
{
    Wire wire(in_place_options());
    InPlace one(3000);
    one.buffer.clear();
    one.receive(wire);
    one.send(wire);
    wire.settle();
    CHECK(one.received.done);
    CHECK(one.received.status.code == ErrorCode::truncated);
    CHECK(one.received.viewed.empty());
    CHECK(one.sent.done);
}

TEST_CASE(
    "that a message has been seen is reported when the transport takes it, and its order does not matter")
{
    Wire wire(in_place_options());
    InPlace first(2000);
    InPlace second(3000);
    for (InPlace* one : {&first, &second}) {
        one->receive(wire);
        one->send(wire);
    }
    wire.settle();
    REQUIRE(first.received.done);
    REQUIRE(second.received.done);
    wire.limit_queue(0);
    wire.at(1).end_view(0, second.received.sender_id);
    wire.settle();
    CHECK_FALSE(second.sent.done);
    CHECK(wire.at(1).has_pending());
    wire.limit_queue(10);
    wire.settle();
    CHECK(second.sent.done);
    CHECK_FALSE(first.sent.done);
    wire.at(1).end_view(0, first.received.sender_id);
    wire.settle();
    CHECK(first.sent.done);
}

TEST_CASE("a view may be ended when its sender is lost, and a sender whose viewer is lost fails")
{
    Wire wire(in_place_options());
    InPlace one(2000);
    one.receive(wire);
    one.send(wire);
    wire.settle();
    REQUIRE(one.received.done);
    wire.lose_peer_of(1, "test");
    wire.at(1).end_view(0, one.received.sender_id);
    wire.settle();
    CHECK_FALSE(wire.at(1).has_pending());
    CHECK(wire.in_flight(0) == 0);
    CHECK_FALSE(one.sent.done);
    wire.lose_peer_of(0, "test");
    CHECK(one.sent.done);
    CHECK(one.sent.status.code == ErrorCode::peer_lost);
}

TEST_CASE("a receive in place that nothing has matched is taken back")
{
    Wire wire(in_place_options());
    InPlace one(2000);
    one.receive(wire);
    REQUIRE(wire.at(1).cancel(one.received));
    CHECK(one.received.viewed.empty());
    one.send(wire);
    wire.settle();
    CHECK(wire.at(1).unexpected_count() == 1);
    CHECK_FALSE(one.sent.done);
    wire.lose_peer_of(0, "test");
}

}  // namespace tutti::test
