// What the protocol does for services, such as the one that compares collective calls: their frames, and what
// is still waited for.
#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <vector>

#include "tests/unit/protocol/wire.hpp"

using namespace tutti::test;
using namespace tutti::protocol;

namespace {

struct CallHeader {
    Lead lead;
    std::uint32_t rank;
    std::uint32_t number;
    std::array<std::uint64_t, 2> signature;
};

struct CallWaitHeader {
    Lead lead;
    std::uint32_t rank;
    std::uint32_t number;
    std::uint32_t origin;
    std::uint32_t chain;
    std::uint64_t kind;
};

template <class Header>
struct Listener {
    void operator()(int peer, std::span<const std::byte> header, std::span<const std::byte> payload)
    {
        peers.push_back(peer);
        calls.push_back(header_in<Header>(header, peer));
        payloads.emplace_back(payload.begin(), payload.end());
    }
    std::vector<int> peers;
    std::vector<Header> calls;
    std::vector<Bytes> payloads;
};

CallHeader call_of(FrameKind kind, std::uint32_t number)
{
    return {Lead::of(kind, 9), 1, number, {17, ~std::uint64_t{0}}};
}

std::set<int> awaited_tags(Protocol& protocol)
{
    std::set<int> tags;
    protocol.for_each_waiting([&](const tutti::matching::MatchKey& key, int peer, const auto*) {
        CHECK(peer == 1);
        CHECK(tags.insert(key.tag()).second);
    });
    return tags;
}

}  // namespace

TEST_CASE("frames reach the other side's service, also through a transport that is full for a while")
{
    Wire wire;
    Listener<CallHeader> listener;
    wire.at(0).serve(FrameKind::call_inquiry, FrameKind::call_differs, std::ref(listener));
    wire.at(1).send_frame(0, call_of(FrameKind::call_inquiry, 5));
    wire.limit_queue(0);
    {
        const Bytes payload = message(1, 20);
        wire.at(1).send_frame(0, call_of(FrameKind::call_differs, 6), payload);
    }
    wire.step();
    wire.limit_queue(100);
    wire.settle();
    REQUIRE(listener.calls.size() == 2);
    CHECK(listener.peers == std::vector{1, 1});
    CHECK(listener.calls[0].lead.kind() == FrameKind::call_inquiry);
    CHECK(listener.calls[1].lead.kind() == FrameKind::call_differs);
    CHECK(listener.calls[1].lead.context() == 9);
    CHECK(listener.calls[1].rank == 1);
    CHECK(listener.calls[1].number == 6);
    CHECK(listener.calls[1].signature == std::array{std::uint64_t{17}, ~std::uint64_t{0}});
    CHECK(listener.payloads == std::vector{Bytes{}, message(1, 20)});
}

TEST_CASE("each kind goes to the service that was registered for it")
{
    Wire wire;
    Listener<CallHeader> calls;
    Listener<CallWaitHeader> waits;
    wire.at(0).serve(FrameKind::call_inquiry, FrameKind::call_differs, std::ref(calls));
    wire.at(0).serve(FrameKind::call_wait, FrameKind::call_wait, std::ref(waits));
    wire.at(1).send_frame(0, CallWaitHeader{Lead::of(FrameKind::call_wait, 9), 1, 7, 3, 4, 5});
    wire.settle();
    CHECK(calls.calls.empty());
    REQUIRE(waits.calls.size() == 1);
    CHECK(waits.peers == std::vector{1});
    CHECK(waits.calls[0].lead.context() == 9);
    CHECK(waits.calls[0].number == 7);
    CHECK(waits.calls[0].origin == 3);
    CHECK(waits.calls[0].chain == 4);
    CHECK(waits.calls[0].kind == 5);
    wire.at(0).serve(FrameKind::call_wait, FrameKind::call_wait, nullptr);
    wire.at(1).send_frame(0, call_of(FrameKind::call_wait, 8));
    wire.settle();
    CHECK(waits.calls.size() == 1);
}

TEST_CASE("a service answers from within its frame")
{
    Wire wire;
    const auto answering = [&](int peer, std::span<const std::byte> header, std::span<const std::byte>) {
        const std::uint32_t number = header_in<CallHeader>(header, peer).number;
        wire.at(0).send_frame(peer, call_of(FrameKind::call_differs, number));
    };
    Listener<CallHeader> listener;
    wire.at(0).serve(FrameKind::call_inquiry, FrameKind::call_inquiry, answering);
    wire.at(1).serve(FrameKind::call_differs, FrameKind::call_differs, std::ref(listener));
    wire.at(1).send_frame(0, call_of(FrameKind::call_inquiry, 5));
    wire.settle();
    REQUIRE(listener.calls.size() == 1);
    CHECK(listener.peers == std::vector{0});
    CHECK(listener.calls[0].number == 5);
}

TEST_CASE("frames that nobody serves are ignored")
{
    Wire wire;
    wire.at(1).send_frame(0, call_of(FrameKind::call_inquiry, 5));
    wire.settle();
    CHECK(wire.sent_kinds(0).empty());
}

