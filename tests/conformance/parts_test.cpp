// Payloads that lie in several places: the same frames as send() makes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <random>

#include "tests/conformance/harness.hpp"

using namespace tutti::test;
using tutti::ErrorCode;
using tutti::transport::kMostParts;

namespace {

using PartList = std::vector<std::span<const std::byte>>;

constexpr std::size_t kHeaderBytes = 16;

// Ways to cut a payload.
enum class Cut { none, empty_ones, single_bytes, even, anywhere };
constexpr int kCuts = 5;

/// Every byte once, in up to kMostParts places.
PartList cut(std::span<const std::byte> payload, Cut how, std::mt19937& random)
{
    PartList parts;
    const auto add = [&](std::size_t size) {
        const std::size_t most = std::min(size, payload.size());
        parts.push_back(payload.first(most));
        payload = payload.subspan(most);
    };
    switch (how) {
        case Cut::none:
            break;
        case Cut::empty_ones:
            add(0);
            add(payload.size() / 3);
            add(0);
            add(payload.size());
            add(0);
            return parts;
        case Cut::single_bytes:
            while (parts.size() + 1 < kMostParts)
                add(1);
            break;
        case Cut::even:
            for (const std::size_t part = payload.size() / kMostParts; parts.size() + 1 < kMostParts;)
                add(part);
            break;
        case Cut::anywhere:
            for (std::size_t count = random() % (kMostParts - 1); parts.size() < count;)
                add(random() % (payload.size() / 8 + 2));
            break;
    }
    add(payload.size());
    return parts;
}

bool gathers(Ranks& ranks)
{
    return ranks.at(0).capabilities().gathers;
}

/// Sends from rank 0 to rank 1, driving both while the answer is `again`.
SendResult send_parts(Ranks& ranks, OutFrame& frame, PartList parts)
{
    for (int attempt = 0; attempt < 100'000; ++attempt) {
        const SendResult result = ranks.at(0).send_parts(ranks.rank(1), frame.header, parts, frame);
        if (result != SendResult::again)
            return result;
        ranks.progress(0);
        ranks.progress(1);
    }
    throw std::runtime_error("a transport answers `again` for ever");
}

std::vector<std::size_t> sizes_up_to(std::size_t largest)
{
    std::vector<std::size_t> sizes{0,    1,    2,    63,     64,     65,     100,         1023,
                                   1024, 1025, 5000, 65'535, 65'536, 65'537, largest - 1, largest};
    std::erase_if(sizes, [largest](std::size_t size) { return size > largest; });
    return sizes;
}

// Payloads that differ in length, so that the kernel stops in another place each time; a payload
// stays as it is: the transport may still read it.
void fill_in_parts(Ranks& ranks, std::deque<OutFrame>& sent, std::size_t& pending)
{
    const std::size_t largest = ranks.at(0).capabilities().max_payload_bytes;
    std::mt19937 random(2);
    for (std::size_t number = sent.size();; ++number) {
        const std::size_t size = number % 3 == 0 ? 200 + number : largest / 2 + random() % (largest / 2);
        OutFrame& frame = sent.emplace_back(number, kHeaderBytes, size);
        const PartList parts = cut(frame.payload, static_cast<Cut>(number % kCuts), random);
        const SendResult result = number % 4 == 3
                                      ? ranks.at(0).send(ranks.rank(1), frame.header, frame.payload, frame)
                                      : ranks.at(0).send_parts(ranks.rank(1), frame.header, parts, frame);
        if (result == SendResult::again) {
            sent.pop_back();
            return;
        }
        pending += result == SendResult::pending;
        if (result == SendResult::done)
            frame.fired = 1;
    }
}

}  // namespace

TEST_CASE("who does not gather says so")
{
    const Setup setup = GENERATE(from_range(all_setups()));
    INFO(setup.name());
    Ranks ranks(setup);
    CHECK(gathers(ranks) == (setup.transport == "tcp"));
    if (gathers(ranks))
        return;
    OutFrame frame(0, kHeaderBytes, 10);
    const PartList parts{frame.payload};
    try {
        ranks.at(0).send_parts(ranks.rank(1), frame.header, parts, frame);
        FAIL("no error");
    } catch (const tutti::Error& error) {
        CHECK(error.code() == ErrorCode::not_supported);
    }
    CHECK(frame.fired == 0);
}

TEST_CASE("payloads of every size in up to kMostParts parts, among others in one: whole, in order and once")
{
    const Setup setup = GENERATE(from_range(all_setups()));
    INFO(setup.name());
    std::deque<OutFrame> sent;
    Ranks ranks(setup);
    if (!gathers(ranks))
        return;
    std::vector<std::size_t> sizes;
    std::mt19937 random(1);
    for (const std::size_t size : sizes_up_to(ranks.at(0).capabilities().max_payload_bytes))
        sizes.insert(sizes.end(), kCuts + 1, size);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        OutFrame& frame = sent.emplace_back(i, kHeaderBytes, sizes[i]);
        const int way = static_cast<int>(i % (kCuts + 1));
        const SendResult result =
            way == kCuts ? ranks.send(0, 1, frame)
                         : send_parts(ranks, frame, cut(frame.payload, static_cast<Cut>(way), random));
        use_again(frame, result);  // the list of parts is gone, too
        if (random() % 8 == 0)
            ranks.progress(1);
    }
    REQUIRE(ranks.deliver(1, sizes.size()));
    ranks.settle();
    const auto& got = ranks.sink(1).frames;
    REQUIRE(got.size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        CAPTURE(i, sizes[i]);
        REQUIRE(is_frame(got[i], i, kHeaderBytes, sizes[i]));
        REQUIRE(sent[i].fired == 1);
        REQUIRE(sent[i].result == ErrorCode::success);
    }
}

TEST_CASE("a frame of no part has no payload")
{
    const Setup setup = GENERATE(from_range(plain_setups()));
    INFO(setup.name());
    Ranks ranks(setup);
    if (!gathers(ranks))
        return;
    OutFrame frame(0, kHeaderBytes, 0);
    REQUIRE(send_parts(ranks, frame, {}) == SendResult::done);
    OutFrame next(1, kHeaderBytes, 3);
    REQUIRE(ranks.send(0, 1, next) == SendResult::done);
    REQUIRE(ranks.deliver(1, 2));
    CHECK(is_frame(ranks.sink(1).frames[0], 0, kHeaderBytes, 0));
    CHECK(is_frame(ranks.sink(1).frames[1], 1, kHeaderBytes, 3));
}

TEST_CASE("payloads in parts that nobody takes yet are kept, and end once when they have gone out")
{
    const Setup setup = GENERATE(from_range(plain_setups()));
    INFO(setup.name());
    std::deque<OutFrame> sent;
    Ranks ranks(setup);
    if (!gathers(ranks))
        return;
    std::size_t pending = 0;
    for (int round = 0; round < 3; ++round) {
        fill_in_parts(ranks, sent, pending);
        REQUIRE(ranks.deliver(1, sent.size()));
    }
    CHECK(pending >= 3);
    for (int i = 0; i < 100; ++i)
        ranks.progress(0);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        CAPTURE(i);
        REQUIRE(is_frame(ranks.sink(1).frames[i], i, kHeaderBytes, sent[i].payload.size()));
        REQUIRE(sent[i].fired == 1);
        REQUIRE(sent[i].result == ErrorCode::success);
    }
}
