// Data that the receiver reads where the sender has it, and the same data when that memory cannot be mapped.
#include <catch2/catch.hpp>

#include "tests/unit/protocol/remote_read.hpp"

using namespace tutti::test;
using tutti::ErrorCode;

namespace {

// How a receiver's attempts to see the sender's memory end.
struct Viewer {
    WireOptions options()
    {
        const auto view = [this](const RemoteRegion& region, std::size_t size) {
            ++views;
            return maps ? std::span(reinterpret_cast<const std::byte*>(region.address), size)
                        : std::span<const std::byte>();
        };
        return {.protocol = {.eager_limit_bytes = 8192, .unexpected_bytes = 1 << 16},
                .frame_bytes = 64,
                .view = view};
    }

    bool maps = true;
    int views = 0;
};

}  // namespace

TEST_CASE("memory that can be mapped is read in place, also below the eager limit")
{
    const std::size_t size = GENERATE(1024u, 1025u, 100'000u);
    const bool unexpected = GENERATE(false, true);
    CAPTURE(size, unexpected);
    Viewer viewer;
    Wire wire(viewer.options());
    Message one(size);
    if (!unexpected)
        one.receive(wire);
    one.send(wire);
    wire.step(1);
    if (unexpected)
        one.receive(wire);
    CHECK(one.received.done);
    CHECK_FALSE(one.sent.done);  // before the fin
    wire.settle();
    CHECK(one.arrived());
    CHECK(viewer.views == 1);
    CHECK(wire.sent_kinds(0) == Kinds{FrameKind::rts});
    CHECK(wire.sent_kinds(1) == Kinds{FrameKind::fin});
}

TEST_CASE("a send that asks to be copied is done before the receiver has looked, up to a limit")
{
    using tutti::protocol::kCopiedLimitBytes;
    const bool asks = GENERATE(true, false);
    const bool limit_by_hand = GENERATE(false, true);
    const std::size_t size =
        GENERATE(std::size_t{10'000}, std::size_t{kCopiedLimitBytes}, std::size_t{kCopiedLimitBytes + 1});
    CAPTURE(asks, limit_by_hand, size);
    Viewer viewer;
    WireOptions options = viewer.options();
    options.protocol.unexpected_bytes = 1 << 20;
    if (!limit_by_hand)
        options.protocol.eager_limit_bytes.reset();
    Wire wire(options);
    Message one(size);
    one.sent.copied = asks;
    one.send(wire);
    const bool is_copied = asks && !limit_by_hand && size <= kCopiedLimitBytes;
    CHECK(one.sent.done == is_copied);
    one.receive(wire);
    wire.settle();
    CHECK(one.arrived());
    CHECK(viewer.views == (is_copied ? 0 : 1));
    CHECK(count(wire.sent_kinds(0), FrameKind::rts) == (is_copied ? 0 : 1));
}

TEST_CASE("memory that cannot be mapped is streamed, and each message asks again")
{
    const std::size_t size = GENERATE(1024u, 10'000u);
    const bool unexpected = GENERATE(false, true);
    CAPTURE(size, unexpected);
    Viewer viewer;
    viewer.maps = false;
    Wire wire(viewer.options());
    for (std::uint64_t number = 0; number < 3; ++number) {
        Message one(size, number);
        if (!unexpected)
            one.receive(wire);
        one.send(wire);
        wire.step(1);
        if (unexpected)
            one.receive(wire);
        CHECK_FALSE(one.received.done);
        wire.settle();
        CHECK(one.arrived());
    }
    CHECK(viewer.views == 3);
    CHECK(count(wire.sent_kinds(1), FrameKind::cts) == 3);
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 0);
    CHECK(count(wire.sent_kinds(0), FrameKind::data) == 3 * ((size + 63) / 64));

    viewer.maps = true;
    Message one(size);
    one.receive(wire);
    one.send(wire);
    wire.settle();
    CHECK(one.arrived());
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 1);
}

TEST_CASE("what the buffer has no room for is not read, mapped or not")
{
    Viewer viewer;
    viewer.maps = GENERATE(true, false);
    Wire wire(viewer.options());
    Message one(3000);
    one.buffer.resize(1000);
    one.receive(wire);
    one.send(wire);
    wire.settle();
    CHECK(one.sent.status.code == ErrorCode::success);
    REQUIRE(one.received.done);
    CHECK(one.received.status.code == ErrorCode::truncated);
    CHECK(one.received.status.size_bytes == 3000);
    CHECK(std::equal(one.buffer.begin(), one.buffer.end(), one.data.begin()));
    CHECK(count(wire.sent_kinds(0), FrameKind::data) == (viewer.maps ? 0 : 16));
}
