// Payloads that the transport writes where they belong while they arrive.
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>

#include "tests/unit/protocol/wire.hpp"

using namespace tutti::test;
using tutti::ErrorCode;

namespace {

WireOptions placing()
{
    return {.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 4096},
            .frame_bytes = 300,
            .asks_destination = true};
}

bool starts_with(const Bytes& buffer, const Bytes& data)
{
    return std::equal(data.begin(), data.end(), buffer.begin());
}

}  // namespace

TEST_CASE("messages of every size arrive whole when payloads are placed, expected or not")
{
    const bool expected = GENERATE(true, false);
    const bool synchronous = GENERATE(false, true);
    for (std::size_t size : {0u, 1u, 2u, 63u, 255u, 256u, 257u, 299u, 300u, 301u, 1000u, 5000u}) {
        CAPTURE(expected, synchronous, size);
        Wire wire(placing());
        const Bytes data = message(size, size);
        Bytes buffer(size + 3, std::byte{0x77});
        SendRequest send;
        ReceiveRequest receive;
        wire.exchange(send, data, receive, buffer, expected, synchronous);
        CHECK(receive.status.code == ErrorCode::success);
        CHECK(receive.status.size_bytes == size);
        CHECK(starts_with(buffer, data));
        // Data frames always have a receive; eager ones only where it was posted before. Segments have no
        // place.
        const std::size_t frames = size > 256 ? (size + 299) / 300 : expected && !synchronous && size > 0;
        CHECK(wire.placed_count() == frames);
        CHECK(std::all_of(buffer.end() - 3, buffer.end(),
                          [](std::byte byte) { return byte == std::byte{0x77}; }));
    }
}

TEST_CASE("a payload that does not fit is not placed, and its receive says so")
{
    Wire wire(placing());
    for (std::size_t size : {10u, 200u, 1000u}) {
        const Bytes data = message(1, size);
        Bytes buffer(size - 1);
        SendRequest send;
        ReceiveRequest receive;
        wire.receive(receive, 1, 0, 5, buffer);
        wire.send(send, 0, data, 5);
        wire.settle();
        REQUIRE(receive.done);
        CHECK(receive.status.code == ErrorCode::truncated);
        CHECK(receive.status.size_bytes == size);
        CHECK(std::equal(buffer.begin(), buffer.end(), data.begin()));
    }
}

TEST_CASE("a receive that is posted while an unexpected message arrives gets it")
{
    Wire wire(placing());
    const Bytes data = message(3, 100);
    Bytes buffer(100);
    SendRequest send;
    ReceiveRequest receive;
    wire.send(send, 0, data, 5);
    REQUIRE(wire.step(1) == 1);  // its header and half of its payload
    wire.receive(receive, 1, 0, 5, buffer);
    CHECK_FALSE(receive.done);
    wire.settle();
    REQUIRE(receive.done);
    CHECK(buffer == data);
}

TEST_CASE("messages that are being placed keep their order with those that are not")
{
    Wire wire(placing());
    constexpr std::size_t kMessages = 12;
    std::vector<Bytes> datas;
    std::vector<Bytes> buffers(kMessages, Bytes(400));
    std::deque<SendRequest> sends(kMessages);
    std::deque<ReceiveRequest> receives(kMessages);
    for (std::size_t i = 0; i < kMessages; ++i)
        datas.push_back(message(i, i % 3 == 0 ? 400 : i * 20));
    for (std::size_t i = 0; i < kMessages; ++i) {
        if (i % 2 == 0)
            wire.receive(receives[i], 1, 0, 5, buffers[i]);
        wire.send(sends[i], 0, datas[i], 5);
        wire.step();
        if (i % 2 != 0)
            wire.receive(receives[i], 1, 0, 5, buffers[i]);
    }
    wire.settle();
    for (std::size_t i = 0; i < kMessages; ++i) {
        CAPTURE(i);
        REQUIRE(receives[i].done);
        CHECK(receives[i].status.size_bytes == datas[i].size());
        CHECK(starts_with(buffers[i], datas[i]));
    }
}

TEST_CASE("a peer that is lost in the middle of a placed payload fails its receive, with the reason")
{
    const std::size_t size = GENERATE(100u, 1000u);
    Wire wire(placing());
    const Bytes data = message(3, size);
    Bytes buffer(size);
    SendRequest send;
    ReceiveRequest receive;
    wire.receive(receive, 1, 0, 5, buffer);
    wire.send(send, 0, data, 5);
    for (int i = 0; i < 5 && !receive.done && size == 1000; ++i)
        wire.step();
    wire.step(1);
    REQUIRE_FALSE(receive.done);
    wire.lose_peer_of(1, "host b (10.0.0.2) reset the connection");
    REQUIRE(receive.done);
    CHECK(receive.status.code == ErrorCode::peer_lost);
    REQUIRE(receive.lost != nullptr);
    CHECK(receive.lost->loss.reason == "host b (10.0.0.2) reset the connection");
    wire.lose_peer_of(0, "gone");
    CHECK(send.done);
}

TEST_CASE("who lets a receive go finds its memory as it was then, and the sender is done all the same")
{
    // In one frame, in several, and by rendezvous.
    const std::size_t size = GENERATE(200u, 290u, 5000u);
    const bool synchronous = GENERATE(false, true);
    CAPTURE(size, synchronous);
    if (synchronous && size == 200)
        return;  // a segment, which has no place
    Wire wire(placing());
    const Bytes data = message(1, size);
    Bytes buffer(size, std::byte{0x77});
    SendRequest send;
    ReceiveRequest receive;
    wire.receive(receive, 1, 0, 5, buffer);
    wire.send(send, 0, data, 5, synchronous);
    // Until a payload is on its way.
    while (buffer.front() == std::byte{0x77})
        REQUIRE(wire.step() != 0);
    REQUIRE_FALSE(receive.done);
    wire.at(1).let_go(receive);
    std::ranges::fill(buffer, std::byte{0x55});
    wire.settle();
    CHECK(receive.done);
    CHECK(send.done);
    CHECK(std::ranges::all_of(buffer, [](std::byte byte) { return byte == std::byte{0x55}; }));
    Bytes next(size);
    ReceiveRequest after;
    SendRequest again;
    wire.exchange(again, data, after, next, true, synchronous);
    CHECK(next == data);
}
