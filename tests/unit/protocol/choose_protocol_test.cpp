// The protocol of a message, by its size, its place and its mode, over transports of three kinds.
#include <catch2/catch.hpp>

#include <string>

#include "lib/engine/protocol/choose_protocol.hpp"

using tutti::protocol::choose_protocol;
using tutti::protocol::MessageTraits;
using tutti::protocol::PeerTraits;
using tutti::protocol::ProtocolOptions;
using tutti::transport::Capabilities;
using Place = MessageTraits::Place;

namespace {

constexpr Capabilities kNode{.max_payload_bytes = 32'000,
                             .inject_below = 32'000,
                             .early_bytes = 64u << 10,
                             .same_clock = true,
                             .latency_ns = 80,
                             .bytes_per_ns = 20};
constexpr Capabilities kNetwork{.max_payload_bytes = 1u << 20,
                                .inject_below = 16u << 10,
                                .gathers = true,
                                .eager_limit_bytes = 256u << 10,
                                .latency_ns = 5000,
                                .bytes_per_ns = 3};

std::string chosen(const MessageTraits& message, const PeerTraits& to)
{
    const auto choice = choose_protocol(message, to);
    CHECK_FALSE(choice.because.empty());
    const std::string name(name_of(choice.protocol));
    return choice.learned ? name + " or stream" : name;
}

}  // namespace

TEST_CASE("on a node, by memory that the receiver may map or read")
{
    const PeerTraits to = PeerTraits::of(kNode, true, true, {});
    for (const std::size_t bytes : {0u, 1u, 1023u})
        for (const Place place : {Place::private_memory, Place::mapped})
            CHECK(chosen({.bytes = bytes, .place = place}, to) == "inject");
    CHECK(chosen({.bytes = 1024}, to) == "eager");
    CHECK(chosen({.bytes = 8192}, to) == "eager");
    CHECK(chosen({.bytes = 8193}, to) == "pull or stream");
    CHECK(chosen({.bytes = 1024, .place = Place::mapped}, to) == "read_in_place");
    CHECK(chosen({.bytes = 1u << 30, .place = Place::mapped}, to) == "read_in_place");
}

TEST_CASE("over a network without remote reads, long messages are streamed")
{
    const PeerTraits to = PeerTraits::of(kNetwork, false, false, {});
    CHECK(chosen({.bytes = 1023}, to) == "inject");
    CHECK(chosen({.bytes = 256u << 10}, to) == "eager");
    CHECK(chosen({.bytes = (256u << 10) + 1}, to) == "stream");
    CHECK(chosen({.bytes = 100'000, .place = Place::parts}, to) == "eager");
    CHECK(chosen({.bytes = 300'000, .place = Place::parts}, to) == "stream");
}

TEST_CASE("what is collected as it leaves is never read by the receiver, and waits above one piece")
{
    const PeerTraits near = PeerTraits::of(kNode, true, true, {});
    const PeerTraits far = PeerTraits::of(kNetwork, false, false, {});
    CHECK(chosen({.bytes = 8, .place = Place::collected}, near) == "eager");
    CHECK(chosen({.bytes = 9000, .place = Place::collected}, near) == "stream");
    CHECK(chosen({.bytes = 64u << 10, .place = Place::collected}, far) == "eager");
    CHECK(chosen({.bytes = (64u << 10) + 1, .place = Place::collected}, far) == "stream");
}

TEST_CASE("synchronous messages and those without credit go by rendezvous, whatever their size")
{
    const PeerTraits to = PeerTraits::of(kNode, true, true, {});
    for (const bool synchronous : {true, false}) {
        MessageTraits message{.synchronous = synchronous, .has_credit = synchronous};
        CHECK(chosen(message, to) == "stream");
        message.bytes = 4095;
        CHECK(chosen(message, to) == "stream");
        message.bytes = 4096;
        CHECK(chosen(message, to) == "pull or stream");
        message.place = Place::mapped;
        message.bytes = 1;
        CHECK(chosen(message, to) == "read_in_place");
    }
}

TEST_CASE("a sender that asks for a copy gets one up to a limit, unless the user has set one")
{
    ProtocolOptions options;
    MessageTraits message{.bytes = 32u << 10, .place = Place::mapped, .copied = true};
    CHECK(chosen(message, PeerTraits::of(kNode, true, true, options)) == "eager");
    ++message.bytes;
    CHECK(chosen(message, PeerTraits::of(kNode, true, true, options)) == "read_in_place");
    options.eager_limit_bytes = 1u << 20;
    message.bytes = 10'000;
    CHECK(chosen(message, PeerTraits::of(kNode, true, true, options)) == "read_in_place");
}

TEST_CASE("limits that users set, and credit, bound what is eager")
{
    ProtocolOptions options;
    options.eager_limit_bytes = 100;
    CHECK(chosen({.bytes = 100}, PeerTraits::of(kNode, true, true, options)) == "inject");
    CHECK(chosen({.bytes = 101}, PeerTraits::of(kNode, false, false, options)) == "stream");
    options.eager_limit_bytes = 0;
    CHECK(chosen({.bytes = 0}, PeerTraits::of(kNode, true, true, options)) == "inject");
    CHECK(chosen({.bytes = 1}, PeerTraits::of(kNode, true, true, options)) == "stream");
    options.eager_limit_bytes.reset();
    options.injects = false;
    CHECK(chosen({.bytes = 8}, PeerTraits::of(kNode, true, true, options)) == "eager");
    options.unexpected_bytes = 4096;
    CHECK(chosen({.bytes = 4096}, PeerTraits::of(kNode, true, true, options)) == "pull or stream");
}
