// Frames that no Tutti sends: Error(protocol) that names the peer, never a crash, and nothing half done.
#include <catch2/catch.hpp>

#include <cstring>
#include <random>

#include "tests/unit/protocol/wire.hpp"

using namespace tutti::test;
using namespace tutti::protocol;
using tutti::ErrorCode;

namespace {

const WireOptions kSmall{.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 4096}, .frame_bytes = 64};

constexpr std::size_t kServiceHeader = tutti::transport::kMaxHeaderBytes;

EagerHeader envelope(FrameKind kind, int tag = 5)
{
    return EagerHeader::of(kind, {4, 0, tag});
}

template <class Call>
void check_refused(Call&& call)
{
    try {
        call();
        FAIL("the frame was taken");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == ErrorCode::protocol);
        CHECK(error.peer() >= 0);
        CHECK(std::string(error.what()).find("rank") != std::string::npos);
    }
}

}  // namespace

TEST_CASE("every kind of frame with a header of every other length")
{
    Wire wire(kSmall);
    // So that a segment of one byte would be welcome.
    wire.forge(1, LongHeader{envelope(FrameKind::first), 200, 0}, message(1, 60));
    const std::pair<FrameKind, std::size_t> kinds[] = {
        {FrameKind::eager, sizeof(EagerHeader)},     {FrameKind::first, sizeof(LongHeader)},
        {FrameKind::segment, sizeof(SegmentHeader)}, {FrameKind::rts, sizeof(LongHeader)},
        {FrameKind::cts, sizeof(CtsHeader)},         {FrameKind::data, sizeof(DataHeader)},
        {FrameKind::fin, sizeof(FinHeader)},         {FrameKind::credit, sizeof(CreditHeader)},
        {FrameKind::call_inquiry, kServiceHeader},   {FrameKind::call_differs, kServiceHeader},
        {FrameKind::call_wait, kServiceHeader}};
    for (const auto& [kind, right] : kinds) {
        for (std::size_t size = 0; size <= 40; ++size) {
            if (size == right)
                continue;
            CAPTURE(static_cast<int>(kind), size);
            Bytes header(size);
            if (size > 0)
                header[0] = static_cast<std::byte>(kind);
            check_refused([&] { wire.at(1).frame(0, header, message(1, 1)); });
        }
    }
    CHECK(wire.at(1).unexpected_count() == 1);
}

TEST_CASE("unknown kinds")
{
    Wire wire(kSmall);
    for (unsigned kind = 0; kind < 256; ++kind) {
        if (kind >= 1 && kind <= static_cast<unsigned>(FrameKind::last))
            continue;
        for (const std::size_t size : {8u, 16u, 32u}) {
            Bytes header(size);
            header[0] = static_cast<std::byte>(kind);
            check_refused([&] { wire.at(1).frame(0, header, message(1, 20)); });
        }
    }
}

TEST_CASE("segments without a message, too many of them, or empty ones")
{
    Wire wire(kSmall);
    const SegmentHeader segment{Lead::of(FrameKind::segment)};
    const Bytes part = message(1, 60);
    check_refused([&] { wire.forge(1, segment, part); });
    wire.forge(1, LongHeader{envelope(FrameKind::first), 100, 0}, part);
    check_refused([&] { wire.forge(1, segment); });
    check_refused([&] { wire.forge(1, segment, part); });  // 60 of the 40 that are left
    wire.forge(1, segment, std::span(part).first(40));
    check_refused([&] { wire.forge(1, segment, std::span(part).first(1)); });
    CHECK(wire.at(1).unexpected_count() == 1);
}

TEST_CASE("the start of a segmented message that cannot be")
{
    Wire wire(kSmall);
    const Bytes part = message(1, 60);
    const auto first = [](std::uint64_t total) { return LongHeader{envelope(FrameKind::first), total, 0}; };
    check_refused([&] { wire.forge(1, first(0), part); });
    check_refused([&] { wire.forge(1, first(60), part); });  // complete already
    check_refused(
        [&] { wire.forge(1, first(257), part); });  // above the eager limit: memory at a peer's word
    check_refused([&] { wire.forge(1, first(~std::uint64_t{0}), part); });
    wire.forge(1, first(200), part);
    check_refused([&] { wire.forge(1, first(200), part); });  // the first is not complete
}

TEST_CASE("a clear-to-send for no message, of another message's time, or for more than there is")
{
    Wire wire(kSmall);
    const auto cts = [](std::uint64_t id, std::uint64_t wanted) {
        return CtsHeader{Lead::of(FrameKind::cts), id, 1, wanted};
    };
    check_refused([&] { wire.forge(0, cts(0, 0)); });
    check_refused([&] { wire.forge(0, cts(std::uint64_t{1} << 32, 0)); });

    SendRequest send;
    const Bytes data = message(1, 1000);
    wire.send(send, 0, data, 5);
    const std::uint64_t id = send.id;
    REQUIRE(id != 0);
    check_refused([&] { wire.forge(0, cts(id, 1001)); });
    check_refused([&] { wire.forge(0, cts(id + 1, 1000)); });
    check_refused([&] { wire.forge(0, cts(id + (std::uint64_t{1} << 32), 1000)); });

    ReceiveRequest receive;
    Bytes buffer(1000);
    wire.receive(receive, 1, 0, 5, buffer);
    wire.settle();
    REQUIRE(send.done);
    CHECK(buffer == data);
    check_refused([&] { wire.forge(0, cts(id, 1000)); });  // late: the id is used up
}

