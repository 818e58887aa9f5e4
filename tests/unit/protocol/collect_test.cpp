// Messages that do not lie in one piece: collected piece by piece as they leave, each byte once, in memory of
// a bounded size.
#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/unit/protocol/remote_read.hpp"

namespace tutti::test {

namespace {

/// The bytes of a message backwards in memory.
struct Backwards {
    Backwards(std::size_t size, std::uint64_t number) : message(size, number), memory(message.data)
    {
        std::ranges::reverse(memory);
        message.sent.context = this;
        message.sent.collect = [](const SendRequest& request, std::size_t offset, std::span<std::byte> out) {
            auto& self = *static_cast<Backwards*>(const_cast<void*>(request.context));
            self.in_order = self.in_order && offset == self.collected;
            self.collected += out.size();
            self.largest = std::max(self.largest, out.size());
            std::copy_n(self.memory.rbegin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
        };
    }
    Backwards(const Backwards&) = delete;

    Message message;
    Bytes memory;
    std::size_t collected = 0;
    std::size_t largest = 0;
    bool in_order = true;
};

constexpr std::size_t kPieceBytes = 64u << 10;

}  // namespace

TEST_CASE("a message is collected as it leaves: every byte once, whatever the transport refuses or keeps")
{
    const transport::FaultOptions faults =
        GENERATE(transport::FaultOptions{}, transport::FaultOptions{.seed = 3, .again = 0.5},
                 transport::FaultOptions{.seed = 4, .pending = 1},
                 transport::FaultOptions{.seed = 5, .again = 0.3, .pending = 0.3, .idle = 0.2});
    const std::size_t frame_bytes = GENERATE(64u, 1000u, 200'000u);
    const std::size_t piece_bytes = GENERATE(as<std::size_t>{}, 700, kPieceBytes);
    const bool posted = GENERATE(false, true);
    CAPTURE(faults.seed, frame_bytes, piece_bytes, posted);
    Wire wire({.protocol = {.eager_limit_bytes = 100'000, .unexpected_bytes = 1 << 20},
               .faults = faults,
               .frame_bytes = frame_bytes,
               .piece_bytes = piece_bytes});
    for (const std::size_t size : {1u, 64u, 3000u, 65'536u, 65'537u, 150'000u}) {
        CAPTURE(size);
        Backwards one(size, size);
        if (posted)
            one.message.receive(wire);
        one.message.send(wire);
        wire.settle();
        if (!posted) {
            one.message.receive(wire);
            wire.settle();
        }
        CHECK(one.message.arrived());
        CHECK(one.in_order);
        CHECK(one.collected == size);
        CHECK(one.largest <= std::min(piece_bytes, frame_bytes));
    }
}

TEST_CASE("of a collected message no more than the receiver wants is collected")
{
    Wire wire({.protocol = {.eager_limit_bytes = 256}, .frame_bytes = 1000});
    Backwards one(200'000, 1);
    one.message.buffer.resize(10'000);
    one.message.receive(wire);
    one.message.send(wire);
    wire.settle();
    CHECK(one.message.sent.done);
    CHECK(one.message.received.status.code == ErrorCode::truncated);
    CHECK(one.collected == 10'000);
}

TEST_CASE("a message that is collected lies nowhere to be read from")
{
    Reader reader;
    Wire wire(reader.options());
    Backwards one(100'000, 1);
    one.message.receive(wire);
    one.message.send(wire);
    wire.settle();
    CHECK(one.message.arrived());
    CHECK(reader.reads.empty());
    CHECK(count(wire.sent_kinds(1), FrameKind::fin) == 0);
}

TEST_CASE("messages behind a collected one keep their order")
{
    Wire wire({.protocol = {.eager_limit_bytes = 70'000, .unexpected_bytes = 1 << 20},
               .faults = {.seed = 6, .again = 0.3, .pending = 0.5},
               .frame_bytes = 500});
    Backwards first(60'000, 1);
    Message second(300, 2);
    first.message.send(wire);
    second.send(wire);
    second.receive(wire);  // the same envelope: it gets the first message
    wire.settle();
    CHECK(second.received.status.code == ErrorCode::truncated);
    first.message.receive(wire);
    wire.settle();
    CHECK(first.message.received.status.size_bytes == 300);
    CHECK(std::ranges::equal(std::span(first.message.buffer).first(300), second.data));
}

}  // namespace tutti::test
