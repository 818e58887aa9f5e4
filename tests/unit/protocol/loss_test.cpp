// A lost peer fails exactly the operations that need it, once, and later ones at once: nobody waits for ever.
#include <catch2/catch.hpp>

#include <deque>

#include "tests/unit/protocol/wire.hpp"

using namespace tutti::test;
using namespace tutti::protocol;
using tutti::ErrorCode;

namespace {

const WireOptions kSmallWire{.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 4096},
                             .frame_bytes = 64};

EagerHeader envelope_of(FrameKind kind, int tag)
{
    return EagerHeader::of(kind, {4, 0, tag});
}

}  // namespace

TEST_CASE("receives from the lost peer fail, receives from any source wait on")
{
    Wire wire(kSmallWire);
    ReceiveRequest named;
    ReceiveRequest any;
    ReceiveRequest own;
    Bytes buffer(10);
    wire.receive(named, 1, 0, 5, buffer);
    wire.receive(any, 1, -1, 5, buffer);
    own.key = {4, 1, 5};
    own.peer_rank = 1;
    own.buffer = buffer.data();
    own.capacity = 10;
    wire.at(1).receive(own);
    wire.at(1).peer_lost(0, {"test"});
    CHECK(named.done);
    CHECK(named.status.code == ErrorCode::peer_lost);
    CHECK_FALSE(any.done);
    CHECK_FALSE(own.done);
    CHECK(wire.at(1).is_lost(0));
    CHECK_FALSE(wire.at(1).is_lost(1));
    wire.at(1).peer_lost(0, {"a second time"});

    ReceiveRequest later;
    wire.receive(later, 1, 0, 6, buffer);
    CHECK(later.done);
    CHECK(later.status.code == ErrorCode::peer_lost);
    CHECK(wire.at(1).cancel(any));
    CHECK(wire.at(1).cancel(own));
}

TEST_CASE("a lost peer has left the job, or it has not")
{
    Wire wire(kSmallWire);
    CHECK_FALSE(wire.at(0).has_left(1));
    wire.at(0).peer_lost(1, {"it has left the job", true});
    CHECK(wire.at(0).has_left(1));
    wire.at(1).peer_lost(0, {"its process has ended, and has left nothing behind"});
    CHECK_FALSE(wire.at(1).has_left(0));
    CHECK(wire.at(1).is_lost(0));
}

TEST_CASE("sends to the lost peer fail in every stage, finished ones stay as they are")
{
    WireOptions options = kSmallWire;
    options.queue_frames = 3;
    Wire wire(options);
    const Bytes small = message(1, 10);
    const Bytes large = message(2, 1000);
    SendRequest finished;
    wire.send(finished, 0, small, 1);
    SendRequest awaiting_cts;
    wire.send(awaiting_cts, 0, large, 2);
    SendRequest streaming;
    wire.send(streaming, 0, large, 3);
    ReceiveRequest receive;
    Bytes buffer(1000);
    wire.receive(receive, 1, 0, 3, buffer);
    wire.step(1);
    wire.step(0);  // the cts: three of sixteen data frames go out
    SendRequest waiting;
    wire.send(waiting, 0, small, 4);  // no room
    SendRequest synchronous;
    wire.send(synchronous, 0, small, 5, true);
    REQUIRE(finished.done);
    for (const SendRequest* request : {&awaiting_cts, &streaming, &waiting, &synchronous})
        REQUIRE_FALSE(request->done);

    wire.at(0).peer_lost(1, {"test"});
    CHECK(finished.status.code == ErrorCode::success);
    for (const SendRequest* request : {&awaiting_cts, &streaming, &waiting, &synchronous}) {
        CHECK(request->done);
        CHECK(request->status.code == ErrorCode::peer_lost);
    }
    wire.at(0).retry();
    CHECK_FALSE(wire.at(0).has_pending());
    SendRequest later;
    wire.send(later, 0, small, 6);
    CHECK(later.done);
    CHECK(later.status.code == ErrorCode::peer_lost);

    // The other side: what it was receiving.
    wire.at(1).peer_lost(0, {"test"});
    CHECK(receive.done);
    CHECK(receive.status.code == ErrorCode::peer_lost);
}

