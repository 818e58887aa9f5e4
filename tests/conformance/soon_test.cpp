// Frames that may leave together: the same frames as send() makes.
#include <catch2/catch.hpp>

#include <deque>
#include <random>

#include "tests/conformance/harness.hpp"

using namespace tutti::test;
using tutti::ErrorCode;

namespace {

constexpr std::size_t kSoonHeaderBytes = 16;

/// Sends from rank 0 to rank 1, driving both while the answer is `again`.
SendResult send_soon(Ranks& ranks, OutFrame& frame)
{
    for (int attempt = 0; attempt < 100'000; ++attempt) {
        const SendResult result = ranks.at(0).send_soon(ranks.rank(1), frame.header, frame.payload, frame);
        if (result != SendResult::again)
            return result;
        ranks.progress(0);
        ranks.progress(1);
    }
    throw std::runtime_error("a transport answers `again` for ever");
}

}  // namespace

TEST_CASE("frames of every size, sent soon and at once by turns: whole, in order and once")
{
    const Setup setup = GENERATE(from_range(all_setups()));
    INFO(setup.name());
    std::deque<OutFrame> sent;
    Ranks ranks(setup);
    const std::size_t largest = ranks.at(0).capabilities().max_payload_bytes;
    std::mt19937 random(1);
    std::vector<std::size_t> sizes;
    for (int i = 0; i < 600; ++i)
        sizes.push_back(std::min(largest, i % 50 == 0 ? largest : random() % (1u << random() % 18)));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        OutFrame& frame = sent.emplace_back(i, kSoonHeaderBytes, sizes[i]);
        const SendResult result = random() % 8 != 0 ? send_soon(ranks, frame) : ranks.send(0, 1, frame);
        use_again(frame, result);
        if (random() % 32 == 0)
            ranks.progress(static_cast<int>(random() % 2));
        if (random() % 64 == 0)
            ranks.at(0).flush();
    }
    REQUIRE(ranks.deliver(1, sizes.size()));
    ranks.settle();
    const auto& got = ranks.sink(1).frames;
    REQUIRE(got.size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        CAPTURE(i, sizes[i]);
        REQUIRE(is_frame(got[i], i, kSoonHeaderBytes, sizes[i]));
        REQUIRE(sent[i].fired == 1);
        REQUIRE(sent[i].result == ErrorCode::success);
    }
}

TEST_CASE("frames that were sent soon end when their transport closes")
{
    const Setup setup = GENERATE(from_range(plain_setups()));
    INFO(setup.name());
    std::deque<OutFrame> sent;
    {
        Ranks ranks(setup);
        for (std::size_t i = 0; i < 5; ++i) {
            OutFrame& frame = sent.emplace_back(i, kSoonHeaderBytes, 100);
            use_again(frame, send_soon(ranks, frame));
        }
    }
    for (const OutFrame& frame : sent)
        CHECK(frame.fired == 1);
}
