// Messages whose senders let them leave together, over a transport that does so and one that does not.
#include <catch2/catch.hpp>

#include <deque>

#include "tests/unit/protocol/wire.hpp"

namespace tutti::test {

namespace {

using protocol::Departure;
using protocol::FrameKind;

constexpr int kTag = 5;

struct Soon {
    Soon(Wire& wire, std::uint64_t number, std::size_t size) : data(message(number, size))
    {
        sent.departure = Departure::soon;
        wire.send(sent, 0, data, kTag);
    }

    Bytes data;
    SendRequest sent;
};

bool comes(Wire& wire, const Bytes& data)
{
    ReceiveRequest received;
    Bytes buffer(data.size());
    wire.receive(received, 1, 0, kTag, buffer);
    wire.settle();
    return received.done && received.status.size_bytes == data.size() && buffer == data;
}

}  // namespace

TEST_CASE("messages that may leave soon leave with the next pass, and are complete then")
{
    const std::size_t size = GENERATE(0u, 8u, 64u);
    Wire wire({.unites = true});
    std::deque<Soon> messages;
    for (std::uint64_t i = 0; i < 5; ++i)
        messages.emplace_back(wire, i, size);
    CHECK(wire.in_flight(1) == 0);
    for (const Soon& one : messages)
        CHECK(!one.sent.done);
    wire.step(0);
    CHECK(wire.in_flight(1) == 5);
    for (const Soon& one : messages) {
        CHECK(one.sent.done);
        CHECK(one.sent.status.code == ErrorCode::success);
    }
    for (const Soon& one : messages)
        CHECK(comes(wire, one.data));
}

TEST_CASE("a message that leaves at once takes those before it along")
{
    Wire wire({.unites = true});
    Soon first(wire, 1, 8);
    const Bytes data = message(2, 8);
    REQUIRE(wire.at(0).inject({4, 0, kTag}, 1, data));
    CHECK(wire.in_flight(1) == 2);
    CHECK(comes(wire, first.data));
    CHECK(comes(wire, data));
    CHECK(first.sent.done);
}

TEST_CASE("a message that nobody waits for is hurried")
{
    Wire wire({.unites = true});
    Soon first(wire, 1, 8);
    wire.at(0).hurry(first.sent);
    CHECK(wire.in_flight(1) == 1);
    CHECK(comes(wire, first.data));
    CHECK(first.sent.done);
}

TEST_CASE("where frames do not leave together a message that may leave soon is injected")
{
    const bool unites = GENERATE(false, true);
    Wire wire({.unites = unites});
    wire.at(0).connect_to(1);
    CHECK(wire.at(0).inject({4, 0, kTag}, 1, message(1, 8), Departure::soon) == !unites);
}

TEST_CASE("a long message that may leave soon: what its receiver asks for leaves at once")
{
    Wire wire({.protocol = {.eager_limit_bytes = 100}, .unites = true});
    Soon sent(wire, 1, 1000);
    wire.settle();
    CHECK(!sent.sent.done);
    CHECK(comes(wire, sent.data));
    CHECK(sent.sent.done);
    CHECK(wire.sent_kinds(0).front() == FrameKind::rts);
    CHECK(wire.sent_kinds(0).back() == FrameKind::data);
}

}  // namespace tutti::test
