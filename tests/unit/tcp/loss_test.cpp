// Peers that cannot be reached, that die, and that send what no rank sends.
#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "tests/unit/tcp/support.hpp"
#include "tests/unit/transports/child.hpp"

using namespace tutti::test;
using Catch::Matchers::Contains;
using tutti::connection::Contact;
using tutti::security::Key;
using tutti::transport::tcp::Head;
using tutti::transport::tcp::Prefix;

namespace {

// A rank and a connection to it that it takes for its peer's.
struct Joined {
    explicit Joined(int peer_rank) : peer_rank_(peer_rank)
    {
        REQUIRE(peer.join(rank, 1 - peer_rank_, key, peer_rank_));
        rank.connect(other, peer_rank_);  // there is a connection: only its host's name is learned
    }
    bool loses()
    {
        return drive({&rank}, [&] { return !rank.sink.losses.empty(); });
    }

    Key key = Key::random();
    int peer_rank_;
    TcpRank rank{1 - peer_rank_, 2, key};
    TcpRank other{peer_rank_, 2, key};
    RawPeer peer{rank.port()};
};

Bytes frame_bytes(std::string_view payload)
{
    const Head head(Prefix::Kind::frame, bytes_of("h"), payload.size());
    Bytes bytes(head.bytes().begin(), head.bytes().end());
    const Bytes rest = bytes_of(payload);
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    return bytes;
}

}  // namespace

TEST_CASE("nobody listens there: both hosts, addresses and interfaces, and what was said")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    connect_to_gone(zero, key);
    REQUIRE(zero.send(1, "hello?") == tutti::transport::SendResult::done);
    REQUIRE(drive({&zero}, [&] { return !zero.sink.losses.empty(); }));
    CHECK(zero.sink.losses[0].peer == 1);
    CHECK_THAT(zero.sink.losses[0].reason, Contains("host host0 did not reach host host1") &&
                                               Contains("127.0.0.1 (lo) from 127.0.0.1 (lo)") &&
                                               Contains("Connection refused") && Contains("TUTTI_INTERFACE"));
    CHECK(zero.send(1, "hello?") == tutti::transport::SendResult::done);
    zero.progress();
    CHECK(zero.sink.losses.size() == 1);
}

TEST_CASE("hosts without a network in common")
{
    TcpRank zero(0, 2, Key::random());
    const Contact far{1, 4242, "far", {{*tutti::network::IpAddress::parse("fd00::2"), 64, "eth7"}}};
    CHECK_THROWS_WITH(zero->connect(1, far.to_bytes()),
                      Contains("host host0 (lo 127.0.0.1/8)") && Contains("host far (eth7 fd00::2/64)"));
}

TEST_CASE("another job has the port: its rank is not taken for the peer")
{
    TcpRank zero(0, 2, Key::random());
    TcpRank foreign(1, 2, Key::random());
    const CapturedErrors errors;
    zero.connect(foreign, 1);
    REQUIRE(drive({&zero, &foreign}, [&] { return !zero.sink.losses.empty(); }));
    CHECK_THAT(zero.sink.losses[0].reason, Contains("it belongs to another job"));
}

TEST_CASE("another rank has the port")
{
    const Key key = Key::random();
    TcpRank zero(0, 3, key);
    TcpRank two(2, 3, key);
    const CapturedErrors errors;
    auto contact = *Contact::parse(two->address());
    contact.rank = 1;
    zero->connect(1, contact.to_bytes());
    REQUIRE(drive({&zero, &two}, [&] { return !zero.sink.losses.empty(); }));
    CHECK_THAT(zero.sink.losses[0].reason, Contains("somebody else has this address"));
}

TEST_CASE("a connection that ends without a goodbye is a death, told after its last frame")
{
    const int peer_rank = GENERATE(0, 1);
    Joined joined(peer_rank);
    joined.peer.write(frame_bytes("last words"));
    {
        joined.peer.read();  // with bytes unread the kernel would reset the connection
        const RawPeer closed = std::move(joined.peer);
    }
    REQUIRE(joined.loses());
    REQUIRE(joined.rank.sink.frames.size() == 1);
    CHECK(joined.rank.sink.frames[0].payload == "last words");
    CHECK(joined.rank.sink.losses[0].peer == peer_rank);
    CHECK_THAT(joined.rank.sink.losses[0].reason,
               Contains("host host" + std::to_string(peer_rank) + " (127.0.0.1:") &&
                   Contains("closed the connection without leaving the job"));
}

