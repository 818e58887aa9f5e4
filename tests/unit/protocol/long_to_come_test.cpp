// Which peers a transport may expect a long message from: those of posted receives that are sure to get one.
#include <catch2/catch.hpp>

#include "tests/unit/protocol/remote_read.hpp"

namespace tutti::test {

namespace {

using protocol::kLongBytes;

struct Long : Message {
    explicit Long(std::size_t size = kLongBytes) : Message(size) { received.exact = true; }
};

WireOptions long_options(std::size_t frame_bytes = 1 << 20, bool asks_destination = false)
{
    return {.protocol = {.eager_limit_bytes = 100'000, .unexpected_bytes = 1 << 20},
            .frame_bytes = frame_bytes,
            .asks_destination = asks_destination};
}

}  // namespace

TEST_CASE("a long message is expected from whom one is sure to come, and from nobody else")
{
    Wire wire(long_options());
    CHECK_FALSE(wire.at(1).expects_long(0));
    Long shorter(kLongBytes - 1);
    shorter.receive(wire);
    Long unsure;
    unsure.received.exact = false;
    unsure.receive(wire);
    CHECK_FALSE(wire.at(1).expects_long(0));
    Long one;
    one.receive(wire);
    CHECK(wire.at(1).expects_long(0));
    CHECK_FALSE(wire.at(1).expects_long(1));
    CHECK_FALSE(wire.at(0).expects_long(1));
    for (Long* posted : {&shorter, &unsure, &one})
        CHECK(wire.at(1).cancel(posted->received));
}

TEST_CASE("it is expected until it has matched, however it comes")
{
    const std::size_t frame_bytes = GENERATE(1000u, 1u << 20);
    const std::size_t size = GENERATE(std::size_t{kLongBytes}, std::size_t{100'001});
    const bool synchronous = GENERATE(false, true);
    CAPTURE(frame_bytes, size, synchronous);
    Wire wire(long_options(frame_bytes));
    Long first(size);
    Long second(size);
    first.receive(wire);
    second.receive(wire);
    first.send(wire, synchronous);
    wire.settle();
    CHECK(first.arrived());
    CHECK(wire.at(1).expects_long(0));  // the second
    second.send(wire, synchronous);
    wire.step(1);
    CHECK_FALSE(wire.at(1).expects_long(0));
    wire.settle();
    CHECK(second.arrived());
    CHECK_FALSE(wire.at(1).expects_long(0));
}

TEST_CASE("what is being placed is expected no more")
{
    Wire wire(long_options(1 << 20, true));
    Long one;
    one.receive(wire);
    one.send(wire);
    REQUIRE(wire.step(1) == 1);  // its header and half of its payload
    CHECK_FALSE(one.received.done);
    CHECK_FALSE(wire.at(1).expects_long(0));
    wire.settle();
    CHECK(one.arrived());
    CHECK(wire.placed_count() == 1);
}

TEST_CASE("a shorter or longer message than was sure ends it, too")
{
    const std::size_t size = GENERATE(std::size_t{10}, 2 * kLongBytes, std::size_t{150'000});
    CAPTURE(size);
    Wire wire(long_options());
    Long one(size);
    one.buffer.resize(kLongBytes);
    one.receive(wire);
    CHECK(wire.at(1).expects_long(0));
    one.send(wire);
    wire.settle();
    CHECK(one.received.done);
    CHECK_FALSE(wire.at(1).expects_long(0));
}

TEST_CASE("a message that is there already is not expected")
{
    const std::size_t size = GENERATE(std::size_t{kLongBytes}, std::size_t{150'000});
    Wire wire(long_options());
    Long one(size);
    one.send(wire);
    wire.settle();
    one.receive(wire);
    CHECK_FALSE(wire.at(1).expects_long(0));
    wire.settle();
    CHECK(one.arrived());
    CHECK_FALSE(wire.at(1).expects_long(0));
}

TEST_CASE("what is taken back, forgotten or fails is expected no more, and counted once")
{
    Wire wire(long_options());
    Long cancelled;
    Long forgotten;
    Long failed;
    for (Long* one : {&cancelled, &forgotten, &failed})
        one->receive(wire);
    CHECK(wire.at(1).cancel(cancelled.received));
    CHECK_FALSE(wire.at(1).cancel(cancelled.received));
    CHECK(wire.at(1).expects_long(0));
    wire.at(1).forget(forgotten.received);
    wire.at(1).forget(forgotten.received);
    wire.at(1).forget(cancelled.received);
    CHECK(wire.at(1).expects_long(0));  // the third
    wire.lose_peer_of(1, "test");
    CHECK(failed.received.done);
    CHECK_FALSE(wire.at(1).expects_long(0));
    wire.at(1).forget(failed.received);
    CHECK_FALSE(wire.at(1).expects_long(0));

    Long later;
    later.receive(wire);
    CHECK(later.received.done);
    CHECK(later.received.status.code == ErrorCode::peer_lost);
    CHECK_FALSE(wire.at(1).expects_long(0));
}

}  // namespace tutti::test
