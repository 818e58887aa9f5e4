// Who does not belong to the job, and who does and sends nonsense: dropped, told of once, and the job goes
// on.
#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <random>

#include "tests/soft_limit.hpp"
#include "tests/unit/ofi/pair.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using Catch::Matchers::Contains;
using tutti::base::UniqueFd;
using tutti::security::Key;
using tutti::transport::SendResult;

namespace {

UniqueFd knock(const FabricContact& contact)
{
    socklen_t size = 0;
    const auto to = contact.addresses.front().address.to_sockaddr(contact.port, 0, size);
    UniqueFd connection(socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(connection.get(), reinterpret_cast<const sockaddr*>(&to), size) == 0);
    return connection;
}

/// A rank, and a peer that belongs to its job and says what the test likes.
struct Proved {
    explicit Proved(const Key& key = Key::random()) : a(0, 2, key), peer(a, key)
    {
        REQUIRE(drive_until([this] { peer.pass(); }, [this] { return peer.has_token(); }));
    }
    OfiRank a;
    FakePeer peer;
};

// Whether frames go both ways.
void check_works(Pair& pair)
{
    auto& [a, b] = pair;
    const std::size_t before_a = a.sink.payloads.size();
    const std::size_t before_b = b.sink.payloads.size();
    bool gone_a = false;
    bool gone_b = false;
    CHECK(drive_until(
        [&] {
            gone_a = gone_a || a.send(1, Bytes(10)) == SendResult::done;
            gone_b = gone_b || b.send(0, Bytes(20)) == SendResult::done;
            pair.pass();
        },
        [&] { return a.sink.payloads.size() > before_a && b.sink.payloads.size() > before_b; }));
    CHECK(a.sink.losses.empty());
    CHECK(b.sink.losses.empty());
}

}  // namespace

TEST_CASE("a rank of another job is no rank of ours")
{
    OfiRank ours(0, 2, Key::random());
    OfiRank theirs(1, 2, Key::random());
    theirs.transport->connect(0, ours.transport->address());
    const auto pass = [&] {
        ours.progress();
        theirs.progress();
    };
    REQUIRE(drive_until(pass, [&] { return !theirs.sink.losses.empty() && !ours.log.empty(); }));
    CHECK_THAT(ours.log.front(), Contains("rank 0 on host0") && Contains("127.0.0.1:"));
    CHECK_THAT(theirs.sink.reasons.front(), Contains("host host1 did not reach host host0: ") &&
                                                Contains("127.0.0.1 (lo) from 127.0.0.1 (lo): ") &&
                                                Contains("TUTTI_INTERFACE"));
    CHECK(ours.sink.losses.empty());
    CHECK(theirs.send(0, {}) == SendResult::done);  // goes nowhere
}

TEST_CASE("garbage at the port is dropped and told of once, also when it never ends")
{
    Pair pair;
    OfiRank& a = pair.a;
    std::mt19937 random(1);
    std::vector<UniqueFd> outsiders;
    for (int i = 0; i < 20; ++i) {
        const UniqueFd& outsider = outsiders.emplace_back(knock(a.contact()));
        Bytes garbage(static_cast<std::size_t>(i) * 37);
        for (std::byte& byte : garbage)
            byte = static_cast<std::byte>(random());
        if (!garbage.empty())
            CHECK(send(outsider.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL) > 0);
    }
    REQUIRE(drive_until([&] { a.progress(); }, [&] { return !a.log.empty(); }));
    check_works(pair);
    CHECK(a.log.size() == 1);
    CHECK(pair.b.log.empty());
}

TEST_CASE("more silent connections than a rank keeps do not keep its peers out")
{
    constexpr int kRanks = 2;
    const Key key = Key::random();
    // Ordinary users may have 1,024 files open, unless they ask for more.
    const WithSoftLimit files(RLIMIT_NOFILE, hard_limit(RLIMIT_NOFILE));
    OfiRank a(0, kRanks, key);
    OfiRank b(1, kRanks, key);
    const FabricContact contact = a.contact();
    std::vector<UniqueFd> outsiders;
    for (int i = 0; i < 300 + 2 * kRanks; ++i) {
        outsiders.push_back(knock(contact));
        a.progress();
    }
    // They are there, and so many again come at the moment when the peer does.
    REQUIRE(drive_until([&] { a.progress(); }, [&] { return !a.log.empty(); }));
    for (int i = 0; i < 300 + 2 * kRanks; ++i)
        outsiders.push_back(knock(contact));
    b.transport->connect(0, a.transport->address());
    for (int i = 0; i < 300 + 2 * kRanks; ++i)
        outsiders.push_back(knock(contact));
    bool gone = false;
    CHECK(drive_until(
        [&] {
            gone = gone || b.send(0, Bytes(10)) == SendResult::done;
            a.progress();
            b.progress();
        },
        [&] { return !a.sink.payloads.empty() || !b.sink.losses.empty(); }));
    CHECK(b.sink.reasons == std::vector<std::string>{});
    CHECK(a.sink.payloads.size() == 1);
    CHECK(a.log.size() == 1);
    CHECK_THAT(a.log.front(), Contains("too many connections that prove nothing"));
}

