// When sinks and completions are called: inside progress() only, once each, also on close.
#include <catch2/catch.hpp>

#include <deque>

#include "tests/conformance/harness.hpp"

using namespace tutti::test;
using tutti::ErrorCode;

namespace {

Setup keeping_everything(Setup setup)
{
    setup.faults = "keeps everything";
    setup.options.pending = 1;
    return setup;
}

}  // namespace

TEST_CASE("frames may be sent from within a callback: a long exchange of answers")
{
    const Setup setup = GENERATE(from_range(all_setups()));
    INFO(setup.name());
    if (setup.transport == "self")
        return;  // the next test is the one for a rank and itself
    constexpr std::uint64_t kRounds = 500;
    std::deque<OutFrame> sent;
    Ranks ranks(setup);
    std::deque<std::pair<int, OutFrame*>> refused;
    const auto answer = [&](int index, std::uint64_t number) {
        OutFrame& frame = sent.emplace_back(number, 8, number % 96);
        if (ranks.at(index).send(1 - index, frame.header, frame.payload, frame) == SendResult::again)
            refused.emplace_back(index, &frame);
    };
    for (const int index : {0, 1})
        ranks.sink(index).on_frame = [&, index](const InFrame&) {
            if (sent.size() < kRounds)
                answer(index, sent.size());
        };
    answer(0, 0);
    for (int pass = 0; pass < 200'000 && sent.size() < kRounds; ++pass) {
        for (const int index : {0, 1})
            ranks.progress(index);
        if (!refused.empty()) {
            auto [index, frame] = refused.front();
            if (ranks.at(index).send(1 - index, frame->header, frame->payload, *frame) != SendResult::again)
                refused.pop_front();
        }
    }
    REQUIRE(sent.size() == kRounds);
    for (const int index : {0, 1}) {
        const auto& frames = ranks.sink(index).frames;
        REQUIRE(frames.size() >= kRounds / 2 - 1);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const std::uint64_t number = 2 * i + (index == 0 ? 1 : 0);
            REQUIRE(is_frame(frames[i], number, 8, number % 96));
        }
    }
}

TEST_CASE("what a rank sends to itself from a callback comes with a later progress()")
{
    std::deque<OutFrame> sent;
    Ranks ranks(Setup{"self", "plain", {}});
    ranks.sink(0).on_frame = [&](const InFrame&) {
        OutFrame& frame = sent.emplace_back(sent.size(), 8, 8);
        REQUIRE(ranks.at(0).send(0, frame.header, frame.payload, frame) == SendResult::done);
    };
    OutFrame first(99, 8, 8);
    REQUIRE(ranks.send(0, 0, first) == SendResult::done);
    for (std::size_t pass = 1; pass <= 10; ++pass) {
        CHECK(ranks.progress(0) == 1);
        CHECK(ranks.sink(0).frames.size() == pass);
    }
}

TEST_CASE("a kept frame's completion fires once, with success when it went out")
{
    const Setup setup = keeping_everything(GENERATE(from_range(plain_setups())));
    INFO(setup.name());
    std::deque<OutFrame> sent;
    Ranks ranks(setup);
    for (std::uint64_t i = 0; i < 20; ++i) {
        OutFrame& frame = sent.emplace_back(i, 8, i * 3);
        REQUIRE(ranks.send(0, 1, frame) == SendResult::pending);
        REQUIRE(frame.fired == 0);
    }
    REQUIRE(ranks.deliver(1, 20));
    for (const OutFrame& frame : sent) {
        CHECK(frame.fired == 1);
        CHECK(frame.result == ErrorCode::success);
    }
    ranks.at(0).close();
    for (const OutFrame& frame : sent)
        CHECK(frame.fired == 1);
}

TEST_CASE("close ends what is pending, once, and may be called again")
{
    const Setup setup = keeping_everything(GENERATE(from_range(plain_setups())));
    INFO(setup.name());
    std::deque<OutFrame> sent;
    Ranks ranks(setup);
    for (std::uint64_t i = 0; i < 5; ++i)
        REQUIRE(ranks.send(0, 1, sent.emplace_back(i, 8, 50)) == SendResult::pending);
    ranks.at(0).close();
    ranks.at(0).close();
    for (const OutFrame& frame : sent) {
        CHECK(frame.fired == 1);
        CHECK(frame.result == ErrorCode::cancelled);
    }
}

TEST_CASE("close with frames that nobody took")
{
    const Setup setup = GENERATE(from_range(plain_setups()));
    INFO(setup.name());
    Ranks ranks(setup);
    for (std::uint64_t i = 0; i < 10; ++i) {
        OutFrame frame(i, 8, 1000);
        REQUIRE(ranks.send(0, 1, frame) == SendResult::done);
    }
    ranks.at(1).close();
    ranks.at(0).close();
    ranks.at(0).close();
    CHECK(ranks.sink(1).frames.empty());
}
