// Only who knows the key gets through, and only in this conversation.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "lib/foundation/security/handshake.hpp"

using namespace tutti::security;
using Failure = Handshake::Failure;
using Step = Handshake::State;

namespace {

using Wire = std::vector<std::byte>;

constexpr std::uint32_t kVersion = 7;

constexpr Identity rank_of(std::uint32_t number)
{
    return {Identity::Kind::rank, number};
}

Wire take_outgoing(Handshake& from, std::size_t most = Handshake::kMostBytes)
{
    const auto out = from.outgoing();
    const Wire bytes(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(std::min(most, out.size())));
    from.sent(bytes.size());
    return bytes;
}

// Moves bytes both ways, at most `piece` at a time, and returns all that the dialer sent.
Wire converse(Handshake& dialer, Handshake& listener, std::size_t piece = Handshake::kMostBytes)
{
    Wire recorded;
    for (int round = 0; round < 1000; ++round) {
        const Wire there = take_outgoing(dialer, piece);
        CHECK(listener.take(there) <= there.size());
        recorded.insert(recorded.end(), there.begin(), there.end());
        const Wire back = take_outgoing(listener, piece);
        dialer.take(back);
        if (there.empty() && back.empty())
            break;
    }
    return recorded;
}

Wire bytes_of(std::string_view text)
{
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

struct Handshakes {
    Key key = Key::random();
    Handshake dialer = Handshake::dial(key, kVersion, rank_of(1), rank_of(2));
    Handshake listener = Handshake::listen(key, kVersion, rank_of(2));
};

}  // namespace

TEST_CASE("two that know the key prove it, however their bytes are cut")
{
    const std::size_t piece = GENERATE(1u, 7u, 64u, 128u);
    Handshakes pair;
    CHECK_FALSE(pair.listener.has_hello());
    converse(pair.dialer, pair.listener, piece);
    CHECK(pair.dialer.state() == Step::proved);
    CHECK(pair.listener.state() == Step::proved);
    CHECK(pair.listener.has_hello());
    CHECK(pair.listener.peer() == rank_of(1));
    CHECK(pair.dialer.peer() == rank_of(2));
    CHECK(pair.dialer.wanted() == 0);
    CHECK(pair.listener.wanted() == 0);
}

TEST_CASE("a daemon may prove itself to the head")
{
    const Key key = Key::random();
    const Identity head{Identity::Kind::head, 0};
    const Identity daemon{Identity::Kind::daemon, 5};
    Handshake dialer = Handshake::dial(key, kVersion, daemon, head);
    Handshake listener = Handshake::listen(key, kVersion, head);
    converse(dialer, listener);
    CHECK(dialer.state() == Step::proved);
    CHECK(listener.state() == Step::proved);
    CHECK(listener.peer() == daemon);
}

TEST_CASE("bytes behind the handshake are left")
{
    Handshakes pair;
    CHECK(pair.listener.take(take_outgoing(pair.dialer)) != 0);
    pair.dialer.take(take_outgoing(pair.listener));
    Wire proof = take_outgoing(pair.dialer);
    const std::size_t size = proof.size();
    proof.resize(size + 100, std::byte{1});
    CHECK(pair.listener.take(proof) == size);
    CHECK(pair.listener.state() == Step::proved);
}

TEST_CASE("another job's rank is told so, at both ends")
{
    Handshakes pair;
    Handshake outsider = Handshake::dial(Key::random(), kVersion, rank_of(1), rank_of(2));
    converse(outsider, pair.listener);
    CHECK(pair.listener.failure() == Failure::other_job);
    CHECK(pair.listener.state() == Step::failed);
    CHECK(outsider.failure() == Failure::other_job);
    CHECK(outsider.reason() == "it belongs to another job");
}

TEST_CASE("another version is told so, at both ends")
{
    Handshakes pair;
    Handshake newer = Handshake::dial(pair.key, kVersion + 1, rank_of(1), rank_of(2));
    converse(newer, pair.listener);
    CHECK(pair.listener.failure() == Failure::other_version);
    CHECK(newer.failure() == Failure::other_version);
}

TEST_CASE("whoever has the address of another rank does not pass for it")
{
    Handshakes pair;
    const auto wanted = GENERATE(Identity{Identity::Kind::rank, 3}, Identity{Identity::Kind::daemon, 2});
    Handshake dialer = Handshake::dial(pair.key, kVersion, rank_of(1), wanted);
    converse(dialer, pair.listener);
    CHECK(pair.listener.failure() == Failure::other_end);
    CHECK(pair.listener.reason() == "it looks for somebody else");
    CHECK(dialer.failure() == Failure::other_end);
    CHECK(dialer.reason() == "somebody else has this address");
}

TEST_CASE("a rank that reaches itself has not reached another")
{
    const Key key = Key::random();
    Handshake dialer = Handshake::dial(key, kVersion, rank_of(2), rank_of(2));
    Handshake listener = Handshake::listen(key, kVersion, rank_of(2));
    converse(dialer, listener);
    CHECK(dialer.failure() == Failure::other_end);
}

TEST_CASE("the first wrong byte of garbage is enough")
{
    Handshakes pair;
    CHECK(pair.listener.take(bytes_of("G")) == 1);
    CHECK(pair.listener.failure() == Failure::not_tutti);
    CHECK(pair.listener.take(bytes_of("ET / HTTP/1.1")) == 0);
    CHECK(pair.listener.outgoing().empty());
    CHECK(pair.listener.reason() == "it does not speak Tutti's protocol");
    pair.dialer.take(bytes_of("SSH-2.0-OpenSSH_9.2p1 Debian-2"));
    CHECK(pair.dialer.failure() == Failure::not_tutti);
}

TEST_CASE("a recorded conversation proves nothing later")
{
    Handshakes pair;
    const Wire recorded = converse(pair.dialer, pair.listener);
    REQUIRE(pair.listener.state() == Step::proved);
    Handshake again = Handshake::listen(pair.key, kVersion, rank_of(2));
    again.take(recorded);
    CHECK(again.failure() == Failure::wrong_proof);
    CHECK(again.reason() == "it does not know the job's key");
}

TEST_CASE("a recorded reply proves nothing later")
{
    Handshakes pair;
    pair.listener.take(take_outgoing(pair.dialer));
    const Wire reply = take_outgoing(pair.listener);
    Handshake again = Handshake::dial(pair.key, kVersion, rank_of(1), rank_of(2));
    take_outgoing(again);
    again.take(reply);
    CHECK(again.failure() == Failure::wrong_proof);
    CHECK(again.outgoing().empty());  // it keeps its own proof to itself
}

TEST_CASE("an end's own words prove nothing to it")
{
    // An outsider at rank 2's address sends rank 1's own proof back to it, by way of rank 1's listener.
    const Key key = Key::random();
    Handshake dialer = Handshake::dial(key, kVersion, rank_of(1), rank_of(2));
    Handshake own_listener = Handshake::listen(key, kVersion, rank_of(1));
    Wire hello = take_outgoing(dialer);
    // As it is, rank 1 sees that it is not the one looked for; with the ends swapped the MAC is another one.
    own_listener.take(hello);
    CHECK(own_listener.failure() == Failure::other_end);
    Handshake third = Handshake::listen(key, kVersion, rank_of(1));
    const std::size_t from = 24;
    std::swap_ranges(hello.begin() + from, hello.begin() + from + 8, hello.begin() + from + 8);
    third.take(hello);
    REQUIRE(third.has_hello());
    dialer.take(take_outgoing(third));
    CHECK(dialer.failure() == Failure::wrong_proof);
}

TEST_CASE("every changed bit of every message is noticed")
{
    std::mt19937 random(1);
    for (int attempt = 0; attempt < 300; ++attempt) {
        Handshakes pair;
        const int which = attempt % 3;
        const auto carry = [&](Handshake& from, Handshake& to, bool damage) {
            Wire bytes = take_outgoing(from);
            if (damage && !bytes.empty()) {
                std::size_t at = random() % bytes.size();
                // The reply's reserved bytes mean nothing.
                while (which == 1 && at >= 28 && at < 32)
                    at = random() % bytes.size();
                bytes[at] ^= static_cast<std::byte>(1u << random() % 8);
            }
            to.take(bytes);
        };
        carry(pair.dialer, pair.listener, which == 0);
        carry(pair.listener, pair.dialer, which == 1);
        carry(pair.dialer, pair.listener, which == 2);
        INFO("message " << which);
        CHECK_FALSE((pair.dialer.state() == Step::proved && pair.listener.state() == Step::proved));
    }
}

TEST_CASE("any bytes are taken without harm")
{
    std::mt19937 random(2);
    for (int attempt = 0; attempt < 200; ++attempt) {
        Handshakes pair;
        Wire bytes = take_outgoing(pair.dialer);
        for (std::size_t i = 8 + random() % 60; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(random());
        bytes.resize(bytes.size() + random() % 300, std::byte{0x5a});
        pair.listener.take(bytes);
        CHECK(pair.listener.state() != Step::proved);
        CHECK(pair.listener.outgoing().size() <= Handshake::kMostBytes);
    }
}