TEST_CASE("a reset in the middle of a frame")
{
    Joined joined(0);
    Bytes bytes = frame_bytes(std::string(1000, 'x'));
    bytes.resize(GENERATE(3u, 9u, 500u));
    joined.peer.write(bytes);
    for (int i = 0; i < 50; ++i)
        joined.rank.progress();
    joined.peer.reset();
    REQUIRE(joined.loses());
    CHECK(joined.rank.sink.frames.empty());
    CHECK_THAT(joined.rank.sink.losses[0].reason, Contains("Connection reset by peer"));
}

TEST_CASE("bytes that are no frame lose the peer, and nothing else")
{
    Joined joined(0);
    Prefix prefix{16, Prefix::Kind::frame, 8};
    switch (GENERATE(range(0, 6))) {
        case 0:
            prefix.payload_bytes = 0xffff'ffff;
            break;
        case 1:
            prefix.payload_bytes = tutti::transport::tcp::kMaxPayload + 1;
            break;
        case 2:
            prefix.header_bytes = 33;
            break;
        case 3:
            prefix.kind = static_cast<Prefix::Kind>(77);
            break;
        case 4:
            prefix.mark = 1;
            break;
        default:
            prefix.kind = Prefix::Kind::goodbye;  // has no payload
    }
    joined.peer.write(std::as_bytes(std::span(&prefix, 1)));
    REQUIRE(joined.loses());
    CHECK_THAT(joined.rank.sink.losses[0].reason, Contains("sent bytes that are no frame of Tutti's"));
    CHECK(joined.rank.sink.frames.empty());
}

