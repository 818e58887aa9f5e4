// How two ranks come to one connection.
#include <catch2/catch.hpp>

#include <poll.h>

#include "tests/unit/tcp/support.hpp"

using namespace tutti::test;
using tutti::security::Key;
using Frame = TcpSink::Frame;

namespace {

bool both_connected(TcpRank& first, TcpRank& second)
{
    return drive({&first, &second}, [&] { return first->is_connected(1) && second->is_connected(0); });
}

}  // namespace

TEST_CASE("one dials, and both use the connection")
{
    const bool lower_dials = GENERATE(true, false);
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key);
    if (lower_dials)
        zero.connect(one, 1);
    else
        one.connect(zero, 0);
    REQUIRE(both_connected(zero, one));
    // Whoever was called finds the connection there when it wants to send.
    zero.connect(one, 1);
    one.connect(zero, 0);
    CHECK(zero.send(1, "there") == tutti::transport::SendResult::done);
    CHECK(one.send(0, "and back") == tutti::transport::SendResult::done);
    REQUIRE(drive({&zero, &one}, [&] { return !zero.sink.frames.empty() && !one.sink.frames.empty(); }));
    CHECK(one.sink.frames == std::vector<Frame>{{0, "h", "there"}});
    CHECK(zero.sink.frames == std::vector<Frame>{{1, "h", "and back"}});
}

TEST_CASE("both dial at once, and end with one connection")
{
    const int turn = GENERATE(range(0, 6));
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key);
    zero.connect(one, 1);
    one.connect(zero, 0);
    for (int i = 0; i < 20; ++i) {
        zero.send(1, "z" + std::to_string(i));
        one.send(0, "o" + std::to_string(i));
    }
    // Every order in which the two may get their turns first.
    for (int i = 0; i < 3; ++i)
        turn % 2 == 0 ? zero.progress() : one.progress();
    for (int i = 0; i < turn / 2; ++i)
        turn % 2 == 0 ? one.progress() : zero.progress();
    REQUIRE(
        drive({&zero, &one}, [&] { return zero.sink.frames.size() == 20 && one.sink.frames.size() == 20; }));
    for (int i = 0; i < 20; ++i) {
        CHECK(one.sink.frames[static_cast<std::size_t>(i)].payload == "z" + std::to_string(i));
        CHECK(zero.sink.frames[static_cast<std::size_t>(i)].payload == "o" + std::to_string(i));
    }
    for (int i = 0; i < 200; ++i) {
        zero.progress();
        one.progress();
    }
    CHECK(zero.sink.losses.empty());
    CHECK(one.sink.losses.empty());
}

TEST_CASE("frames wait for a peer that takes long to answer, and it for them")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key, std::chrono::milliseconds(100));
    TcpRank one(1, 2, key, std::chrono::milliseconds(100));
    zero.connect(one, 1);
    REQUIRE(zero.send(1, "early") == tutti::transport::SendResult::done);
    // Rank 1 computes, for much longer than hosts may take to answer.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(350);
    while (std::chrono::steady_clock::now() < until)
        zero.progress();
    REQUIRE(drive({&one, &zero}, [&] { return !one.sink.frames.empty(); }));
    CHECK(zero.sink.losses.empty());
    CHECK(one.sink.frames[0].payload == "early");
}

TEST_CASE("more peers than are polled at once")
{
    constexpr int kRanks = 7;
    const Key key = Key::random();
    std::vector<std::unique_ptr<TcpRank>> ranks;
    for (int rank = 0; rank < kRanks; ++rank)
        ranks.push_back(std::make_unique<TcpRank>(rank, kRanks, key));
    TcpRank& zero = *ranks[0];
    for (int peer = 1; peer < kRanks; ++peer) {
        ranks[static_cast<std::size_t>(peer)]->connect(zero, 0);
        zero.connect(*ranks[static_cast<std::size_t>(peer)], peer);
    }
    constexpr std::size_t kRounds = 30;
    std::size_t got = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
        for (int peer = 1; peer < kRanks; ++peer) {
            zero.send(peer, "ask");
            ranks[static_cast<std::size_t>(peer)]->send(0, std::to_string(round));
        }
        got += kRanks - 1;
        REQUIRE(drive({&zero}, [&] {
            for (auto& rank : ranks)
                rank->progress();
            return zero.sink.frames.size() == got;
        }));
    }
    REQUIRE(drive({&zero}, [&] {
        bool all = true;
        for (std::size_t peer = 1; peer < kRanks; ++peer) {
            ranks[peer]->progress();
            all = all && ranks[peer]->sink.frames.size() == kRounds;
        }
        return all;
    }));
    std::vector<std::size_t> next(kRanks);
    for (const Frame& frame : zero.sink.frames)
        CHECK(frame.payload == std::to_string(next[static_cast<std::size_t>(frame.from)]++));
    // What is quiet for long is no longer polled each time, and heard all the same.
    for (int i = 0; i < 2000; ++i)
        zero.progress();
    for (int peer = 1; peer < kRanks; ++peer)
        ranks[static_cast<std::size_t>(peer)]->send(0, "later");
    CHECK(drive({&zero}, [&] { return zero.sink.frames.size() == got + kRanks - 1; }));
}

TEST_CASE("who sleeps is woken by a newcomer, and when something takes too long")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key, std::chrono::milliseconds(100));
    const CapturedErrors errors;
    RawPeer outsider(zero.port());
    bool dropped = false;
    for (int wake_ups = 0; wake_ups < 50 && !dropped; ++wake_ups) {
        zero->arm();
        while (zero.progress() != 0) {
        }
        pollfd readable{.fd = zero->wait_fd(), .events = POLLIN, .revents = 0};
        REQUIRE(poll(&readable, 1, 10'000) == 1);
        zero.progress();
        zero->disarm();
        dropped = outsider.is_closed();
    }
    CHECK(dropped);
    CHECK(count(errors.text(), "it did not finish the handshake in time") == 1);
}
