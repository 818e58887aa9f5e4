// Credit: what a receiver keeps of a sender is bounded, and nothing is lost or overtaken while credit is
// short.
#include <catch2/catch.hpp>

#include <deque>

#include "tests/unit/protocol/wire.hpp"

using namespace tutti::test;
using tutti::protocol::FrameKind;
using tutti::protocol::kEagerOverheadBytes;

TEST_CASE("a flood of unexpected messages is kept up to the credit, the rest waits with its sender")
{
    const std::size_t size = GENERATE(0u, 1u, 60u, 64u, 200u);
    CAPTURE(size);
    constexpr std::size_t kCredit = 4096;
    constexpr std::size_t kMessages = 1000;
    Wire wire({.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = kCredit}, .frame_bytes = 64});
    std::deque<SendRequest> sends(kMessages);
    std::vector<Bytes> data;
    for (std::size_t i = 0; i < kMessages; ++i)
        data.push_back(message(i, size));
    std::size_t done = 0;
    for (std::size_t i = 0; i < kMessages; ++i) {
        wire.send(sends[i], 0, data[i], 1);
        wire.settle();
        done += sends[i].done;
    }
    // The eager ones are the first, as many as the credit allows; of the others only envelopes have come.
    CHECK(done == kCredit / (size + kEagerOverheadBytes));
    CHECK(sends[done - 1].done);
    CHECK_FALSE(sends[done].done);
    for (std::size_t i = 0; i < kMessages; ++i) {
        ReceiveRequest receive;
        Bytes buffer(size);
        wire.receive(receive, 1, 0, 1, buffer);
        wire.settle();
        REQUIRE(receive.done);
        REQUIRE(sends[i].done);
        REQUIRE(buffer == data[i]);
    }
    CHECK(wire.at(1).unexpected_count() == 0);

    // All credit is back but what is not worth a frame yet: half of it can be sent at once again.
    const auto before = wire.sent_kinds(0).size();
    SendRequest again;
    wire.send(again, 0, data[0], 1);
    wire.settle();
    CHECK(again.done);
    const FrameKind kind = wire.sent_kinds(0)[before];
    CHECK((kind == FrameKind::eager || kind == FrameKind::first));
}

TEST_CASE("credit comes back for messages that are received at once, dropped, or too long for the buffer")
{
    const int how = GENERATE(0, 1, 2);
    const std::size_t size = GENERATE(10u, 200u);
    CAPTURE(how, size);
    Wire wire({.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 2048}, .frame_bytes = 64});
    const Bytes data = message(1, size);
    for (int i = 0; i < 500; ++i) {
        SendRequest send;
        ReceiveRequest receive;
        Bytes buffer(how == 2 ? 4 : size);
        if (how != 1)
            wire.receive(receive, 1, 0, 1, buffer);
        wire.send(send, 0, data, 1);
        wire.settle();
        if (how == 1) {
            auto* found = wire.at(1).probe({4, 0, 1});
            REQUIRE(found != nullptr);
            wire.at(1).extract(*found);
            wire.at(1).drop(*found);
            wire.settle();
        }
        REQUIRE(send.done);
    }
    for (const FrameKind kind : wire.sent_kinds(0))
        REQUIRE(kind != FrameKind::rts);
}

TEST_CASE("a message that waits for want of room and then has credit is sent once, and leaves nothing behind")
{
    // The transport is full when the rts should go; by the time it has room, credit has come back.
    constexpr std::size_t kMessages = 8;
    constexpr std::size_t kCredit = kMessages * (60 + kEagerOverheadBytes);
    Wire wire({.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = kCredit}, .frame_bytes = 64});
    const Bytes data = message(1, 60);
    std::deque<SendRequest> sends;
    while (sends.size() < kMessages)
        wire.send(sends.emplace_back(), 0, data, 1);
    wire.settle();
    wire.limit_queue(0);
    SendRequest late;
    wire.send(late, 0, data, 1);
    CHECK_FALSE(late.done);
    wire.limit_queue(1000);
    for (std::size_t i = 0; i < sends.size(); ++i) {
        ReceiveRequest receive;
        Bytes buffer(60);
        wire.receive(receive, 1, 0, 1, buffer);
        REQUIRE(receive.done);
    }
    // The credit frames are on their way; rank 0 takes them before it retries.
    wire.settle();
    ReceiveRequest receive;
    Bytes buffer(60);
    wire.receive(receive, 1, 0, 1, buffer);
    wire.settle();
    REQUIRE(receive.done);
    REQUIRE(late.done);
    CHECK(buffer == data);
    // An id of the finished request must not be left in a table: a loss would look at it.
    CHECK(late.id == 0);
    wire.at(0).peer_lost(1, {"to see what is left"});
    CHECK(late.status.code == tutti::ErrorCode::success);
}

TEST_CASE("an eager limit above the credit is lowered to what the credit allows")
{
    Wire wire({.protocol = {.eager_limit_bytes = 1u << 20, .unexpected_bytes = 1024}, .frame_bytes = 64});
    for (const std::size_t size :
         {1024 - kEagerOverheadBytes, 1024 - kEagerOverheadBytes + 1, std::size_t{100'000}}) {
        SendRequest send;
        ReceiveRequest receive;
        const Bytes data = message(1, size);
        Bytes buffer(size);
        wire.send(send, 0, data, 1);
        wire.settle();
        CHECK(send.done == (size <= 1024 - kEagerOverheadBytes));
        wire.receive(receive, 1, 0, 1, buffer);
        wire.settle();
        CHECK(receive.done);
        CHECK(buffer == data);
    }
}
