// Frames that wait for one another, so that one system call takes many.
#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <thread>

#include "tests/unit/tcp/support.hpp"
#include "transports/tcp/send_run.hpp"

using namespace tutti::test;
using tutti::ErrorCode;
using tutti::security::Key;
using tutti::transport::Completion;
using tutti::transport::SendResult;
using tutti::transport::tcp::SendRun;

namespace {

constexpr std::int64_t kRunStart = 1'000'000'000;
constexpr std::int64_t kSoon = 5'000;
constexpr std::int64_t kLate = 1'000'000;

struct Ending : Completion {
    Ending()
    {
        fire = [](Completion& self, ErrorCode code) {
            auto& ending = static_cast<Ending&>(self);
            ++ending.fired;
            ending.result = code;
        };
    }
    int fired = 0;
    ErrorCode result = ErrorCode::success;
};

/// Two ranks that are connected, of which one sends soon.
struct SoonPair {
    SoonPair() : zero(0, 2, key), one(1, 2, key)
    {
        zero.connect(one, 1);
        REQUIRE(zero.send(1, "hello") != SendResult::again);
        REQUIRE(drive({&zero, &one}, [&] { return one.sink.frames.size() == 1; }));
        one.sink.frames.clear();
    }
    SendResult send_soon(std::string_view payload)
    {
        return zero->send_soon(1, bytes_of("h"), std::as_bytes(std::span(payload)), endings.emplace_back());
    }
    /// What comes while only the receiver runs.
    std::size_t arrived_alone()
    {
        for (int i = 0; i < 100; ++i) {
            one.progress();
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        return one.sink.frames.size();
    }

    const Key key = Key::random();
    TcpRank zero;
    TcpRank one;
    std::deque<Ending> endings;
};

// A run of `frames` frames, and how many of them were kept.
int run_of(SendRun& run, int frames, std::int64_t took_ns)
{
    int kept = 0;
    for (int i = 0; i < frames; ++i) {
        if (!run.may_keep_next())
            continue;
        ++kept;
        run.keeps(kRunStart);
    }
    CHECK(run.end(kRunStart + took_ns) == (kept != 0));
    return kept;
}

}  // namespace

TEST_CASE("the first frame of a run leaves at once, the others with the next pass")
{
    const std::string long_one(20'000, 'l');
    const std::array<std::string, 4> payloads{"a", "b", long_one, "c"};
    bool has_kept_all = false;
    // On a machine that halts this process in between, frames leave as they have waited for long.
    for (int attempt = 0; attempt < 20 && !has_kept_all; ++attempt) {
        SoonPair ranks;
        CHECK(ranks.send_soon(payloads[0]) == SendResult::done);
        for (std::size_t i = 1; i < payloads.size(); ++i)
            CHECK(ranks.send_soon(payloads[i]) == SendResult::pending);
        has_kept_all = ranks.arrived_alone() == 1;
        CHECK(ranks.endings[1].fired == 0);
        ranks.zero.progress();
        for (std::size_t i = 1; i < payloads.size(); ++i) {
            CHECK(ranks.endings[i].fired == 1);
            CHECK(ranks.endings[i].result == ErrorCode::success);
        }
        REQUIRE(ranks.arrived_alone() == payloads.size());
        for (std::size_t i = 0; i < payloads.size(); ++i)
            CHECK(ranks.one.sink.frames[i].payload == payloads[i]);
    }
    CHECK(has_kept_all);
}

TEST_CASE("frames that are kept leave before a later frame, and by flush()")
{
    SoonPair ranks;
    ranks.send_soon("a");
    ranks.send_soon("b");
    const std::string payload = GENERATE(std::string("c"), std::string(5000, 'c'));
    CHECK(ranks.zero.send(1, payload) == SendResult::done);
    REQUIRE(ranks.arrived_alone() == 3);
    CHECK(ranks.one.sink.frames[1].payload == "b");
    CHECK(ranks.one.sink.frames[2].payload == payload);
    CHECK(ranks.send_soon("d") == SendResult::pending);
    ranks.zero->flush();
    REQUIRE(ranks.arrived_alone() == 4);
    CHECK(ranks.endings[2].fired == 0);  // not within send() and its like
    ranks.zero.progress();
    CHECK(ranks.endings[1].fired == 1);
    CHECK(ranks.endings[2].fired == 1);
}

TEST_CASE("many kept frames leave without a pass")
{
    SoonPair ranks;
    const std::string payload(60'000, 'p');
    for (int i = 0; i < 10; ++i)
        ranks.send_soon(payload);
    CHECK(ranks.arrived_alone() >= 2);
    REQUIRE(drive({&ranks.zero, &ranks.one}, [&] { return ranks.one.sink.frames.size() == 10; }));
    for (const auto& frame : ranks.one.sink.frames)
        CHECK(frame.payload == payload);
}

TEST_CASE("a kept frame ends with its peer, and may be released before")
{
    SoonPair ranks;
    ranks.send_soon("a");
    std::string released(5000, 'r');
    ranks.send_soon(released);
    ranks.zero->release_payload(1, ranks.endings[1]);
    released.assign(released.size(), 'x');
    ranks.zero.progress();
    REQUIRE(ranks.arrived_alone() == 2);
    CHECK(ranks.one.sink.frames[1].payload == std::string(5000, 'r'));

    ranks.send_soon("b");
    const int expected = ranks.send_soon("c") == SendResult::pending ? 1 : 0;
    ranks.one->close();
    REQUIRE(drive({&ranks.zero}, [&] {
        ranks.zero.send(1, "d");  // who sends to a rank that has left learns of that
        return !ranks.zero.sink.losses.empty();
    }));
    CHECK(ranks.endings[3].fired == expected);
}

TEST_CASE("who keeps frames for long keeps none for many runs, and for twice as many the next time")
{
    SendRun run;
    CHECK(run_of(run, 1, kSoon) == 0);
    CHECK(run_of(run, 5, kSoon) == 4);
    for (const int without : {16, 32, 64}) {
        CHECK(run_of(run, 5, kLate) == 4);
        for (int i = 0; i < without; ++i)
            CHECK(run_of(run, 5, kSoon) == 0);
    }
    CHECK(run_of(run, 5, kSoon) == 4);
}

TEST_CASE("a frame that is kept for as long as a few system calls take makes all leave")
{
    SendRun run;
    run.may_keep_next();
    REQUIRE(run.may_keep_next());
    CHECK(!run.keeps(kRunStart));
    CHECK(!run.keeps(kRunStart + kSoon));
    CHECK(run.keeps(kRunStart + 30'000));
    CHECK(run.has_kept());
    run.leave();
    CHECK(!run.has_kept());
    CHECK(!run.keeps(kRunStart + 40'000));
}
