// How ranks leave, and what becomes of those that left or cannot be reached.
#include <catch2/catch.hpp>

#include <thread>

#include "tests/unit/ofi/pair.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using Catch::Matchers::Contains;
using tutti::security::Key;
using tutti::transport::SendResult;
using namespace std::chrono_literals;

TEST_CASE("a rank that leaves waits until what it sent was taken, and departs without being missed")
{
    Pair pair({.rank = 0, .ranks = 2, .key = Key::random()});
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return pair.connected(); }));
    constexpr std::size_t kFrames = 50;
    std::size_t sent = 0;
    REQUIRE(drive_until(
        [&] {
            sent += pair.a.send(1, Bytes(1000)) == SendResult::done;
            pair.a.progress();
            if (sent < 10)
                pair.b.progress();
        },
        [&] { return sent == kFrames; }));
    std::jthread leaver([&] { pair.a.transport->close(); });
    std::this_thread::sleep_for(20ms);
    REQUIRE(drive_until([&] { pair.b.progress(); }, [&] { return pair.b.sink.payloads.size() == kFrames; }));
    // The leaver is told so.
    REQUIRE(drive_until([&] { pair.b.progress(); },
                        [&] {
                            return pair.b.send(0, {}) ==
                                   SendResult::done;  // only once it has departed: until then, `again`
                        }));
    leaver.join();
    REQUIRE(drive_until([&] { pair.b.progress(); }, [&] { return !pair.b.sink.losses.empty(); }));
    CHECK_THAT(pair.b.sink.reasons.front(), Contains("left the job (host host0, 127.0.0.1:"));
}

TEST_CASE("both leave at once")
{
    Pair pair({.rank = 0, .ranks = 2, .key = Key::random()});
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return pair.connected(); }));
    bool gone_a = false;
    bool gone_b = false;
    REQUIRE(drive_until(
        [&] {
            gone_a = gone_a || pair.a.send(1, Bytes(10)) == SendResult::done;
            gone_b = gone_b || pair.b.send(0, Bytes(10)) == SendResult::done;
            pair.pass();
        },
        [&] { return gone_a && gone_b; }));
    std::jthread other([&] { pair.b.transport->close(); });
    pair.a.transport->close();
}

TEST_CASE("a rank that has ended before anybody connects is lost when somebody does")
{
    const Key key = Key::random();
    OfiRank rank(0, 2, key);
    Bytes contact;
    {
        OfiRank gone(1, 2, key);
        contact = gone.transport->address();
    }
    REQUIRE(rank.transport->reach(1, contact));
    rank.transport->connect(1, contact);
    CHECK(rank.send(1, Bytes(8)) == SendResult::again);
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return !rank.sink.losses.empty(); }));
    CHECK_THAT(rank.sink.reasons.front(), Contains("127.0.0.1 (lo) from 127.0.0.1 (lo): Connection refused"));
}

TEST_CASE("ranks over different providers do not reach each other, and that is said")
{
    const Key key = Key::random();
    OfiRank net(0, 2, key);
    OfiRank udp({.rank = 1, .ranks = 2, .key = key, .provider = "udp", .linger = 0ms});
    CHECK_FALSE(net.transport->reach(1, udp.transport->address()));
    CHECK_THAT(net.transport->unreachable(udp.transport->address()), Contains("host0 uses libfabric's net") &&
                                                                         Contains("host1 uses udp;ofi_rxd") &&
                                                                         Contains("TUTTI_FABRIC=ofi:"));
    CHECK_THROWS_AS(net.transport->connect(1, udp.transport->address()), tutti::Error);
}
