// How it begins and ends: links, acknowledgements, floods, reads, deaths.
#include <catch2/catch.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <numeric>
#include <utility>

#include "tests/unit/ofi/support.hpp"

using namespace tutti::test;
using namespace tutti::transport::ofi;
using Catch::Matchers::Contains;
using tutti::ErrorCode;
using tutti::security::Key;
using tutti::transport::RemoteRegion;
using tutti::transport::SendResult;
using namespace std::chrono_literals;

namespace {

struct Pair {
    explicit Pair(OfiOptions options = {.rank = 0, .ranks = 2, .key = Key::random(), .linger = 0ms})
        : a(options), b([&] {
              options.rank = 1;
              return options;
          }())
    {
        a.transport->connect(1, b.transport->address());
        b.transport->connect(0, a.transport->address());
    }
    void pass()
    {
        a.progress();
        b.progress();
    }
    bool connected() const { return a.transport->is_connected(1) && b.transport->is_connected(0); }

    OfiRank a;
    OfiRank b;
};

/// Memory of a rank, as it tells others of it.
struct Lent {
    Lent(OfiRank& owner, std::size_t size) : bytes(size), transport(*owner.transport)
    {
        for (std::size_t i = 0; i < size; ++i)
            bytes[i] = static_cast<std::byte>(i * 7 + (i >> 8));
        is_lent = transport.lend(bytes, region);
    }
    ~Lent() { transport.take_back(region); }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    Bytes bytes;
    OfiTransport& transport;
    RemoteRegion region{};
    bool is_lent;
};

/// Rank 1 in a process of its own: what it tells first is its card, then one byte a frame that it got.
class OtherProcess {
public:
    template <class Body>
    explicit OtherProcess(Body body)
    {
        REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_) == 0);
        pid_ = fork();
        if (pid_ == 0) {
            ::close(ends_[0]);
            body(ends_[1]);
            _exit(0);
        }
        ::close(ends_[1]);
    }
    ~OtherProcess()
    {
        end();
        ::close(ends_[0]);
    }
    void signal(int number) const { kill(pid_, number); }
    void end()
    {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(std::exchange(pid_, 0), nullptr, 0);
        }
    }
    Bytes receive() const
    {
        Bytes bytes(4096);
        const ssize_t size = recv(ends_[0], bytes.data(), bytes.size(), 0);
        REQUIRE(size > 0);
        bytes.resize(static_cast<std::size_t>(size));
        return bytes;
    }
    void send(const Bytes& bytes) const
    {
        REQUIRE(::send(ends_[0], bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    }

private:
    int ends_[2] = {-1, -1};
    pid_t pid_ = 0;
};

/// Sends five frames to rank 0, lends it a MiB, and goes on making progress.
void talkative_rank(int channel, const Key& key)
{
    OfiRank rank(1, 2, key);
    const Bytes mine = rank.transport->address();
    Bytes theirs(4096);
    if (::send(channel, mine.data(), mine.size(), 0) < 0)
        _exit(1);
    theirs.resize(static_cast<std::size_t>(std::max<ssize_t>(0, recv(channel, theirs.data(), 4096, 0))));
    rank.transport->connect(0, theirs);
    const Lent lent(rank, 1 << 20);
    Bytes region(sizeof lent.region);
    std::memcpy(region.data(), &lent.region, region.size());
    for (int sent = 0; sent < 5;) {
        sent += rank.send(0, region) == SendResult::done;
        rank.progress();
    }
    while (rank.sink.losses.empty()) {
        rank.progress();
        usleep(100);
    }
}

}  // namespace

TEST_CASE("two ranks that flood each other both get through, in order")
{
    if (!Library::installed())
        return;
    Pair pair;
    constexpr std::size_t kFrames = 2000;
    std::size_t sent_a = 0;
    std::size_t sent_b = 0;
    const auto size_of = [](std::size_t number) {
        return number % 5 == 0 ? number * 7 % 16'000 : number % 100;
    };
    REQUIRE(drive_until(
        [&] {
            // Each sends as long as it can before it receives anything.
            while (sent_a < kFrames && pair.a.send(1, Bytes(size_of(sent_a))) == SendResult::done)
                ++sent_a;
            while (sent_b < kFrames && pair.b.send(0, Bytes(size_of(sent_b))) == SendResult::done)
                ++sent_b;
            pair.pass();
        },
        [&] { return pair.a.sink.payloads.size() == kFrames && pair.b.sink.payloads.size() == kFrames; }));
    for (std::size_t i = 0; i < kFrames; ++i) {
        REQUIRE(pair.a.sink.payloads[i].size() == size_of(i));
        REQUIRE(pair.b.sink.payloads[i].size() == size_of(i));
    }
}

