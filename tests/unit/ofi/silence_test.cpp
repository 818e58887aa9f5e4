// Peers of which nothing comes: killed, busy, or cut off.
#include <catch2/catch.hpp>

#include <thread>

#include "tests/unit/ofi/other_process.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using tutti::ErrorCode;
using tutti::security::Key;
using tutti::transport::RemoteRegion;
using tutti::transport::SendResult;
using namespace std::chrono_literals;

TEST_CASE("a process that is killed is lost at once, after what it had sent; a read of its memory ends")
{
    const Key key = Key::random();
    OtherProcess process([&](int channel) { talkative_rank(channel, key); });
    OfiRank rank(0, 2, key);
    const Bytes contact = process.receive();
    process.send(rank.transport->address());
    rank.transport->connect(1, contact);
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return rank.sink.payloads.size() == 5; }));
    RemoteRegion region{};
    REQUIRE(rank.sink.payloads[0].size() == sizeof region);
    std::memcpy(&region, rank.sink.payloads[0].data(), sizeof region);
    Bytes local(1 << 20);
    OfiCompletion first;
    rank.transport->memory()->get(1, region, local, first);
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return first.fired != 0; }));
    CHECK(first.result == ErrorCode::success);
    CHECK(local[1000] == static_cast<std::byte>(7000 + 3));

    process.signal(SIGSTOP);
    OfiCompletion second;
    rank.transport->memory()->get(1, region, local, second);
    // Messages are under way, too: the fabric has words of its own for these.
    std::size_t under_way = 0;
    for (int i = 0; i < 1000; ++i) {
        under_way += rank.send(1, Bytes(10'000)) == SendResult::done;
        rank.progress();
    }
    CHECK(under_way > 0);
    const auto killed = std::chrono::steady_clock::now();
    process.end();
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return !rank.sink.losses.empty(); }));
    CHECK(std::chrono::steady_clock::now() - killed < 20s);
    CHECK(rank.sink.losses == std::vector{1});
    CHECK_THAT(rank.sink.reasons.front(), Contains("host host1, 127.0.0.1:") && Contains("host host0"));
    CHECK(second.fired == 1);
    CHECK(rank.send(1, Bytes(8)) == SendResult::done);
    OfiCompletion third;
    CHECK_THROWS_AS(rank.transport->memory()->get(1, region, local, third), tutti::Error);
}

TEST_CASE("a process that computes for longer than the timeout is not lost")
{
    const Key key = Key::random();
    OtherProcess process([&](int channel) { talkative_rank(channel, key); });
    OfiRank rank({.rank = 0, .ranks = 2, .key = key, .timeout = 300ms, .linger = 0ms});
    const Bytes contact = process.receive();
    process.send(rank.transport->address());
    rank.transport->connect(1, contact);
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return rank.sink.payloads.size() == 5; }));
    process.signal(SIGSTOP);
    for (int i = 0; i < 3; ++i)
        rank.send(1, Bytes(8));
    const auto until = std::chrono::steady_clock::now() + 1s;
    while (std::chrono::steady_clock::now() < until) {
        rank.progress();
        std::this_thread::sleep_for(1ms);
    }
    CHECK(rank.sink.losses.empty());
    process.signal(SIGCONT);
}

TEST_CASE("a peer that says it is there while the fabric brings it nothing is lost")
{
    const Key key = Key::random();
    OfiRank rank({.rank = 0, .ranks = 2, .key = key, .timeout = 300ms, .linger = 0ms});
    FakePeer peer(rank, key);
    rank.transport->connect(1, peer.contact());
    REQUIRE(drive_until([&] { peer.pass(); }, [&] { return peer.has_token(); }));
    peer.accept_frames();
    REQUIRE(drive_until([&] { peer.pass(); }, [&] { return rank.transport->is_connected(1); }));
    REQUIRE(drive_until([&] { peer.pass(); }, [&] { return rank.send(1, Bytes(8)) == SendResult::done; }));
    SECTION("it has had none")
    {
        REQUIRE(drive_until([&] { peer.pass(); }, [&] { return !rank.sink.losses.empty(); }));
        CHECK(peer.questions >= 9);
        const std::string& reason = rank.sink.reasons.front();
        CHECK_THAT(reason, Contains("host host1 answers host host0 over TCP (127.0.0.1:"));
        CHECK_THAT(reason, Contains("provider net") && Contains("firewall") && Contains("TUTTI_INTERFACE"));
        // Both ends of the fabric.
        CHECK_THAT(reason, Contains("from " + rank.contact().endpoint_place() + " to " +
                                    FabricContact::parse(peer.contact())->endpoint_place() + " for"));
        CHECK_THAT(rank.contact().endpoint_place(),
                   StartsWith("127.0.0.1:") && EndsWith(" (lo)") && !Contains(":0 "));
    }
    SECTION("it says that it has had the frame, and is asked no more")
    {
        peer.received = 1;
        REQUIRE(drive_until([&] { peer.pass(); }, [&] { return peer.questions == 1; }));
        const auto until = std::chrono::steady_clock::now() + 600ms;
        while (std::chrono::steady_clock::now() < until)
            peer.pass();
        CHECK(peer.questions == 1);
        CHECK(rank.sink.losses.empty());
    }
}