TEST_CASE("a clear-to-send for a message whose envelope has not gone out yet")
{
    Wire wire(kSmall);
    wire.limit_queue(0);
    SendRequest send;
    const Bytes data = message(1, 1000);
    wire.send(send, 0, data, 5);
    REQUIRE(send.id != 0);
    check_refused([&] { wire.forge(0, CtsHeader{Lead::of(FrameKind::cts), send.id, 1, 10}); });
    check_refused([&] { wire.forge(0, FinHeader{Lead::of(FrameKind::fin), send.id}); });
    wire.limit_queue(100);
    ReceiveRequest receive;
    Bytes buffer(1000);
    wire.receive(receive, 1, 0, 5, buffer);
    wire.settle();
    CHECK(send.done);
    CHECK(buffer == data);
}

TEST_CASE("an end of no message, and memory regions that are none")
{
    Wire wire(kSmall);
    const auto fin = [](std::uint64_t id) { return FinHeader{Lead::of(FrameKind::fin), id}; };
    check_refused([&] { wire.forge(0, fin(0)); });
    check_refused([&] { wire.forge(0, fin(std::uint64_t{1} << 32)); });
    SendRequest send;
    const Bytes data = message(1, 1000);
    wire.send(send, 0, data, 5);
    const std::uint64_t id = send.id;
    wire.forge(0, fin(id));  // the receiver may always say that it has read all
    CHECK(send.done);
    check_refused([&] { wire.forge(0, fin(id)); });
    for (std::size_t size = 1; size <= 64; ++size) {
        if (size != sizeof(OfferedRegion) && size != sizeof(OfferedRegion::region))
            check_refused([&] {
                wire.forge(1, LongHeader{envelope(FrameKind::rts), 80, 77}, message(1, size));
            });
    }
    check_refused([&] { wire.forge(1, LongHeader{envelope(FrameKind::rts), 80, 0}); });  // for no answer
}

TEST_CASE("data for no receive, out of order, or too much")
{
    Wire wire(kSmall);
    const Bytes part = message(1, 50);
    const auto data = [](std::uint64_t id, std::uint64_t offset) {
        return DataHeader{Lead::of(FrameKind::data), id, offset};
    };
    check_refused([&] { wire.forge(1, data(0, 0), part); });
    check_refused([&] { wire.forge(1, data(std::uint64_t{1} << 32, 0), part); });

    ReceiveRequest receive;
    Bytes buffer(80);
    wire.receive(receive, 1, 0, 5, buffer);
    wire.forge(1, LongHeader{envelope(FrameKind::rts), 80, 77});
    const std::uint64_t id = receive.id;
    REQUIRE(id != 0);
    check_refused([&] { wire.forge(1, data(id, 1), part); });
    check_refused([&] { wire.forge(1, data(id + 1, 0), part); });
    wire.forge(1, data(id, 0), part);
    check_refused([&] { wire.forge(1, data(id, 0), part); });
    check_refused([&] { wire.forge(1, data(id, 50), part); });  // 50 of the 30 that are left
    check_refused([&] { wire.forge(1, data(id, ~std::uint64_t{0}), part); });
    CHECK_FALSE(receive.done);
    wire.forge(1, data(id, 50), std::span(part).first(30));
    CHECK(receive.done);
    CHECK(std::equal(part.begin(), part.end(), buffer.begin()));
    check_refused([&] { wire.forge(1, data(id, 80), part); });  // late
}

TEST_CASE("more credit than was ever used")
{
    Wire wire(kSmall);
    const auto credit = [](std::uint64_t bytes) { return CreditHeader{Lead::of(FrameKind::credit), bytes}; };
    check_refused([&] { wire.forge(0, credit(1)); });
    SendRequest send;
    const Bytes data = message(1, 36);
    constexpr std::size_t kUsed = 36 + kEagerOverheadBytes;
    wire.send(send, 0, data, 1);
    check_refused([&] { wire.forge(0, credit(kUsed + 1)); });
    check_refused([&] { wire.forge(0, credit(~std::uint64_t{0})); });
    wire.forge(0, credit(kUsed));
    check_refused([&] { wire.forge(0, credit(1)); });
}

TEST_CASE("a rendezvous of an absurd size takes no memory and what fits of it")
{
    Wire wire(kSmall);
    wire.forge(1, LongHeader{envelope(FrameKind::rts), ~std::uint64_t{0}, 1});
    ReceiveRequest receive;
    Bytes buffer(10);
    wire.receive(receive, 1, 0, 5, buffer);
    CHECK_FALSE(receive.done);
    wire.forge(1, DataHeader{Lead::of(FrameKind::data), receive.id, 0}, message(1, 10));
    CHECK(receive.done);
    CHECK(receive.status.code == ErrorCode::truncated);
}

TEST_CASE("random frames never do more than throw")
{
    std::mt19937_64 random(9);
    for (int round = 0; round < 200; ++round) {
        Wire wire(kSmall);
        SendRequest send;
        ReceiveRequest receive;
        const Bytes data = message(1, 300);
        Bytes buffer(300);
        wire.receive(receive, 1, tutti::any_source, tutti::any_tag, buffer);
        wire.send(send, 0, data, 5);
        for (int i = 0; i < 100; ++i) {
            Bytes header(random() % 2 == 0 ? 8 * (1 + random() % 4) : random() % 33);
            for (std::byte& byte : header)
                byte = static_cast<std::byte>(random() % 3 == 0 ? random() : 0);
            if (!header.empty())
                header[0] = static_cast<std::byte>(random() % 12);
            try {
                wire.at(static_cast<int>(random() % 2))
                    .frame(static_cast<int>(random() % 2), header, message(i, random() % 65));
            } catch (const tutti::Error& error) {
                REQUIRE(error.code() == ErrorCode::protocol);
            }
        }
        // The requests die with this scope, the protocols after: take them out first.
        wire.at(0).peer_lost(1, {"the end"});
        wire.at(1).peer_lost(0, {"the end"});
        wire.at(1).cancel(receive);
    }
}
