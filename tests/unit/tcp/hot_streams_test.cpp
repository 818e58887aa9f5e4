// How connections with much traffic are waited for, and that who sleeps hears of all that comes.
#include <catch2/catch.hpp>

#include <poll.h>
#include <sys/socket.h>

#include <deque>

#include "tests/unit/tcp/support.hpp"
#include "transports/tcp/hot_streams.hpp"

using namespace tutti::test;
using tutti::connection::Poller;
using tutti::security::Key;
using tutti::transport::tcp::Head;
using tutti::transport::tcp::HotStreams;
using tutti::transport::tcp::Prefix;
using tutti::transport::tcp::Stream;

namespace {

constexpr std::int64_t kNow = 1'000'000;
constexpr std::int64_t kMuchLater = std::int64_t{1} << 62;
constexpr int kManyArrivals = 100;

/// A stream that epoll watches, as the transport makes it, and its other end.
struct WatchedStream {
    explicit WatchedStream(Poller& poller)
        : stream(poller, RawPeer(listener.port(), "127.0.0.2").release(), 1, "there"),
          other(listener.accept())
    {
        REQUIRE(other != nullptr);
        REQUIRE(stream.watch());
    }

    void arrives() const { other->write("x"); }
    int least_reported() const
    {
        int bytes = 0;
        socklen_t size = sizeof bytes;
        REQUIRE(getsockopt(stream.fd(), SOL_SOCKET, SO_RCVLOWAT, &bytes, &size) == 0);
        return bytes;
    }

    RawListener listener;
    Stream stream;
    std::unique_ptr<RawPeer> other;
};

bool tells(Poller& poller, const WatchedStream& of, int timeout_ms)
{
    for (const epoll_event& event : poller.wait(timeout_ms)) {
        if (event.data.ptr == static_cast<const tutti::connection::Watched*>(&of.stream))
            return true;
    }
    return false;
}

void bring(Stream& stream, int arrivals, bool answered, bool somebody_sleeps = false)
{
    const Head nothing(Prefix::Kind::host, {}, 0);
    const std::span<const std::byte> no_payload;
    for (int i = 0; i < arrivals; ++i) {
        stream.note_read(true, somebody_sleeps);
        if (answered)
            REQUIRE(stream.write(nothing, {&no_payload, 1}) > 0);
    }
}

bool is_readable(int fd, int timeout_ms)
{
    pollfd asked{fd, POLLIN, 0};
    return poll(&asked, 1, timeout_ms) == 1;
}

}  // namespace

TEST_CASE("a connection that brought nothing is left alone for a moment")
{
    Poller poller;
    HotStreams hot;
    WatchedStream one(poller);
    hot.add(one.stream);
    REQUIRE(hot.due(kNow).size() == 1);
    one.stream.note_read(false, false);
    CHECK(hot.due(kNow).empty());
    CHECK(hot.due(kMuchLater).size() == 1);
    one.stream.note_read(true, false);
    CHECK(hot.due(kNow).size() == 1);
}

TEST_CASE("epoll does not watch a busy connection, until somebody sleeps")
{
    Poller poller;
    HotStreams hot;
    WatchedStream one(poller);
    hot.add(one.stream);
    one.arrives();
    REQUIRE(tells(poller, one, 10'000));
    bring(one.stream, kManyArrivals, true, true);
    CHECK(tells(poller, one, 0));
    bring(one.stream, kManyArrivals, false);
    CHECK_FALSE(tells(poller, one, 0));
    CHECK(one.least_reported() == 1);
    CHECK(hot.watch_all());
    CHECK(tells(poller, one, 0));
    // Only many arrivals without another sleep are worth it to change that.
    bring(one.stream, 10, false);
    REQUIRE(hot.watch_all());
    bring(one.stream, 10, false);
    CHECK(tells(poller, one, 0));
}

TEST_CASE("arrivals are acknowledged at once where the ends take turns")
{
    Poller poller;
    HotStreams hot;
    WatchedStream one(poller);
    hot.add(one.stream);
    bring(one.stream, kManyArrivals, true);
    CHECK(one.least_reported() == 60 << 10);
    bring(one.stream, 2, false);
    CHECK(one.least_reported() == 60 << 10);
    SECTION("not in a stream of messages")
    {
        bring(one.stream, kManyArrivals, false);
        CHECK(one.least_reported() == 1);
    }
    SECTION("not while somebody sleeps, who is to hear of a single byte")
    {
        one.arrives();
        CHECK_FALSE(tells(poller, one, 0));
        CHECK(hot.watch_all());
        CHECK(one.least_reported() == 1);
        CHECK(tells(poller, one, 10'000));
    }
}

TEST_CASE("of more connections than can be hot, the quietest is epoll's again")
{
    Poller poller;
    HotStreams hot;
    std::deque<WatchedStream> all;
    for (std::size_t i = 0; i < HotStreams::kMost; ++i) {
        hot.add(all.emplace_back(poller).stream);
        bring(all.back().stream, kManyArrivals, true);
    }
    Stream& quiet = all[2].stream;
    quiet.note_read(false, false);
    hot.add(all.emplace_back(poller).stream);
    CHECK(hot.size() == HotStreams::kMost);
    CHECK_FALSE(hot.has(quiet));
    CHECK(hot.has(all.back().stream));
    all[2].arrives();
    all[1].arrives();
    CHECK(tells(poller, all[2], 10'000));
    CHECK_FALSE(tells(poller, all[1], 0));

    for (int i = 0; i < 1000; ++i)
        all[1].stream.note_read(false, false);
    hot.cool_quiet();
    CHECK(hot.size() == HotStreams::kMost - 1);
    CHECK_FALSE(hot.has(all[1].stream));
    CHECK(tells(poller, all[1], 10'000));
    for (const std::size_t i : {0u, 3u, 4u})
        CHECK(hot.has(all[i].stream));
}

TEST_CASE("a rank that sleeps after much traffic hears of the next frame, and of the end")
{
    const bool takes_turns = GENERATE(true, false);
    const bool is_there_before = GENERATE(true, false);
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key);
    zero.connect(one, 1);
    one.connect(zero, 0);
    for (std::size_t i = 1; i <= kManyArrivals; ++i) {
        REQUIRE(zero.send(1, "ping") == tutti::transport::SendResult::done);
        REQUIRE(drive({&zero, &one}, [&] { return one.sink.frames.size() == i; }));
        if (!takes_turns)
            continue;
        REQUIRE(one.send(0, "pong") == tutti::transport::SendResult::done);
        REQUIRE(drive({&zero, &one}, [&] { return zero.sink.frames.size() == i; }));
    }
    const auto hears = [&](const auto& happens) {
        if (is_there_before)
            happens();
        one->arm();
        if (!is_there_before)
            happens();
        const bool readable = is_readable(one->wait_fd(), 10'000);
        one->disarm();
        return readable;
    };
    CHECK(hears([&] { zero.send(1, "last"); }));
    REQUIRE(drive({&one}, [&] { return one.sink.frames.size() == kManyArrivals + 1; }));
    CHECK(one.sink.frames.back().payload == "last");
    while (one.progress() != 0 || is_readable(one->wait_fd(), 0)) {
    }
    CHECK(hears([&] { zero = TcpRank(0, 2, key); }));
}