TEST_CASE("a buffer that cannot be read is an error at its sender and a loss at its receiver")
{
    constexpr std::size_t kBytes = tutti::transport::tcp::kMaxPayload;  // more than the kernel takes at once
    const Key key = Key::random();
    for (const std::size_t readable : {std::size_t{0}, kBytes / 2}) {
        CAPTURE(readable);
        TcpRank zero(0, 2, key);
        TcpRank one(1, 2, key);
        zero.connect(one, 1);
        one.connect(zero, 0);
        REQUIRE(zero.send(1, "first") == tutti::transport::SendResult::done);
        REQUIRE(drive({&zero, &one}, [&] { return one.sink.frames.size() == 1; }));
        auto* const memory = static_cast<std::byte*>(
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        REQUIRE(memory != MAP_FAILED);
        REQUIRE(::mprotect(memory + readable, kBytes - readable, PROT_NONE) == 0);
        struct Sent : tutti::transport::Completion {
            std::optional<tutti::ErrorCode> result;
        } sent;
        sent.fire = [](tutti::transport::Completion& self, tutti::ErrorCode result) {
            static_cast<Sent&>(self).result = result;
        };
        REQUIRE(zero->send(1, bytes_of("h"), {memory, kBytes}, sent) ==
                tutti::transport::SendResult::pending);
        REQUIRE(drive({&zero, &one}, [&] { return !zero.sink.losses.empty() && !one.sink.losses.empty(); }));
        CHECK(sent.result == tutti::ErrorCode::peer_lost);
        CHECK_THAT(zero.sink.losses[0].reason,
                   Contains("the buffer of a message to that rank cannot be read (Bad address)"));
        CHECK(one.sink.frames.size() == 1);
        ::munmap(memory, kBytes);
    }
}

TEST_CASE("a goodbye is no loss, until something is sent to who has left")
{
    Joined joined(0);
    const Head goodbye(Prefix::Kind::goodbye, {}, 0);
    joined.peer.write(goodbye.bytes());
    REQUIRE(drive({&joined.rank}, [&] { return !joined.rank->is_connected(0); }));
    for (int i = 0; i < 100; ++i)
        joined.rank.progress();
    CHECK(joined.rank.sink.losses.empty());
    CHECK(joined.rank.send(0, "too late") == tutti::transport::SendResult::done);
    REQUIRE(joined.loses());
    CHECK(joined.rank.sink.losses[0].reason == "it has left the job");
}

TEST_CASE("frames come through however they are cut")
{
    Joined joined(0);
    const std::size_t piece = GENERATE(1u, 5u, 13u, 1000u);
    Bytes all;
    for (int i = 0; i < 20; ++i) {
        const Bytes frame =
            frame_bytes(std::string(static_cast<std::size_t>(i * 17), static_cast<char>('a' + i)));
        all.insert(all.end(), frame.begin(), frame.end());
    }
    for (std::size_t at = 0; at < all.size(); at += piece) {
        joined.peer.write(std::span(all).subspan(at, std::min(piece, all.size() - at)));
        joined.rank.progress();
    }
    REQUIRE(drive({&joined.rank}, [&] { return joined.rank.sink.frames.size() == 20; }));
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(joined.rank.sink.frames[i].payload == std::string(i * 17, static_cast<char>('a' + i)));
}

TEST_CASE("no file left for another connection: the error names the remedy")
{
    const int status = in_child([] {
        const Key key = Key::random();
        TcpRank zero(0, 2, key);
        TcpRank one(1, 2, key);
        const int next = dup(0);
        close(next);
        const rlimit limit{static_cast<rlim_t>(next), static_cast<rlim_t>(next)};
        setrlimit(RLIMIT_NOFILE, &limit);
        zero.connect(one, 1);
        if (!drive({&zero}, [&] { return !zero.sink.losses.empty(); }))
            return 1;
        return zero.sink.losses[0].reason.find("raise the limit with ulimit -n") != std::string::npos ? 0 : 2;
    });
    CHECK(status == 0);
}

TEST_CASE("no file left for a connection: it is reported, and taken once there is one")
{
    const int status = in_child([] {
        const Key key = Key::random();
        TcpRank zero(0, 2, key);
        TcpRank one(1, 2, key);
        const CapturedErrors errors;
        zero.connect(one, 1);
        std::vector<tutti::base::UniqueFd> files;
        rlimit limit{};
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = 64;
        setrlimit(RLIMIT_NOFILE, &limit);
        while (files.empty() || files.back())
            files.emplace_back(dup(0));
        if (!drive({&one, &zero}, [&] { return !errors.text().empty(); }))
            return 1;
        if (errors.text().find("cannot take another connection: Too many open files") == std::string::npos)
            return 2;
        files.clear();
        return drive({&one, &zero}, [&] { return zero->is_connected(1) && one->is_connected(0); }) ? 0 : 3;
    });
    CHECK(status == 0);
}

// The longer the window has been closed, the more rarely TCP asks for it: by itself 0.2,
// 0.6, 1.5, 3.3, 6.9, 13.8 s after that.
TEST_CASE("a peer that has not received for long is not lost, and a cut then shows all the same")
{
    const int status = in_child([] {
        if (!leave_network() || !set_loopback(true))
            return 77;
        const int number = 44;  // TCP_RTO_MAX_MS
        int rto_max_ms = 1000;
        const tutti::base::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (setsockopt(socket.get(), IPPROTO_TCP, number, &rto_max_ms, sizeof rto_max_ms) != 0)
            return 78;
        const Key key = Key::random();
        TcpRank zero(0, 2, key, std::chrono::milliseconds(2000));
        TcpRank one(1, 2, key, std::chrono::milliseconds(2000));
        zero.connect(one, 1);
        if (!drive({&zero, &one}, [&] { return zero->is_connected(1) && one->is_connected(0); }))
            return 1;
        while (zero.send(1, std::string(3000, 'p')) == tutti::transport::SendResult::done) {
        }
        const auto start = std::chrono::steady_clock::now();
        const auto is_past = [&](std::chrono::milliseconds time) {
            return std::chrono::steady_clock::now() - start > time;
        };
        // Were its intervals to double, the kernel would ask after 3.5 and 6.8 s, and a cut between the two
        // would show after 8.6 s.
        drive({&zero}, [&] { return is_past(std::chrono::milliseconds(4000)) || !zero.sink.losses.empty(); });
        if (!zero.sink.losses.empty())
            return 2;
        set_loopback(false);
        drive({&zero}, [&] { return is_past(std::chrono::milliseconds(8200)) || !zero.sink.losses.empty(); });
        set_loopback(true);  // else their ends wait for each other
        return zero.sink.losses.empty() ? 3 : 0;
    });
    if (status == 77)
        WARN("skipped: this machine allows no network of a test's own");
    else if (status == 78)
        WARN("skipped: this kernel does not let the interval be set");
    else
        CHECK(status == 0);
}
