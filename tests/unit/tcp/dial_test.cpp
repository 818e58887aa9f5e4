// Addresses that lead to somebody else, who says nothing or hangs up, and peers that are only busy.
#include <catch2/catch.hpp>

#include "tests/unit/tcp/support.hpp"

using namespace tutti::test;
using Catch::Matchers::Contains;
using std::chrono::milliseconds;
using tutti::connection::Contact;
using tutti::security::Key;
using tutti::transport::SendResult;

namespace {

void drive_for(std::initializer_list<TcpRank*> ranks, milliseconds time)
{
    const auto until = std::chrono::steady_clock::now() + time;
    drive(ranks, [&] { return std::chrono::steady_clock::now() >= until; });
}

}  // namespace

TEST_CASE("whoever says nothing at the first address keeps nobody from the second")
{
    const int dialer = GENERATE(0, 1);
    const Key key = Key::random();
    TcpRank caller(dialer, 2, key, milliseconds(2000));
    TcpRank called(1 - dialer, 2, key);
    const RawListener mute("127.0.0.2", called.port());
    const CapturedErrors errors;
    caller->connect(1 - dialer, contact_of(called, called.port(), {"127.0.0.2", "127.0.0.1"}));
    caller.send(1 - dialer, "found");
    REQUIRE(drive({&caller, &called}, [&] { return !called.sink.frames.empty(); }));
    CHECK(called.sink.frames[0].payload == "found");
    CHECK(mute.accept() != nullptr);
    CHECK(caller.sink.losses.empty());
    CHECK_THAT(errors.text(), Contains("somebody else than rank " + std::to_string(1 - dialer)) &&
                                  Contains("127.0.0.2 (lo) from 127.0.0.1 (lo)"));
}

TEST_CASE("whoever says nothing at the only address may be the peer, and is named")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key, milliseconds(1000));
    TcpRank one(1, 2, key);
    const RawListener listener;
    zero->connect(1, contact_of(one, listener.port(), {"127.0.0.2"}));
    zero.send(1, "anybody?");
    drive_for({&zero}, milliseconds(50));
    CHECK(zero->silent_at(1).empty());  // not for long yet
    drive_for({&zero}, milliseconds(1200));
    CHECK(zero->silent_at(1) == "127.0.0.2 (lo) from 127.0.0.1 (lo)");
    CHECK(zero.sink.losses.empty());
}

TEST_CASE("a busy peer that was dialled at all its addresses ends with one connection")
{
    const int dialer = GENERATE(0, 1);
    const Key key = Key::random();
    TcpRank caller(dialer, 2, key, milliseconds(1000), "lo");  // IPv6, too, where the machine has it
    TcpRank called(1 - dialer, 2, key, milliseconds(1000), "lo");
    const CapturedErrors errors;
    caller.connect(called, 1 - dialer);
    caller.send(1 - dialer, "late");
    drive_for({&caller}, milliseconds(1300));
    REQUIRE(drive({&called, &caller}, [&] { return !called.sink.frames.empty(); }));
    CHECK(called.sink.frames.size() == 1);
    drive_for({&caller, &called}, milliseconds(50));
    CHECK(caller.sink.losses.empty());
    CHECK(called.sink.losses.empty());
    CHECK(caller->is_connected(1 - dialer));
    CHECK(called->is_connected(dialer));
    CHECK(errors.text().empty());
}

TEST_CASE("whoever hangs up is dialled again for the time that an address has, and then given up")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key, milliseconds(300));
    TcpRank one(1, 2, key);
    const RawListener listener;
    zero->connect(1, contact_of(one, listener.port(), {"127.0.0.2"}));
    zero.send(1, "hello?");
    int calls = 0;
    REQUIRE(drive({&zero}, [&] {
        calls += listener.accept() != nullptr;  // and ends at once
        return !zero.sink.losses.empty();
    }));
    CHECK(calls > 1);
    CHECK_THAT(zero.sink.losses[0].reason, Contains("host host0 did not reach host host1") &&
                                               Contains("127.0.0.2 (lo) from 127.0.0.1 (lo)"));
}

TEST_CASE("a peer that drops a rank for an outsider again and again, as that computes, is reached in the end")
{
    const int dialer = GENERATE(0, 1);
    const Key key = Key::random();
    TcpRank caller(dialer, 2, key, milliseconds(1000));
    TcpRank called(1 - dialer, 2, key);
    std::unique_ptr<RawListener> listener = std::make_unique<RawListener>("127.0.0.1");
    caller->connect(1 - dialer, contact_of(called, listener->port(), {"127.0.0.1"}));
    caller.send(1 - dialer, "here at last");
    for (int times = 0; times < 12; ++times)
        REQUIRE(drive({&caller}, [&] { return listener->accept() != nullptr; }));
    std::unique_ptr<RawPeer> from;
    REQUIRE(drive({&caller}, [&] { return (from = listener->accept()) != nullptr; }));
    const RawPeer to(called.port());
    REQUIRE(drive({&caller, &called}, [&] {
        to.write(from->read());
        from->write(to.read());
        return !called.sink.frames.empty();
    }));
    CHECK(caller.sink.losses.empty());
}

TEST_CASE("who computes for longer than a listener waits for its proof is no loss to either")
{
    const Key key = Key::random();
    TcpRank zero(0, 2, key);
    TcpRank one(1, 2, key, milliseconds(30));  // and ten times that once it has heard a hello
    const CapturedErrors errors;
    zero.connect(one, 1);
    zero.send(1, "patience");
    drive_for({&zero}, milliseconds(20));
    drive_for({&one}, milliseconds(20));  // has the hello, and has replied
    REQUIRE(drive({&one}, [&] { return count(errors.text(), "did not finish the handshake in time") == 1; }));
    REQUIRE(drive({&zero, &one}, [&] { return !one.sink.frames.empty(); }));
    CHECK(one.sink.frames[0].payload == "patience");
    CHECK(zero.sink.losses.empty());
    CHECK(one.sink.losses.empty());
}
