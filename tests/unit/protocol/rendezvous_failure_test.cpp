// Remote reads that are refused, fail, take their time or meet a lost peer: the message arrives all the same,
// or its receive fails; nobody waits for ever.
#include <catch2/catch.hpp>

#include "tests/unit/protocol/remote_read.hpp"

using namespace tutti::test;
using tutti::ErrorCode;

namespace {

// The receive is posted, then the message sent, and all that can happen does.
void pass(Wire& wire, Message& message)
{
    message.receive(wire);
    message.send(wire);
    wire.settle();
}

// A wire on which the read of one message has been started, and takes its time.
struct ReadUnderWay {
    ReadUnderWay()
    {
        reader.answer = SendResult::pending;
        pass(wire, one);
        REQUIRE(reader.reads.size() == 1);
        CHECK_FALSE(one.received.done);
    }

    Reader reader;
    Wire wire{reader.options()};
    Message one{5000};
};

}  // namespace

TEST_CASE("a read refused for now is streamed, and the next message asks again")
{
    Reader reader;
    reader.answer = SendResult::again;
    Wire wire(reader.options());
    for (std::uint64_t number = 0; number < 20; ++number) {
        Message one(5000, number);
        pass(wire, one);
        REQUIRE(one.arrived());
    }
    CHECK(reader.reads.size() ==
          16);  // but for three streams of the first six, and the one that is tried again
    reader.answer = SendResult::done;
    Message one(5000);
    pass(wire, one);
    CHECK(one.arrived());
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 1);
}

TEST_CASE("a read that throws is streamed, whatever it had written, and that peer is never read again")
{
    Reader reader;
    reader.throws = true;
    Wire wire(reader.options());
    for (std::uint64_t number = 0; number < 1030; ++number) {
        Message one(4096, number);
        pass(wire, one);
        REQUIRE(one.arrived());
        reader.throws = false;
    }
    CHECK(reader.reads.size() == 1);
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 0);
}

TEST_CASE("a read that takes its time: neither side is done before it is")
{
    const bool unexpected = GENERATE(false, true);
    Reader reader;
    reader.answer = SendResult::pending;
    Wire wire(reader.options());
    Message one(5000);
    Message other(100, 2);
    if (!unexpected)
        one.receive(wire);
    one.send(wire);
    wire.settle();
    if (unexpected)
        one.receive(wire);
    wire.settle();
    REQUIRE(reader.reads.size() == 1);
    CHECK_FALSE(one.received.done);
    CHECK_FALSE(one.sent.done);
    // Others pass in the meantime.
    pass(wire, other);
    CHECK(other.arrived());
    CHECK_FALSE(wire.at(1).cancel(one.received));

    reader.complete(ErrorCode::success);
    CHECK(one.received.done);
    CHECK_FALSE(one.sent.done);
    wire.settle();
    CHECK(one.arrived());
}

TEST_CASE("a read that fails on its way is streamed instead: the sender does not wait for ever")
{
    ReadUnderWay under_way;
    auto& [reader, wire, one] = under_way;
    reader.complete(ErrorCode::system);
    CHECK_FALSE(one.received.done);
    wire.settle();
    CHECK(one.arrived());
    for (std::uint64_t number = 0; number < 10; ++number) {
        Message next(5000, number);
        pass(wire, next);
        REQUIRE(next.arrived());
    }
    CHECK(reader.reads.size() == 1);
}

TEST_CASE("a read under way when its peer is lost fails the receive once the memory is free again")
{
    const ErrorCode reported = GENERATE(ErrorCode::peer_lost, ErrorCode::system, ErrorCode::cancelled);
    const bool loss_first = GENERATE(true, false);
    if (!loss_first && reported != ErrorCode::peer_lost)
        return;
    ReadUnderWay under_way;
    auto& [reader, wire, one] = under_way;
    if (loss_first) {
        wire.at(1).peer_lost(0, {"test"});
        CHECK_FALSE(one.received.done);  // the transport may still write to the buffer
    }
    reader.complete(reported);
    REQUIRE(one.received.done);
    CHECK(one.received.status.code == ErrorCode::peer_lost);
    wire.at(1).peer_lost(0, {"test"});
    CHECK(one.received.status.code == ErrorCode::peer_lost);
    CHECK(count(wire.sent_kinds(1), FrameKind::cts) == 0);
    wire.at(0).peer_lost(1, {"test"});
    CHECK(one.sent.status.code == ErrorCode::peer_lost);
}

TEST_CASE("a read that ended well although its peer is lost since has brought the message")
{
    ReadUnderWay under_way;
    auto& [reader, wire, one] = under_way;
    wire.at(1).peer_lost(0, {"test"});
    reader.complete(ErrorCode::success);
    wire.settle();
    CHECK(one.received.done);
    CHECK(one.received.status.code == ErrorCode::success);
    CHECK(one.buffer == one.data);
    CHECK(wire.sent_kinds(1).empty());
    wire.at(0).peer_lost(1, {"test"});
    CHECK(one.sent.done);
}

TEST_CASE("the memory of a peer lost since its envelope came is not read")
{
    Reader reader;
    Wire wire(reader.options());
    Message one(5000);
    one.send(wire);
    wire.settle();
    wire.at(1).peer_lost(0, {"test"});
    one.receive(wire);
    CHECK(one.received.done);
    CHECK(one.received.status.code == ErrorCode::peer_lost);
    CHECK(reader.reads.empty());
    wire.at(0).peer_lost(1, {"test"});
    CHECK(one.sent.done);
}

TEST_CASE("a read that is cancelled as the transport closes ends the receive so")
{
    ReadUnderWay under_way;
    auto& [reader, wire, one] = under_way;
    reader.complete(ErrorCode::cancelled);
    CHECK(one.received.done);
    CHECK(one.received.status.code == ErrorCode::cancelled);
    wire.at(0).peer_lost(1, {"test"});
    CHECK(one.sent.done);
}

TEST_CASE("a receive that is let go or forgotten takes its memory back from the read, once")
{
    ReadUnderWay read;
    const bool forgotten = GENERATE(false, true);
    CAPTURE(forgotten);
    if (forgotten)
        read.wire.at(1).forget(read.one.received);
    else
        read.wire.at(1).let_go(read.one.received);
    const Completion* const completion = &read.one.received;
    CHECK(read.reader.abandoned == std::vector{completion});
    // One that is let go has come to its end, and its sender hears of it.
    CHECK(read.one.received.done == !forgotten);
    read.wire.settle();
    CHECK(read.one.sent.done == !forgotten);
    read.wire.at(1).forget(read.one.received);
    CHECK(read.reader.abandoned.size() == 1);
}
