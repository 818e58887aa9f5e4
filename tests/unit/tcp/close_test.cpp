// A rank that leaves: all that it has sent arrives, and nobody takes it for dead.
#include <catch2/catch.hpp>

#include <thread>

#include "tests/unit/tcp/support.hpp"
#include "tests/unit/transports/child.hpp"

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

TEST_CASE("who leaves with the kernel's buffers full is not taken for dead")
{
    constexpr int kLittleRoom = 16 * 1024;
    for (std::size_t run = 0; run < 100; ++run) {
        CAPTURE(run);
        const Key key = Key::random();
        TcpRank zero(0, 2, key, std::chrono::seconds(20), "127.0.0.0/8", kLittleRoom);
        TcpRank one(1, 2, key, std::chrono::seconds(20), "127.0.0.0/8", kLittleRoom);
        zero.connect(one, 1);
        REQUIRE(drive({&zero, &one}, [&] { return zero->is_connected(1) && one->is_connected(0); }));
        // Of many lengths: now and then the last byte that is accepted is the last that there is room for.
        const std::string payload(1 + run * 997 % 4000, 'p');
        std::size_t sent = 0;
        while (zero.send(1, payload) == SendResult::done)
            ++sent;
        std::jthread leaving([&] { zero->close(); });
        REQUIRE(drive({&one}, [&] { return one.sink.frames.size() == sent; }));
        leaving.join();
        REQUIRE(drive({&one}, [&] { return !one->is_connected(0); }));
        REQUIRE(one.sink.losses.empty());
    }
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

TEST_CASE("all leave at once, with more for each other than the kernel takes")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key);
    zero.connect(one, 1);
    // The last look of each for arrivals finds one.
    REQUIRE(zero.send(1, "first") == SendResult::done);
    REQUIRE(drive({&zero, &one}, [&] { return !one.sink.frames.empty(); }));
    REQUIRE(one.send(0, "second") == SendResult::done);
    REQUIRE(drive({&zero}, [&] { return !zero.sink.frames.empty(); }));
    const std::string payload(3000, 'p');
    for (const auto& [from, to] : {std::pair(&zero, 1), std::pair(&one, 0)}) {
        while (from->send(to, payload) == SendResult::done) {
        }
    }
    std::jthread leaving([&] { zero->close(); });
    one->close();
    leaving.join();
    CHECK(zero.sink.losses.empty());
    CHECK(one.sink.losses.empty());
}

TEST_CASE("what was accepted arrives, however long after its sender has left the receiver computes")
{
    const bool connected_before = GENERATE(true, false);
    const Key key = Key::random();
    TcpRank zero(0, 2, key, std::chrono::milliseconds(200));
    TcpRank one(1, 2, key);
    zero.connect(one, 1);
    if (connected_before)
        REQUIRE(drive({&zero, &one}, [&] { return zero->is_connected(1) && one->is_connected(0); }));
    const std::string payload(3000, 'p');
    std::size_t sent = 0;
    while (zero.send(1, payload) == SendResult::done)
        ++sent;
    std::jthread leaving([&] { zero->close(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    CHECK(drive({&one}, [&] { return one.sink.frames.size() == sent; }));
    leaving.join();
    CHECK(drive({&one}, [&] { return !one->is_connected(0); }));
    CHECK(one.sink.losses.empty());
}

TEST_CASE("a peer that dies is not waited for at the end")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    RawPeer one(zero.port());
    REQUIRE(one.join(zero, 0, key, 1));
    const std::string payload(3000, 'p');
    while (zero.send(1, payload) == SendResult::done) {
    }
    std::jthread dying([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        one.reset();
    });
    zero->close();
    SUCCEED();
}

TEST_CASE("a host that answers no more is not waited for at the end")
{
    const bool fits = GENERATE(true, false);  // what was accepted, into what the kernel takes
    const int status = in_child([&] {
        if (!leave_network() || !set_loopback(true))
            return 77;
        const Key key = Key::random();
        TcpRank zero(0, 2, key, std::chrono::milliseconds(300));
        TcpRank one(1, 2, key, std::chrono::milliseconds(300));
        zero.connect(one, 1);
        if (!drive({&zero, &one}, [&] { return zero->is_connected(1) && one->is_connected(0); }))
            return 1;
        if (!fits) {
            while (zero.send(1, std::string(3000, 'p')) == SendResult::done) {
            }
        }
        if (!set_loopback(false))
            return 2;
        zero.send(1, "too late");
        zero->close();
        return 0;
    });
    if (status == 77)
        WARN("skipped: this machine allows no network of a test's own");
    else
        CHECK(status == 0);
}

TEST_CASE("who leaves still takes the call that a peer decided on")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key);
    zero.connect(one, 1);  // and computes
    one.connect(zero, 0);
    one.send(0, "farewell");
    std::jthread leaving([&] { one->close(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(drive({&zero}, [&] { return !zero.sink.frames.empty(); }));
    leaving.join();
    CHECK(zero.sink.losses.empty());
}