TEST_CASE("what is waited for: posted receives, and sends whose receiver has not asked for the data")
{
    Wire wire({.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 4096}});
    const Bytes small = message(1, 10);
    const Bytes large = message(2, 1000);
    Bytes buffer(1000);
    SendRequest sends[3];
    ReceiveRequest receives[2];
    wire.send(sends[0], 0, small, 1);
    wire.send(sends[1], 0, large, 2);
    wire.send(sends[2], 0, small, 3, true);
    wire.receive(receives[0], 0, 1, 4, buffer);
    wire.settle();
    CHECK(awaited_tags(wire.at(0)) == std::set{2, 3, 4});
    wire.receive(receives[1], 1, 0, 2, buffer);
    wire.settle();
    CHECK(awaited_tags(wire.at(0)) == std::set{3, 4});
    wire.at(0).peer_lost(1, {"the end"});
    wire.at(1).peer_lost(0, {"the end"});
}

TEST_CASE("the oldest messages that no receive has asked for, in order, as many as wanted")
{
    Wire wire;
    SendRequest sends[5];
    const Bytes data = message(1, 10);
    for (int tag = 0; tag < 5; ++tag)
        wire.send(sends[tag], 0, data, tag);
    wire.settle();
    std::vector<int> tags;
    const auto note = [&](const UnexpectedRequest& one) { tags.push_back(one.envelope.tag()); };
    wire.at(1).for_each_unexpected(3, note);
    CHECK(tags == std::vector{0, 1, 2});
    tags.clear();
    wire.at(1).for_each_unexpected(100, note);
    CHECK(tags == std::vector{0, 1, 2, 3, 4});
}

TEST_CASE("a payload of a service goes to the place that it has, and to the handler where it has none")
{
    Wire wire({.asks_destination = true});
    Listener<CallHeader> listener;
    wire.at(0).serve(FrameKind::call_inquiry, FrameKind::call_differs, std::ref(listener));
    Bytes place(20);
    std::vector<std::uint32_t> placed;
    const auto number_in = [](std::span<const std::byte> header) {
        return header_in<CallHeader>(header, 1).number;
    };
    wire.at(0).place(FrameKind::call_inquiry,
                     {[&](int peer, std::span<const std::byte> header, std::size_t bytes) {
                          CHECK(peer == 1);
                          return number_in(header) == 5 && bytes == place.size() ? std::span<std::byte>(place)
                                                                                 : std::span<std::byte>();
                      },
                      [&](int, std::span<const std::byte> header, std::size_t bytes) {
                          CHECK(bytes == place.size());
                          placed.push_back(number_in(header));
                      }});
    wire.at(1).send_frame(0, call_of(FrameKind::call_inquiry, 5), message(1, 20));
    wire.at(1).send_frame(0, call_of(FrameKind::call_inquiry, 6), message(2, 20));
    wire.at(1).send_frame(0, call_of(FrameKind::call_differs, 5), message(3, 20));
    wire.settle();
    CHECK(placed == std::vector<std::uint32_t>{5});
    CHECK(place == message(1, 20));
    CHECK(listener.payloads == std::vector<Bytes>{message(2, 20), message(3, 20)});
}

TEST_CASE("a service that needs its memory back gets the payload by its handler")
{
    Wire wire({.asks_destination = true});
    Listener<CallHeader> listener;
    wire.at(0).serve(FrameKind::call_inquiry, FrameKind::call_differs, std::ref(listener));
    wire.at(0).connect_to(1);
    Bytes place(20);
    wire.at(0).place(
        FrameKind::call_inquiry,
        {[&](int, std::span<const std::byte>, std::size_t) { return std::span<std::byte>(place); },
         [](int, std::span<const std::byte>, std::size_t) { FAIL("it is not there"); }});
    wire.at(1).send_frame(0, call_of(FrameKind::call_inquiry, 5), message(1, 20));
    wire.step(0);  // half of it
    wire.at(0).release_place(1);
    place.assign(place.size(), std::byte{0xee});
    wire.settle();
    CHECK(listener.payloads == std::vector<Bytes>{message(1, 20)});
    CHECK(place == Bytes(place.size(), std::byte{0xee}));
}

TEST_CASE("frames of a service that leave soon leave with the flush, in order, and before later ones")
{
    Wire wire({.unites = true});
    Listener<CallHeader> listener;
    wire.at(0).serve(FrameKind::call_inquiry, FrameKind::call_differs, std::ref(listener));
    for (std::uint32_t i = 1; i <= 3; ++i) {
        const Bytes payload = message(i, 20);  // is free when the call returns
        wire.at(1).send_frame_soon(0, call_of(FrameKind::call_inquiry, i), payload);
    }
    CHECK(wire.in_flight(0) == 0);
    wire.at(1).flush(0);
    CHECK(wire.in_flight(0) == 3);
    wire.at(1).send_frame_soon(0, call_of(FrameKind::call_inquiry, 4), message(4, 20));
    wire.at(1).send_frame(0, call_of(FrameKind::call_inquiry, 5), message(5, 20));
    CHECK(wire.in_flight(0) == 5);
    wire.settle();
    REQUIRE(listener.payloads.size() == 5);
    for (std::uint32_t i = 1; i <= 5; ++i) {
        CHECK(listener.calls[i - 1].number == i);
        CHECK(listener.payloads[i - 1] == message(i, 20));
    }
}