TEST_CASE("who only receives acknowledges all the same")
{
    if (!Library::installed())
        return;
    const Key key = Key::random();
    OfiRank a(0, 2, key);
    OfiRank b(1, 2, key);
    a.transport->connect(1, b.transport->address());  // b does not know how to send to a
    std::size_t sent = 0;
    REQUIRE(drive_until(
        [&] {
            sent += a.send(1, Bytes(8)) == SendResult::done;
            a.progress();
            b.progress();
        },
        [&] { return b.sink.payloads.size() >= 5 * kWindow; }));
}

TEST_CASE("with every buffer registered, as adapters want it: frames and reads of all sizes")
{
    if (!Library::installed())
        return;
    Pair pair({.rank = 0, .ranks = 2, .key = Key::random(), .linger = 0ms, .register_all = true});
    Lent lent(pair.b, 10 << 20);
    REQUIRE(lent.is_lent);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{4097}, std::size_t{4} << 20, std::size_t{9'999'999}}) {
        Bytes local(size);
        OfiCompletion completion;
        REQUIRE(pair.a.transport->get(1, {lent.region.address + 5, lent.region.key}, local, completion) ==
                SendResult::pending);
        REQUIRE(drive_until([&] { pair.pass(); }, [&] { return completion.fired != 0; }));
        CHECK(completion.fired == 1);
        CHECK(completion.result == ErrorCode::success);
        CHECK(std::equal(local.begin(), local.end(), lent.bytes.begin() + 5));
    }
    bool gone = false;
    REQUIRE(drive_until(
        [&] {
            gone = gone || pair.a.send(1, Bytes(16'000, std::byte{9})) == SendResult::done;
            pair.pass();
        },
        [&] { return pair.b.sink.payloads.size() == 1; }));
    CHECK(pair.b.sink.payloads[0] == Bytes(16'000, std::byte{9}));
}

TEST_CASE("many reads at once, of which each brings its own bytes")
{
    if (!Library::installed())
        return;
    Pair pair;
    const Lent lent(pair.b, 1 << 20);
    constexpr std::size_t kReads = 300;
    constexpr std::size_t kBytes = 3000;
    std::vector<Bytes> local(kReads, Bytes(kBytes));
    std::vector<OfiCompletion> completions(kReads);
    for (std::size_t i = 0; i < kReads; ++i)
        REQUIRE(pair.a.transport->get(1, {lent.region.address + i * kBytes, lent.region.key}, local[i],
                                      completions[i]) == SendResult::pending);
    const auto all = [&] {
        return std::ranges::all_of(completions, [](auto& one) { return one.fired == 1; });
    };
    REQUIRE(drive_until([&] { pair.pass(); }, all));
    for (std::size_t i = 0; i < kReads; ++i) {
        REQUIRE(completions[i].result == ErrorCode::success);
        REQUIRE(std::memcmp(local[i].data(), lent.bytes.data() + i * kBytes, kBytes) == 0);
    }
}

TEST_CASE("close ends reads that are under way, and no byte comes afterwards")
{
    if (!Library::installed())
        return;
    Pair pair;
    const Lent lent(pair.b, 1 << 20);
    REQUIRE(drive_until([&] { pair.pass(); }, [&] { return pair.connected(); }));
    Bytes local(1 << 20);
    OfiCompletion completion;
    REQUIRE(pair.a.transport->get(1, lent.region, local, completion) == SendResult::pending);
    pair.a.transport->close();
    CHECK(completion.fired == 1);
    CHECK(completion.result == ErrorCode::cancelled);
    const Bytes copy = local;
    for (int i = 0; i < 100; ++i)
        pair.b.progress();
    CHECK(local == copy);
}

TEST_CASE("an idle rank sleeps: its descriptor is quiet, and speaks when a frame comes")
{
    if (!Library::installed())
        return;
    const char* const provider = GENERATE("net", "tcp;ofi_rxm");
    Pair pair({.rank = 0, .ranks = 2, .key = Key::random(), .provider = provider, .linger = 0ms});
    bool gone = false;
    REQUIRE(drive_until(
        [&] {
            gone = gone || pair.a.send(1, Bytes(8)) == SendResult::done;
            pair.pass();
        },
        [&] { return pair.b.sink.payloads.size() == 1; }));
    OfiTransport& sleeper = *pair.b.transport;
    for (int round = 0; round < 3; ++round) {
        pollfd readable{.fd = sleeper.wait_fd(), .events = POLLIN, .revents = POLLIN};
        // What was on its way, such as answers to questions, may still come.
        REQUIRE(drive_until(
            [&] {
                sleeper.arm();
                if (pair.b.progress() == 0)
                    poll(&readable, 1, 200);
                else
                    readable.revents = POLLIN;
            },
            [&] { return readable.revents == 0; }));
        REQUIRE(drive_until([&] { pair.a.progress(); },
                            [&] { return pair.a.send(1, Bytes(8)) == SendResult::done; }));
        const std::size_t before = pair.b.sink.payloads.size();
        REQUIRE(drive_until(
            [&] {
                CHECK(poll(&readable, 1, 20'000) == 1);
                sleeper.disarm();
                pair.pass();
                sleeper.arm();
                pair.b.progress();
            },
            [&] { return pair.b.sink.payloads.size() > before; }));
    }
}

TEST_CASE("a rank that leaves waits until what it sent was taken, and departs without being missed")
{
    if (!Library::installed())
        return;
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
    CHECK_THAT(pair.b.sink.reasons.front(), Contains("left the job"));
}

TEST_CASE("both leave at once")
{
    if (!Library::installed())
        return;
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

TEST_CASE("a process that is killed is lost at once, after what it had sent; a read of its memory ends")
{
    if (!Library::installed())
        return;
    const Key key = Key::random();
    OtherProcess process([&](int channel) { talkative_rank(channel, key); });
    OfiRank rank(0, 2, key);
    const Bytes card = process.receive();
    process.send(rank.transport->address());
    rank.transport->connect(1, card);
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return rank.sink.payloads.size() == 5; }));
    RemoteRegion region{};
    REQUIRE(rank.sink.payloads[0].size() == sizeof region);
    std::memcpy(&region, rank.sink.payloads[0].data(), sizeof region);
    Bytes local(1 << 20);
    OfiCompletion first;
    rank.transport->get(1, region, local, first);
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return first.fired != 0; }));
    CHECK(first.result == ErrorCode::success);
    CHECK(local[1000] == static_cast<std::byte>(7000 + 3));

    process.signal(SIGSTOP);
    OfiCompletion second;
    rank.transport->get(1, region, local, second);
    for (int i = 0; i < 1000; ++i)
        rank.progress();
    const auto killed = std::chrono::steady_clock::now();
    process.end();
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return !rank.sink.losses.empty(); }));
    CHECK(std::chrono::steady_clock::now() - killed < 20s);
    CHECK(rank.sink.losses == std::vector{1});
    CHECK_THAT(rank.sink.reasons.front(), Contains("127.0.0.1:"));
    CHECK(second.fired == 1);
    CHECK(rank.send(1, Bytes(8)) == SendResult::done);
    OfiCompletion third;
    CHECK_THROWS_AS(rank.transport->get(1, region, local, third), tutti::Error);
}

