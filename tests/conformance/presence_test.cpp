// Who is waited for is looked after: an end shows within progress(), behind the last frame, connected or not.
#include <catch2/catch.hpp>

#include <memory>
#include <vector>

#include "tests/conformance/harness.hpp"

using namespace tutti::test;
using tutti::transport::Presence;

namespace {

// Rank 0 asks after rank 1, which makes progress or is at its end, until it gets this answer, or for ever.
bool comes_to(Presence answer, Ranks& ranks, const Bytes& contact, bool peer_progresses)
{
    for (int pass = 0; pass < 100'000; ++pass) {
        if (ranks.at(0).look_after(1, contact) == answer)
            return true;
        ranks.progress(0);
        if (peer_progresses)
            ranks.progress(1);
    }
    return false;
}

void await_loss(Ranks& ranks)
{
    for (int pass = 0; pass < 100'000 && ranks.sink(0).lost.empty(); ++pass)
        ranks.progress(0);
}

}  // namespace

TEST_CASE("a peer that is there is found there, and nothing is lost by asking")
{
    const Setup setup = GENERATE(from_range(setups_between_ranks()));
    const bool connected = GENERATE(true, false);
    CAPTURE(setup.name(), connected);
    Ranks ranks(setup, 2, connected);
    const Bytes contact = ranks.at(1).address();
    CHECK(comes_to(Presence::here, ranks, contact, true));
    CHECK(comes_to(Presence::here, ranks, contact, true));
    if (!connected) {
        ranks.at(0).connect(1, contact);
        ranks.at(1).connect(0, ranks.at(0).address());
    }
    OutFrame there(1, 8, 20);
    OutFrame back(2, 8, 20);
    CHECK(ranks.send(0, 1, there) != SendResult::again);
    CHECK(ranks.send(1, 0, back) != SendResult::again);
    CHECK(ranks.deliver(0, 1));
    CHECK(ranks.deliver(1, 1));
    CHECK(ranks.sink(0).lost.empty());
    CHECK(ranks.sink(1).lost.empty());
}

TEST_CASE("a peer that has left is found gone, and its loss is reported once, behind its last frame")
{
    const Setup setup = GENERATE(from_range(setups_between_ranks()));
    CAPTURE(setup.name());
    constexpr std::uint64_t kFrames = 5;
    std::vector<std::unique_ptr<OutFrame>> sent;
    Ranks ranks(setup);
    const Bytes contact = ranks.at(1).address();
    for (std::uint64_t i = 0; i < kFrames; ++i) {
        sent.push_back(std::make_unique<OutFrame>(i, 8, 20));
        ranks.send(1, 0, *sent.back());
        if (i == 0)
            CHECK(ranks.deliver(0, 1));  // connections below the transport come about when first used
    }
    // What a transport keeps may be given up when it closes.
    for (int pass = 0; pass < 1000; ++pass)
        ranks.progress(1);
    ranks.at(1).close();
    CHECK(comes_to(Presence::gone, ranks, contact, false));
    await_loss(ranks);
    CHECK(ranks.sink(0).lost == std::vector{1});
    // A thread that ends does not say how.
    CHECK(ranks.sink(0).left == (setup.transport == "inproc" ? std::vector<int>() : std::vector{1}));
    CHECK(ranks.sink(0).frames.size() == kFrames);
    CHECK(comes_to(Presence::gone, ranks, contact, false));
    for (int pass = 0; pass < 100; ++pass)
        ranks.progress(0);  // throws where it is told again
}

TEST_CASE("a peer that was never spoken to and has left is found gone")
{
    const Setup setup = GENERATE(from_range(setups_between_ranks()));
    CAPTURE(setup.name());
    Ranks ranks(setup, 2, false);
    const Bytes contact = ranks.at(1).address();
    ranks.at(1).close();
    CHECK(comes_to(Presence::gone, ranks, contact, false));
    await_loss(ranks);
    CHECK(ranks.sink(0).lost == std::vector{1});
    CHECK(comes_to(Presence::gone, ranks, contact, false));
}