TEST_CASE("a send whose frames the transport still holds fails only when they are free")
{
    WireOptions options = kSmallWire;
    options.faults.pending = 1;
    Wire wire(options);
    SendRequest send;
    const Bytes data = message(1, 1000);
    wire.send(send, 0, data, 1);
    REQUIRE(send.frames_pending == 1);
    wire.at(0).peer_lost(1, {"test"});
    CHECK_FALSE(send.done);
    wire.step(0);
    CHECK(send.done);
    CHECK(send.frames_pending == 0);
    CHECK(send.status.code == ErrorCode::peer_lost);
}

TEST_CASE("a receive that matched a rendezvous or part of a message of a peer lost since fails, also later")
{
    const bool rendezvous = GENERATE(true, false);
    const bool receive_first = GENERATE(true, false);
    CAPTURE(rendezvous, receive_first);
    Wire wire(kSmallWire);
    ReceiveRequest receive;
    Bytes buffer(200);
    if (receive_first)
        wire.receive(receive, 1, 0, 5, buffer);
    if (rendezvous)
        wire.forge(1, LongHeader{envelope_of(FrameKind::rts, 5), 200, 77});
    else
        wire.forge(1, LongHeader{envelope_of(FrameKind::first, 5), 200, 0}, message(1, 60));
    wire.at(1).peer_lost(0, {"test"});
    if (!receive_first) {
        CHECK(wire.at(1).unexpected_count() == 1);
        wire.receive(receive, 1, 0, 5, buffer);
    }
    REQUIRE(receive.done);
    CHECK(receive.status.code == ErrorCode::peer_lost);
}

TEST_CASE("whole messages of a lost peer can still be received, in order")
{
    Wire wire(kSmallWire);
    std::deque<SendRequest> sends;
    std::deque<Bytes> data;
    for (std::uint64_t i = 0; i < 3; ++i)
        wire.send(sends.emplace_back(), 0, data.emplace_back(message(i, 100 * i)), 5);
    wire.settle();
    wire.at(1).peer_lost(0, {"test"});
    for (std::uint64_t i = 0; i < 3; ++i) {
        ReceiveRequest receive;
        Bytes buffer(100 * i);
        wire.receive(receive, 1, i == 1 ? -1 : 0, 5, buffer);
        REQUIRE(receive.done);
        CHECK(receive.status.code == ErrorCode::success);
        CHECK(buffer == data[i]);
    }
}

TEST_CASE("a dropped rendezvous of a lost peer is gone")
{
    Wire wire(kSmallWire);
    wire.forge(1, LongHeader{envelope_of(FrameKind::rts, 5), 200, 77});
    wire.forge(1, LongHeader{envelope_of(FrameKind::first, 6), 200, 0}, message(1, 60));
    wire.at(1).peer_lost(0, {"test"});
    for (const int tag : {5, 6}) {
        auto* found = wire.at(1).probe({4, 0, tag});
        REQUIRE(found != nullptr);
        wire.at(1).extract(*found);
        wire.at(1).drop(*found);
    }
    CHECK(wire.at(1).unexpected_count() == 0);
}

TEST_CASE("close with an error for kept frames is what the send tells")
{
    tutti::transport::FaultOptions faults;
    faults.pending = 1;
    SendRequest send;
    const Bytes data = message(1, 10);
    {
        Wire wire({.protocol = kSmallWire.protocol, .faults = faults, .frame_bytes = 64});
        wire.send(send, 0, data, 1);
        CHECK_FALSE(send.done);
    }
    CHECK(send.done);
    CHECK(send.status.code == ErrorCode::cancelled);
}
