// The data of a rendezvous, pulled by the receiver or streamed by the sender: the same bytes either way, and
// the one when the other cannot be.
#include <catch2/catch.hpp>

#include <cstring>

#include "tests/unit/protocol/remote_read.hpp"

using namespace tutti::test;
using tutti::ErrorCode;

TEST_CASE("a large message is read by its receiver: no data travels, and its end is reported")
{
    const std::size_t size = GENERATE(4096u, 4097u, 10'000u, 100'001u);
    const bool synchronous = GENERATE(false, true);
    const bool unexpected = GENERATE(false, true);
    CAPTURE(size, synchronous, unexpected);
    Reader reader;
    Wire wire(reader.options());
    Message one(size);
    if (!unexpected)
        one.receive(wire);
    one.send(wire, synchronous);
    wire.step(1);
    if (unexpected) {
        CHECK(reader.reads.empty());
        one.receive(wire);
    }
    REQUIRE(reader.reads.size() == 1);
    CHECK(reader.reads[0].remote.address == reinterpret_cast<std::uintptr_t>(one.data.data()));
    CHECK(reader.reads[0].local.data() == one.buffer.data());
    CHECK(reader.reads[0].local.size() == size);
    CHECK(one.received.done);
    CHECK(one.received.status.size_bytes == size);
    CHECK_FALSE(one.sent.done);  // before the fin
    wire.settle();
    CHECK(one.arrived());
    CHECK(wire.sent_kinds(0) == Kinds{FrameKind::rts});
    CHECK(wire.sent_kinds(1) == Kinds{FrameKind::fin});
}

TEST_CASE("small, empty and scattered data is never read remotely")
{
    Reader reader;
    Wire wire(reader.options());
    for (const std::size_t size : {0u, 1u, 64u, 256u, 257u, 4095u}) {
        CAPTURE(size);
        Message one(size);
        one.receive(wire);
        one.send(wire, true);
        wire.settle();
        CHECK(one.arrived());
    }
    Message layout(10'000);
    layout.received.context = &layout;
    layout.received.deliver = [](ReceiveRequest& request, std::size_t offset,
                                 std::span<const std::byte> bytes) {
        std::memcpy(request.buffer + offset, bytes.data(), bytes.size());
    };
    layout.receive(wire);
    layout.send(wire);
    wire.settle();
    CHECK(layout.arrived());
    CHECK(reader.reads.empty());
    CHECK(count(wire.sent_kinds(1), FrameKind::cts) == 3);
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 4);  // of the empty one, and of those that come along
}

TEST_CASE("both ways are tried in turn and bring the same bytes")
{
    Reader reader;
    Wire wire(reader.options());
    for (std::uint64_t number = 0; number < 6; ++number) {
        CAPTURE(number);
        Message one(5000, number);
        one.receive(wire);
        one.send(wire);
        wire.settle();
        CHECK(one.arrived());
        CHECK(reader.reads.size() == number / 2 + 1);
    }
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 3);
    CHECK(count(wire.sent_kinds(1), FrameKind::cts) == 3);
}

TEST_CASE("a longer message than the buffer: only what fits is read, the sender ends well")
{
    const bool unexpected = GENERATE(false, true);
    const auto [capacity, is_read] = GENERATE(table<std::size_t, bool>(
        {{0u, false}, {100u, false}, {4095u, false}, {4096u, true}, {5001u, true}, {9999u, true}}));
    CAPTURE(unexpected, capacity);
    Reader reader;
    Wire wire(reader.options());
    Message one(10'000);
    // The request is for a part of the buffer only: nothing may be written behind it.
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
    wire.settle();
    if (unexpected)
        receive();
    wire.settle();
    REQUIRE(one.received.done);
    CHECK(one.received.status.code == ErrorCode::truncated);
    CHECK(one.received.status.size_bytes == 10'000);
    CHECK(one.sent.done);
    CHECK(one.sent.status.code == ErrorCode::success);
    CHECK(reader.reads.size() == (is_read ? 1 : 0));
    if (is_read)
        CHECK(reader.reads[0].local.size() == capacity);
    const auto end = static_cast<std::ptrdiff_t>(capacity);
    CHECK(std::equal(one.data.begin(), one.data.begin() + end, one.buffer.begin()));
    CHECK(Bytes(one.buffer.begin() + end, one.buffer.end()) == Bytes(10'000 - capacity, std::byte{0x77}));
}

TEST_CASE("the word of the end waits where the transport has no room for it")
{
    Reader reader;
    Wire wire(reader.options());
    Message one(5000);
    one.receive(wire);
    one.send(wire);
    wire.limit_queue(0);
    wire.settle();
    CHECK(one.received.done);
    CHECK_FALSE(one.sent.done);
    CHECK(wire.at(1).has_pending());
    wire.limit_queue(10);
    wire.settle();
    CHECK(one.arrived());
    CHECK_FALSE(wire.at(1).has_pending());
}

TEST_CASE("a message found by a probe is read when it is received, and not when it is dropped")
{
    const bool dropped = GENERATE(false, true);
    Reader reader;
    Wire wire(reader.options());
    Message one(5000);
    one.send(wire);
    wire.settle();
    auto* found = wire.at(1).probe({4, 0, 5});
    REQUIRE(found != nullptr);
    CHECK(found->status().size_bytes == 5000);
    wire.at(1).extract(*found);
    if (dropped) {
        wire.at(1).drop(*found);
        wire.settle();
        CHECK(one.sent.done);
        CHECK(one.sent.status.code == ErrorCode::success);
    } else {
        one.received.key = {4, 0, 5};
        one.received.peer_rank = 0;
        one.received.buffer = one.buffer.data();
        one.received.capacity = one.buffer.size();
        wire.at(1).receive_matched(one.received, *found);
        wire.settle();
        CHECK(one.arrived());
    }
    CHECK(reader.reads.size() == (dropped ? 0 : 1));
}

TEST_CASE("pulled and streamed messages, mixed with small ones, over transports that refuse, keep and idle")
{
    const auto faults = GENERATE(
        values<tutti::transport::FaultOptions>({{},
                                                {.seed = 11, .again = 0.4},
                                                {.seed = 12, .pending = 0.5},
                                                {.seed = 13, .again = 0.3, .pending = 0.3, .idle = 0.2}}));
    CAPTURE(faults.seed);
    Reader reader;
    Wire wire(reader.options(faults));
    exchange_mixed(wire, 7, 200, [](auto& random) -> std::size_t {
        return random() % 3 == 0 ? random() % 300 : 3900 + random() % 5000;
    });
    CHECK(reader.reads.size() > 3);
    CHECK(count(wire.sent_kinds(1), FrameKind::cts) > 3);
}
