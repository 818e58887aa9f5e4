// Cancelling, probing, and taking messages out of the queue or throwing them away.
#include <catch2/catch.hpp>

#include "tests/unit/protocol/wire.hpp"

using namespace tutti::test;
using tutti::ErrorCode;

namespace {

const WireOptions kSmallFrames{.protocol = {.eager_limit_bytes = 256, .unexpected_bytes = 4096},
                               .frame_bytes = 64};

}  // namespace

TEST_CASE("a posted receive can be cancelled, a matched or finished one cannot")
{
    Wire wire(kSmallFrames);
    ReceiveRequest receive;
    Bytes buffer(1000);
    wire.receive(receive, 1, 0, 5, buffer);
    REQUIRE(wire.at(1).cancel(receive));
    CHECK(receive.done);
    CHECK(receive.status.cancelled);
    CHECK(receive.status.code == ErrorCode::success);
    CHECK_FALSE(wire.at(1).cancel(receive));

    // What comes now finds nobody.
    SendRequest send;
    const Bytes data = message(1, 1000);
    wire.send(send, 0, data, 5);
    wire.settle();
    CHECK(wire.at(1).unexpected_count() == 1);

    ReceiveRequest second;
    wire.receive(second, 1, 0, 5, buffer);  // matched: the data is on its way
    CHECK_FALSE(second.done);
    CHECK_FALSE(wire.at(1).cancel(second));
    wire.settle();
    CHECK(second.done);
    CHECK_FALSE(second.status.cancelled);
    CHECK(buffer == data);
}

TEST_CASE("probe tells size, source and tag, before all of it has come, and leaves the message")
{
    const std::size_t size = GENERATE(0u, 64u, 200u, 5000u);
    Wire wire(kSmallFrames);
    SendRequest send;
    const Bytes data = message(1, size);
    CHECK(wire.at(1).probe({4, tutti::any_source, tutti::any_tag}) == nullptr);
    wire.send(send, 0, data, 9);
    wire.step(1);
    for (int i = 0; i < 2; ++i) {
        const auto* found = wire.at(1).probe({4, tutti::any_source, tutti::any_tag});
        REQUIRE(found != nullptr);
        CHECK(found->status().size_bytes == size);
        CHECK(found->status().source == 0);
        CHECK(found->status().tag == 9);
    }
    CHECK(wire.at(1).probe({4, 0, 8}) == nullptr);
    CHECK(wire.at(1).probe({6, 0, 9}) == nullptr);
    ReceiveRequest receive;
    Bytes buffer(size);
    wire.receive(receive, 1, 0, 9, buffer);
    wire.settle();
    CHECK(receive.done);
    CHECK(buffer == data);
}

TEST_CASE("an extracted message is nobody else's, and can be received or dropped at any point of its arrival")
{
    const std::size_t size = GENERATE(0u, 64u, 200u, 256u, 5000u);
    const bool drop = GENERATE(false, true);
    const std::size_t frames_before = GENERATE(1u, 2u, 100u);
    CAPTURE(size, drop, frames_before);
    WireOptions options = kSmallFrames;
    options.queue_frames = frames_before;  // the rest is still with the sender when the message is extracted
    Wire wire(options);
    SendRequest send;
    const Bytes data = message(1, size);
    wire.send(send, 0, data, 9);
    wire.step(1);
    auto* found = wire.at(1).probe({4, 0, 9});
    REQUIRE(found != nullptr);
    wire.at(1).extract(*found);
    CHECK(wire.at(1).probe({4, 0, 9}) == nullptr);
    CHECK(wire.at(1).unexpected_count() == 0);

    ReceiveRequest receive;
    Bytes buffer(size, std::byte{0x11});
    receive.key = {4, 0, 9};
    receive.peer_rank = 0;
    receive.buffer = buffer.data();
    receive.capacity = buffer.size();
    if (drop)
        wire.at(1).drop(*found);
    else
        wire.at(1).receive_matched(receive, *found);
    wire.settle();
    CHECK(send.done);
    CHECK(receive.done == !drop);
    if (!drop)
        CHECK(buffer == data);

    // The way is free for the next one.
    SendRequest next;
    ReceiveRequest next_receive;
    Bytes next_buffer(size);
    wire.receive(next_receive, 1, 0, 9, next_buffer);
    wire.send(next, 0, data, 9);
    wire.settle();
    CHECK(next_receive.done);
    CHECK(next_buffer == data);
}

TEST_CASE("messages that are extracted while segments arrive do not mix with those behind them")
{
    WireOptions options = kSmallFrames;
    options.queue_frames = 1;
    Wire wire(options);
    SendRequest first;
    SendRequest second;
    const Bytes first_data = message(1, 250);
    const Bytes second_data = message(2, 250);
    wire.send(first, 0, first_data, 1);
    wire.send(second, 0, second_data, 1);
    wire.step(1);
    auto* found = wire.at(1).probe({4, 0, 1});
    REQUIRE(found != nullptr);
    wire.at(1).extract(*found);
    wire.settle();  // all has come, the first still extracted
    ReceiveRequest late;
    Bytes late_buffer(250);
    wire.receive(late, 1, 0, 1, late_buffer);
    ReceiveRequest matched;
    Bytes matched_buffer(250);
    matched.key = {4, 0, 1};
    matched.peer_rank = 0;
    matched.buffer = matched_buffer.data();
    matched.capacity = 250;
    wire.at(1).receive_matched(matched, *found);
    wire.settle();
    CHECK(late_buffer == second_data);
    CHECK(matched_buffer == first_data);
}