TEST_CASE("a process that computes for longer than the timeout is not lost")
{
    if (!Library::installed())
        return;
    const Key key = Key::random();
    OtherProcess process([&](int channel) { talkative_rank(channel, key); });
    OfiRank rank({.rank = 0, .ranks = 2, .key = key, .timeout = 300ms, .linger = 0ms});
    const Bytes card = process.receive();
    process.send(rank.transport->address());
    rank.transport->connect(1, card);
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
    if (!Library::installed())
        return;
    const Key key = Key::random();
    OfiRank rank({.rank = 0, .ranks = 2, .key = key, .timeout = 300ms, .linger = 0ms});
    FakePeer peer(rank, key);
    rank.transport->connect(1, peer.card());
    REQUIRE(drive_until([&] { peer.pass(); }, [&] { return peer.has_token(); }));
    peer.accept_frames();
    REQUIRE(drive_until([&] { peer.pass(); }, [&] { return rank.transport->is_connected(1); }));
    REQUIRE(drive_until([&] { peer.pass(); }, [&] { return rank.send(1, Bytes(8)) == SendResult::done; }));
    SECTION("it has had none")
    {
        REQUIRE(drive_until([&] { peer.pass(); }, [&] { return !rank.sink.losses.empty(); }));
        CHECK(peer.questions >= 9);
        CHECK_THAT(rank.sink.reasons.front(), Contains("provider net") && Contains("firewall"));
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

TEST_CASE("a rank that has ended before anybody connects is lost when somebody does")
{
    if (!Library::installed())
        return;
    const Key key = Key::random();
    OfiRank rank(0, 2, key);
    Bytes card;
    {
        OfiRank gone(1, 2, key);
        card = gone.transport->address();
    }
    REQUIRE(rank.transport->reach(1, card));
    rank.transport->connect(1, card);
    CHECK(rank.send(1, Bytes(8)) == SendResult::again);
    REQUIRE(drive_until([&] { rank.progress(); }, [&] { return !rank.sink.losses.empty(); }));
    CHECK_THAT(rank.sink.reasons.front(), Contains("Connection refused") && Contains("127.0.0.1:"));
}

TEST_CASE("ranks over different providers do not reach each other, and that is said")
{
    if (!Library::installed())
        return;
    const Key key = Key::random();
    OfiRank net(0, 2, key);
    OfiRank udp({.rank = 1, .ranks = 2, .key = key, .provider = "udp", .linger = 0ms});
    CHECK_FALSE(net.transport->reach(1, udp.transport->address()));
    CHECK_THAT(net.transport->unreachable(udp.transport->address()), Contains("host0 uses libfabric's net") &&
                                                                         Contains("host1 uses udp;ofi_rxd") &&
                                                                         Contains("TUTTI_FABRIC=ofi:"));
    CHECK_THROWS_AS(net.transport->connect(1, udp.transport->address()), tutti::Error);
}
