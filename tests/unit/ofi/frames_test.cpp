// Frames and contacts as bytes, and frames out of order: nothing that arrives is believed before it was
// looked at.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>

#include "transports/ofi/fabric_contact.hpp"
#include "transports/ofi/fabric_frame.hpp"
#include "transports/ofi/reorder_queue.hpp"

using namespace tutti::transport::ofi;
using Bytes = std::vector<std::byte>;

namespace {

Bytes numbered(std::uint32_t number)
{
    return Bytes(4, static_cast<std::byte>(number));
}

FabricContact some_contact()
{
    FabricContact contact;
    contact.rank = 3;
    contact.host = "b";
    contact.provider = "net";
    contact.provider_version = 117 << 16;
    contact.address_format = 2;
    contact.protocol = 25;
    contact.endpoint = Bytes(16, std::byte{7});
    contact.port = 4712;
    contact.addresses.push_back({*tutti::network::IpAddress::parse("10.0.0.2"), 24, "eth0"});
    contact.addresses.push_back({*tutti::network::IpAddress::parse("fd00::2"), 64, "eth0"});
    return contact;
}

}  // namespace

TEST_CASE("a frame is read as it was written")
{
    const Bytes header(32, std::byte{1});
    const Bytes payload(100, std::byte{2});
    std::array<std::byte, 256> bytes{};
    const FrameHead head{0x1234567890abcdef, 3, 77, 12, 32, 0};
    const std::size_t size = Frame::write(bytes.data(), head, header, payload);
    REQUIRE(size == 24 + 32 + 100);
    const auto frame = Frame::parse(std::span(bytes).first(size));
    REQUIRE(frame);
    CHECK(frame->head.token == head.token);
    CHECK(frame->head.source == 3);
    CHECK(frame->head.number == 77);
    CHECK(frame->head.acknowledged == 12);
    CHECK(std::ranges::equal(frame->header, header));
    CHECK(std::ranges::equal(frame->payload, payload));
}

TEST_CASE("bytes that are no frame are none")
{
    std::array<std::byte, 100> bytes{};
    const auto parse = [&](FrameHead head, std::size_t size) {
        Frame::write(bytes.data(), head, {}, {});
        return Frame::parse(std::span(bytes).first(size)).has_value();
    };
    CHECK(parse({1, 0, 0, 0, 16, 0}, 40));
    CHECK_FALSE(parse({1, 0, 0, 0, 17, 0}, 40));   // a header that is cut off
    CHECK_FALSE(parse({1, 0, 0, 0, 33, 0}, 100));  // longer than any header
    CHECK_FALSE(parse({1, 0, 0, 0, 0xfffe, 0}, 100));
    CHECK_FALSE(parse({1, 0, 0, 0, 0, 1}, 40));
    CHECK(parse({1, 0, 0, 0, kAcknowledgement, 0}, 24));
    CHECK_FALSE(parse({1, 0, 0, 0, kAcknowledgement, 0}, 25));
    for (std::size_t size = 0; size < 24; ++size)
        CHECK_FALSE(parse({1, 0, 0, 0, 0, 0}, size));
}

TEST_CASE("frames come out in the order of their numbers, each once, also around the end of numbers")
{
    constexpr std::uint32_t kWindowOfTest = 8;
    std::mt19937 random(3);
    ReorderQueue queue(kWindowOfTest);
    std::uint32_t sent = 0;
    std::vector<std::uint32_t> on_the_way;
    std::vector<std::byte> got;
    while (got.size() < 3000) {
        while (on_the_way.size() < kWindowOfTest && sent - queue.received() < kWindowOfTest)
            on_the_way.push_back(sent++);
        std::swap(on_the_way[random() % on_the_way.size()], on_the_way.back());
        const std::uint32_t number = on_the_way.back();
        on_the_way.pop_back();
        const auto order = queue.take(number, numbered(number));
        REQUIRE(order != ReorderQueue::Order::absurd);
        if (order == ReorderQueue::Order::next) {
            got.push_back(static_cast<std::byte>(number));
            for (Bytes early = queue.ready(); !early.empty(); early = queue.ready())
                got.push_back(early[0]);
        }
        // What was had, or kept, is not taken again.
        REQUIRE(queue.take(number, numbered(number)) == ReorderQueue::Order::absurd);
    }
    for (std::size_t i = 0; i < got.size(); ++i)
        REQUIRE(got[i] == static_cast<std::byte>(i));
}

TEST_CASE("numbers that no peer can have reached are refused, and change nothing")
{
    ReorderQueue queue(8);
    for (const std::uint32_t number : {8u, 9u, 1u << 31, ~0u})
        CHECK(queue.take(number, numbered(1)) == ReorderQueue::Order::absurd);
    CHECK(queue.none_early());
    CHECK(queue.take(7, numbered(7)) == ReorderQueue::Order::early);
    CHECK(queue.take(0, numbered(0)) == ReorderQueue::Order::next);
    CHECK(queue.ready().empty());
    CHECK(queue.received() == 1);
}

TEST_CASE("a contact is read as it was written")
{
    const FabricContact contact = some_contact();
    const auto read = FabricContact::parse(contact.bytes());
    REQUIRE(read);
    CHECK(read->rank == 3);
    CHECK(read->host == "b");
    CHECK(read->endpoint == contact.endpoint);
    REQUIRE(read->addresses.size() == 2);
    CHECK(read->addresses[0] == contact.addresses[0]);
    CHECK(read->port == 4712);
    CHECK(read->speaks_with(contact));
    CHECK(read->speaks() == "net 117.0 (protocol 25.0)");
}

TEST_CASE("endpoints of another provider, version or protocol do not talk")
{
    const FabricContact contact = some_contact();
    for (int what = 0; what < 5; ++what) {
        FabricContact other = some_contact();
        other.provider += what == 0 ? ";ofi_rxm" : "";
        other.provider_version += what == 1;
        other.protocol += what == 2;
        other.protocol_version += what == 3;
        other.address_format += what == 4;
        CHECK_FALSE(contact.speaks_with(other));
    }
}

TEST_CASE("contacts that are cut off, longer, or changed anywhere are refused or harmless")
{
    const Bytes good = some_contact().bytes();
    for (std::size_t size = 0; size < good.size(); ++size)
        CHECK_FALSE(FabricContact::parse(std::span(good).first(size)));
    Bytes longer = good;
    longer.push_back(std::byte{0});
    CHECK_FALSE(FabricContact::parse(longer));
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const unsigned value : {0x00u, 0x01u, 0x7fu, 0xffu}) {
            Bytes changed = good;
            changed[i] = static_cast<std::byte>(value);
            const auto contact = FabricContact::parse(changed);
            CHECK((!contact || !contact->addresses.empty()));
        }
    }
}
