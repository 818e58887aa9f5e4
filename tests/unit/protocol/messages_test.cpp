// Every way a message can travel: eager, segmented, rendezvous, synchronous; expected and unexpected; into
// buffers that are too small; over transports that refuse, keep and idle.
#include <catch2/catch.hpp>

#include <deque>
#include <random>

#include "tests/unit/protocol/wire.hpp"

using namespace tutti::test;
using tutti::ErrorCode;
using tutti::protocol::FrameKind;

namespace {

WireOptions small_limits(tutti::transport::FaultOptions faults = {})
{
    // eager up to one frame of 64, segmented up to 256, rendezvous above
    return {.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 4096},
            .faults = faults,
            .frame_bytes = 64};
}

std::vector<tutti::transport::FaultOptions> fault_sets()
{
    return {{},
            {.seed = 10, .again = 0.5},
            {.seed = 20, .pending = 0.5},
            {.seed = 30, .idle = 0.5},
            {.seed = 40, .again = 0.3, .pending = 0.3, .idle = 0.2, .max_payload_bytes = 24}};
}

}  // namespace

TEST_CASE("one message of every size, expected and unexpected, standard and synchronous")
{
    const auto faults = GENERATE(from_range(fault_sets()));
    const bool expected = GENERATE(true, false);
    const bool synchronous = GENERATE(false, true);
    CAPTURE(faults.seed, expected, synchronous);
    Wire wire(small_limits(faults));
    for (std::size_t size :
         {0u, 1u, 23u, 24u, 25u, 63u, 64u, 65u, 127u, 128u, 129u, 255u, 256u, 257u, 1000u, 5000u}) {
        CAPTURE(size);
        const Bytes data = message(size, size);
        Bytes buffer(size + 3, std::byte{0x77});
        SendRequest send;
        ReceiveRequest receive;
        if (expected)
            wire.receive(receive, 1, 0, 5, buffer);
        wire.send(send, 0, data, 5, synchronous);
        wire.settle();
        if (!expected) {
            CHECK(send.done == (!synchronous && size <= 256));
            CHECK(wire.at(1).unexpected_count() == 1);
            wire.receive(receive, 1, 0, 5, buffer);
            wire.settle();
        }
        REQUIRE(send.done);
        REQUIRE(receive.done);
        CHECK(send.status.code == ErrorCode::success);
        CHECK(receive.status.code == ErrorCode::success);
        CHECK(receive.status.source == 0);
        CHECK(receive.status.tag == 5);
        CHECK(receive.status.size_bytes == size);
        CHECK(std::equal(data.begin(), data.end(), buffer.begin()));
        CHECK(Bytes(buffer.end() - 3, buffer.end()) == Bytes(3, std::byte{0x77}));
        CHECK(wire.at(1).unexpected_count() == 0);
    }
}

TEST_CASE("a message that is longer than the buffer fills it and is truncated, by every protocol")
{
    const auto faults = GENERATE(from_range(fault_sets()));
    const std::size_t size = GENERATE(1u, 40u, 64u, 200u, 256u, 257u, 3000u);
    const bool expected = GENERATE(true, false);
    const bool synchronous = GENERATE(false, true);
    CAPTURE(faults.seed, size, expected, synchronous);
    for (const std::size_t capacity : {std::size_t{0}, size / 2, size - 1}) {
        CAPTURE(capacity);
        Wire wire(small_limits(faults));
        const Bytes data = message(size, size);
        Bytes memory(size + 8, std::byte{0x77});
        Bytes buffer(capacity);
        SendRequest send;
        ReceiveRequest receive;
        wire.exchange(send, data, receive, buffer, expected, synchronous);
        CHECK(send.status.code == ErrorCode::success);
        CHECK(receive.status.code == ErrorCode::truncated);
        CHECK(receive.status.size_bytes == size);
        CHECK(buffer == Bytes(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(capacity)));

        // The next message is whole again.
        SendRequest next;
        ReceiveRequest whole;
        Bytes next_buffer(size);
        wire.exchange(next, data, whole, next_buffer, true, synchronous);
        CHECK(whole.status.code == ErrorCode::success);
        CHECK(next_buffer == data);
    }
}