TEST_CASE("bytes through the fabric that carry no token of the job are dropped")
{
    Pair pair;
    OfiRank& a = pair.a;
    check_works(pair);
    const std::size_t before = a.sink.payloads.size();
    FakePeer outsider(a, Key::random());  // never proved
    std::mt19937 random(2);
    for (const std::size_t size : {0, 1, 23, 24, 25, 60, 1000, 16'000}) {
        Bytes garbage(size);
        for (std::byte& byte : garbage)
            byte = static_cast<std::byte>(random());
        REQUIRE(outsider.send(garbage));
    }
    for (const std::uint32_t source : {0u, 1u, 2u, ~0u}) {
        for (const std::uint64_t token : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
            REQUIRE(outsider.send_frame({token, source, 1, 0, 0, 0}, Bytes(8)));
    }
    REQUIRE(drive_until([&] { outsider.pass(); }, [&] { return !a.log.empty(); }));
    for (int i = 0; i < 1000; ++i)
        outsider.pass();
    CHECK(a.sink.payloads.size() == before);
    check_works(pair);
    CHECK(a.log.size() == 1);
}

TEST_CASE("a message too long for any buffer does no harm")
{
    Proved proved;
    auto& [a, peer] = proved;
    REQUIRE(peer.send(Bytes(1 << 20)));
    REQUIRE(peer.send_frame({peer.token, 1, 0, 0, 0, 0}, Bytes(5)));
    for (int i = 0; i < 1000; ++i)
        peer.pass();
    CHECK(a.sink.payloads.size() <= 1);  // the connection may have ended with it
}

TEST_CASE("a peer's frames that cannot be: repeated, from the future, acknowledging what was never sent")
{
    Proved proved;
    auto& [a, peer] = proved;
    const auto frame = [&](std::uint32_t number, std::uint32_t acknowledged, std::size_t bytes) {
        REQUIRE(peer.send_frame({peer.token, 1, number, acknowledged, 0, 0}, Bytes(bytes)));
    };
    frame(1u << 31, 0, 1);
    frame(kWindow, 0, 2);
    frame(1, 0, 3);       // early
    frame(0, 12'345, 4);  // nobody sent so many
    frame(0, 0, 5);       // again
    frame(1, 0, 6);       // again
    frame(~0u, ~0u, 7);
    frame(2, 0, 8);
    REQUIRE(drive_until([&] { peer.pass(); }, [&] { return a.sink.payloads.size() >= 3; }));
    for (int i = 0; i < 1000; ++i)
        peer.pass();
    REQUIRE(a.sink.payloads.size() == 3);
    CHECK(a.sink.payloads[0].size() == 4);
    CHECK(a.sink.payloads[1].size() == 3);
    CHECK(a.sink.payloads[2].size() == 8);
    CHECK(a.log.size() == 1);
    CHECK(a.sink.losses.empty());
}

TEST_CASE("nonsense on a link that was proved ends the peer, not the rank")
{
    Proved proved;
    auto& [a, peer] = proved;
    peer.say({static_cast<LinkMessage::Kind>(99)});
    REQUIRE(drive_until([&] { peer.pass(); }, [&] { return !a.sink.losses.empty(); }));
    CHECK_THAT(a.sink.reasons.front(), Contains("unknown kind 99"));
}

TEST_CASE("a peer that leaves and has not sent what it says is lost")
{
    const Key key = Key::random();
    OfiRank a(0, 2, key);
    {
        FakePeer peer(a, key);
        REQUIRE(drive_until([&] { peer.pass(); }, [&] { return peer.has_token(); }));
        peer.say({LinkMessage::Kind::leaving, 0, 3});
        for (int i = 0; i < 1000; ++i)
            peer.pass();
        CHECK(a.sink.losses.empty());
    }
    REQUIRE(drive_until([&] { a.progress(); }, [&] { return !a.sink.losses.empty(); }));
    CHECK_THAT(a.sink.reasons.front(), Contains("3 of its frames"));
}
