// A rank that leaves: all that it has sent arrives, and nobody takes it for dead.
#include <catch2/catch.hpp>

#include <thread>

#include "tests/unit/tcp/support.hpp"

using namespace tutti::test;
using tutti::security::Key;
using tutti::transport::SendResult;

TEST_CASE("what was accepted arrives, though its sender leaves at once")
{
    const bool connected_before = GENERATE(true, false);
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key);
    zero.connect(one, 1);
    if (connected_before)
        REQUIRE(drive({&zero, &one}, [&] { return zero->is_connected(1) && one->is_connected(0); }));
    // More than the kernel takes.
    const std::string payload(3000, 'p');
    std::size_t sent = 0;
    while (zero.send(1, payload) == SendResult::done)
        ++sent;
    REQUIRE(sent > 50);
    // And rank 1 has sent what rank 0 never reads.
    if (connected_before)
        one.send(0, "unread");
    std::jthread leaving([&] { zero->close(); });
    CHECK(drive({&one}, [&] { return one.sink.frames.size() == sent; }));
    leaving.join();
    for (const auto& frame : one.sink.frames)
        REQUIRE(frame.payload == payload);
    CHECK(drive({&one}, [&] { return !one->is_connected(0); }));
    CHECK(one.sink.losses.empty());
}

TEST_CASE("all leave at once")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key);
    zero.connect(one, 1);
    REQUIRE(drive({&zero, &one}, [&] { return zero->is_connected(1) && one->is_connected(0); }));
    const auto start = std::chrono::steady_clock::now();
    {
        std::jthread leaving([&] { zero->close(); });
        one->close();
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    zero->close();
}

TEST_CASE("a peer that takes nothing does not hold up the end for ever")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key, std::chrono::milliseconds(300));
    TcpRank one(1, 2, key);
    zero.connect(one, 1);
    REQUIRE(drive({&zero, &one}, [&] { return zero->is_connected(1) && one->is_connected(0); }));
    const std::string payload(3000, 'p');
    while (zero.send(1, payload) == SendResult::done) {
    }
    const auto start = std::chrono::steady_clock::now();
    zero->close();
    const auto took = std::chrono::steady_clock::now() - start;
    CHECK(took >= std::chrono::milliseconds(300));
    CHECK(took < std::chrono::seconds(10));
    // Its peer is told of the truth: not everything has come.
    REQUIRE(drive({&one}, [&] { return !one.sink.losses.empty(); }));
}