TEST_CASE("the protocol of a message follows from its size and mode")
{
    struct Case {
        std::size_t size;
        bool synchronous;
        std::vector<FrameKind> from_sender;
    };
    const std::vector<Case> cases = {
        {64, false, {FrameKind::eager}},
        {65, false, {FrameKind::first, FrameKind::segment}},
        {256, false, {FrameKind::first, FrameKind::segment, FrameKind::segment, FrameKind::segment}},
        {257,
         false,
         {FrameKind::rts, FrameKind::data, FrameKind::data, FrameKind::data, FrameKind::data,
          FrameKind::data}},
        {0, true, {FrameKind::rts}},
        {64, true, {FrameKind::first, FrameKind::segment}},
        {65, true, {FrameKind::first, FrameKind::segment, FrameKind::segment}},
        {257,
         true,
         {FrameKind::rts, FrameKind::data, FrameKind::data, FrameKind::data, FrameKind::data,
          FrameKind::data}},
    };
    for (const Case& one : cases) {
        CAPTURE(one.size, one.synchronous);
        Wire wire(small_limits());
        Bytes buffer(one.size);
        SendRequest send;
        ReceiveRequest receive;
        const Bytes data = message(1, one.size);
        wire.receive(receive, 1, 0, 5, buffer);
        wire.send(send, 0, data, 5, one.synchronous);
        wire.settle();
        CHECK(buffer == data);
        CHECK(wire.sent_kinds(0) == one.from_sender);
    }
}

TEST_CASE("a synchronous send of nothing ends when it is matched, not before")
{
    Wire wire(small_limits());
    SendRequest send;
    const Bytes none;
    wire.send(send, 0, none, 1, true);
    wire.settle();
    CHECK_FALSE(send.done);
    ReceiveRequest receive;
    Bytes buffer;
    wire.receive(receive, 1, tutti::any_source, tutti::any_tag, buffer);
    CHECK(receive.done);
    CHECK_FALSE(send.done);
    wire.settle();
    CHECK(send.done);
}

TEST_CASE("messages of one tag are received in the order sent, whatever their sizes and protocols")
{
    const auto faults = GENERATE(from_range(fault_sets()));
    CAPTURE(faults.seed);
    constexpr std::size_t kMessages = 300;
    Wire wire(small_limits(faults));
    std::mt19937 random(3);
    std::deque<SendRequest> sends;
    std::deque<ReceiveRequest> receives;
    std::deque<Bytes> data;
    std::deque<Bytes> buffers;
    for (std::size_t i = 0; i < kMessages; ++i) {
        const std::size_t size = random() % 3 == 0 ? random() % 1000 : random() % 100;
        wire.send(sends.emplace_back(), 0, data.emplace_back(message(i, size)), 5, random() % 4 == 0);
        if (random() % 2 == 0)
            wire.step(static_cast<int>(random() % 2));
        while (receives.size() < sends.size() && random() % 2 == 0) {
            wire.receive(receives.emplace_back(), 1, random() % 3 == 0 ? tutti::any_source : 0,
                         random() % 3 == 0 ? tutti::any_tag : 5, buffers.emplace_back(1000));
        }
    }
    while (receives.size() < kMessages)
        wire.receive(receives.emplace_back(), 1, 0, 5, buffers.emplace_back(1000));
    wire.settle();
    for (std::size_t i = 0; i < kMessages; ++i) {
        CAPTURE(i);
        REQUIRE(sends[i].done);
        REQUIRE(receives[i].done);
        REQUIRE(receives[i].status.size_bytes == data[i].size());
        REQUIRE(std::equal(data[i].begin(), data[i].end(), buffers[i].begin()));
    }
}

TEST_CASE("both ranks send to each other at once, much more than fits in flight")
{
    const auto faults = GENERATE(from_range(fault_sets()));
    CAPTURE(faults.seed);
    WireOptions options = small_limits(faults);
    options.queue_frames = 3;
    Wire wire(options);
    constexpr int kMessages = 50;
    std::deque<SendRequest> sends;
    std::deque<ReceiveRequest> receives;
    std::deque<Bytes> buffers;
    std::deque<Bytes> data;
    for (int i = 0; i < kMessages; ++i) {
        for (const int rank : {0, 1}) {
            const std::size_t size = static_cast<std::size_t>(i) * 37 % 700;
            wire.send(sends.emplace_back(), rank, data.emplace_back(message(static_cast<unsigned>(i), size)),
                      i);
        }
    }
    for (int i = kMessages - 1; i >= 0; --i) {
        for (const int rank : {0, 1})
            wire.receive(receives.emplace_back(), rank, 1 - rank, i,
                         buffers.emplace_back(static_cast<std::size_t>(i) * 37 % 700));
    }
    wire.settle();
    for (const SendRequest& send : sends)
        REQUIRE(send.done);
    for (std::size_t i = 0; i < receives.size(); ++i) {
        REQUIRE(receives[i].done);
        REQUIRE(receives[i].status.code == ErrorCode::success);
        const auto number = static_cast<unsigned>(kMessages) - 1 - static_cast<unsigned>(i / 2);
        REQUIRE(buffers[i] == message(number, buffers[i].size()));
    }
    CHECK(wire.in_flight(0) == 0);
    CHECK(wire.in_flight(1) == 0);
}
