// Frames between one pair arrive in order, whole, once.
#include <catch2/catch.hpp>

#include <memory>
#include <random>

#include "tests/conformance/harness.hpp"

using namespace tutti::test;

namespace {

// All small sizes, and those around powers of two up to the largest.
std::vector<std::size_t> interesting_sizes(std::size_t largest)
{
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size < 200; ++size)
        sizes.push_back(size);
    for (std::size_t power = 256; power < largest; power *= 2)
        sizes.insert(sizes.end(), {power - 1, power, power + 1});
    sizes.insert(sizes.end(), {largest - 1, largest, 0, largest});
    std::erase_if(sizes, [largest](std::size_t size) { return size > largest; });
    return sizes;
}

}  // namespace

TEST_CASE("every size from none to the largest, with every header size, in order and once")
{
    const Setup setup = GENERATE(from_range(all_setups()));
    INFO(setup.name());
    std::vector<std::unique_ptr<OutFrame>> sent;
    Ranks ranks(setup);
    const auto sizes = interesting_sizes(ranks.at(0).capabilities().max_payload_bytes);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        OutFrame& frame = *sent.emplace_back(std::make_unique<OutFrame>(i, 1 + i % 32, sizes[i]));
        use_again(frame, ranks.send(0, 1, frame));
        if (random() % 8 == 0)
            ranks.progress(1);
    }
    REQUIRE(ranks.deliver(1, sizes.size()));
    ranks.settle();
    const auto& got = ranks.sink(1).frames;
    REQUIRE(got.size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        CAPTURE(i, sizes[i]);
        REQUIRE(got[i].from == ranks.rank(0));
        REQUIRE(is_frame(got[i], i, 1 + i % 32, sizes[i]));
        REQUIRE(sent[i]->fired == 1);
        REQUIRE(sent[i]->result == tutti::ErrorCode::success);
    }
}

TEST_CASE("a receiver that takes nothing stops its sender, which goes on when room is made")
{
    const Setup setup = GENERATE(from_range(all_setups()));
    if (setup.options.pending > 0)
        return;  // keeps what it cannot send
    const std::size_t size = GENERATE(0, 64);
    INFO(setup.name() << ", " << size << " bytes");
    Ranks ranks(setup);
    std::uint64_t sent = 0;
    for (int round = 0; round < 3; ++round) {
        int refused = 0;
        // A refusing decorator may say `again` by chance: full is when it says so many times.
        while (refused < 64) {
            OutFrame frame(sent, 16, size);
            if (ranks.at(0).send(ranks.rank(1), frame.header, frame.payload, frame) == SendResult::again) {
                ++refused;
                continue;
            }
            refused = 0;
            ++sent;
            REQUIRE(sent < 1'000'000);
        }
        REQUIRE(ranks.deliver(1, sent));
        OutFrame next(sent, 16, size);
        REQUIRE(ranks.send(0, 1, next) == SendResult::done);
        ++sent;
    }
    REQUIRE(ranks.deliver(1, sent));
    REQUIRE(ranks.sink(1).frames.size() == sent);
    for (std::uint64_t i = 0; i < sent; ++i)
        REQUIRE(is_frame(ranks.sink(1).frames[i], i, 16, size));
}

TEST_CASE("several senders to one receiver: each one's frames in order")
{
    const Setup setup = GENERATE(from_range(setups_between_ranks()));
    INFO(setup.name());
    constexpr int kRanks = 4;
    constexpr std::uint64_t kFrames = 200;
    std::vector<std::unique_ptr<OutFrame>> sent;
    Ranks ranks(setup, kRanks);
    for (std::uint64_t i = 0; i < kFrames; ++i) {
        for (int from = 1; from < kRanks; ++from) {
            const auto number = i * 10 + static_cast<std::uint64_t>(from);
            ranks.send(from, 0, *sent.emplace_back(std::make_unique<OutFrame>(number, 16, i % 90)));
        }
    }
    REQUIRE(ranks.deliver(0, kFrames * (kRanks - 1)));
    std::vector<std::uint64_t> seen(kRanks);
    for (const InFrame& frame : ranks.sink(0).frames) {
        auto& next = seen[static_cast<std::size_t>(frame.from)];
        REQUIRE(is_frame(frame, next * 10 + static_cast<std::uint64_t>(frame.from), 16, next % 90));
        ++next;
    }
    CHECK(seen == std::vector<std::uint64_t>{0, kFrames, kFrames, kFrames});
}

TEST_CASE("an idle transport says so, and a frame is an event")
{
    const Setup setup = GENERATE(from_range(plain_setups()));
    INFO(setup.name());
    Ranks ranks(setup);
    CHECK(ranks.progress(0) == 0);
    CHECK(ranks.progress(1) == 0);
    OutFrame frame(1, 8, 100);
    REQUIRE(ranks.send(0, 1, frame) == SendResult::done);
    CHECK(ranks.sink(1).frames.empty());
    CHECK(ranks.progress(1) == 1);
    CHECK(ranks.progress(1) == 0);
    CHECK(ranks.sink(1).frames.size() == 1);
    CHECK(frame.fired == 0);  // a completion is used only for `pending`
}

TEST_CASE("capabilities, addresses and reach")
{
    const Setup setup = GENERATE(from_range(all_setups()));
    INFO(setup.name());
    Ranks ranks(setup, 3);
    Transport& transport = ranks.at(0);
    // Reductions take parts of messages: they must hold whole elements.
    if (setup.options.max_payload_bytes == 0)
        CHECK(transport.capabilities().max_payload_bytes >= 4096);
    CHECK(transport.capabilities().max_payload_bytes % 8 == 0);
    CHECK(transport.name() == setup.transport.substr(0, setup.transport.find(' ')));
    CHECK(transport.address() == transport.address());
    CHECK(transport.reach(ranks.rank(1), ranks.at(1).address()));
    CHECK_FALSE(transport.reach(99, ranks.at(1).address()));
    if (setup.transport != "self") {
        CHECK_FALSE(transport.reach(1, {}));
        Bytes contact = ranks.at(1).address();
        contact.push_back(std::byte{1});
        CHECK_FALSE(transport.reach(1, contact));
        contact.resize(3);
        CHECK_FALSE(transport.reach(1, contact));
        CHECK_FALSE(transport.reach(1, Bytes(ranks.at(1).address().size(), std::byte{0x5a})));
    }
}
