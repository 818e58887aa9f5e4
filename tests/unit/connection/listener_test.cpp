// Who comes to a port: those who prove themselves arrive, the others are bounded and dropped, each with a
// reason.
#include "lib/foundation/connection/listener.hpp"

#include <catch2/catch.hpp>

#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/connection/dialer.hpp"

using namespace tutti;
using namespace tutti::connection;

namespace {

constexpr security::Identity kHead{security::Identity::Kind::head, 0};

network::LocalAddress own(const char* text)
{
    return {{*network::IpAddress::parse(text), 8, "lo"}, 1};
}

/// A port, and what its owner hears of it.
struct TestPort final : Listener::User {
    TestPort(Listener::Limits limits, std::chrono::nanoseconds timeout)
        : options{.key = key, .version = 7, .self = kHead, .timeout_ns = timeout.count()},
          listener(options, poller, {own("127.0.0.1")}, limits, *this)
    {
    }

    void arrived(PendingConnection& pending) override { came.push_back(listener.take(pending)); }
    void dropped(const std::string& remote, std::string_view why) override
    {
        CHECK(remote.starts_with("127.0.0.1:"));
        reasons.emplace_back(why);
    }

    /// Until `done()`; false when that does not come within 20 s.
    template <class Done>
    bool serve_until(Done&& done)
    {
        const std::int64_t deadline_ns = base::now_ns() + 20'000'000'000;
        while (!done()) {
            if (base::now_ns() > deadline_ns)
                return false;
            listener.serve(poller.wait(1));
        }
        return true;
    }
    base::UniqueFd visit() const
    {
        base::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        socklen_t size = 0;
        const auto to = network::IpAddress::parse("127.0.0.1")->to_sockaddr(listener.port(), 0, size);
        REQUIRE(connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), size) == 0);
        return fd;
    }

    security::Key key = security::Key::random();
    ConnectionOptions options;
    Poller poller;
    std::vector<std::unique_ptr<PendingConnection>> came;
    std::vector<std::string> reasons;
    Listener listener;
};

}  // namespace

TEST_CASE("who proves itself arrives, and what it says next is still to be read")
{
    TestPort port({}, std::chrono::seconds(20));
    const ConnectionOptions options{.key = port.key,
                                    .version = 7,
                                    .self = {security::Identity::Kind::daemon, 5},
                                    .timeout_ns = 20'000'000'000};
    Poller poller;
    Dialer dialer(options, poller, kHead, port.listener.port(),
                  {{own("127.0.0.1"), {*network::IpAddress::parse("127.0.0.1"), 8, "lo"}}});
    std::unique_ptr<PendingConnection> dialled;
    REQUIRE(port.serve_until([&] {
        if (dialled == nullptr && (dialled = dialer.wait(base::now_ns() + 1'000'000)) != nullptr)
            REQUIRE(send(dialled->fd(), "!", 1, MSG_NOSIGNAL) == 1);
        return !port.came.empty();
    }));
    CHECK(port.came[0]->peer() == options.self);
    CHECK_FALSE(port.listener.has_pending());
    char next = 0;
    const base::UniqueFd fd = port.came[0]->release();
    REQUIRE(port.serve_until([&] { return recv(fd.get(), &next, 1, MSG_DONTWAIT) == 1; }));
    CHECK(next == '!');
    CHECK(port.reasons.empty());
}

TEST_CASE("outsiders are bounded in number and in time, and told of with the reason")
{
    TestPort port({.outsiders = 2}, std::chrono::seconds(2));
    const base::UniqueFd first = port.visit();
    const base::UniqueFd second = port.visit();
    const base::UniqueFd third = port.visit();
    REQUIRE(port.serve_until([&] { return !port.reasons.empty(); }));
    CHECK(port.reasons[0] == "too many connections that prove nothing");
    char byte = 0;
    CHECK(recv(first.get(), &byte, 1, 0) == 0);  // the oldest has gone
    REQUIRE(send(second.get(), "GET / HTTP/1.1", 14, MSG_NOSIGNAL) == 14);
    REQUIRE(port.serve_until([&] { return port.reasons.size() == 3; }));
    CHECK(port.reasons[1] == "it does not speak Tutti's protocol");
    CHECK(port.reasons[2] == "it did not finish the handshake in time");
    CHECK_FALSE(port.listener.has_pending());
    CHECK(port.came.empty());
}

TEST_CASE("the time in which a port is not served does not count against those who come")
{
    constexpr std::chrono::milliseconds kTimeout(400);
    TestPort port({.patience_with_hello = 1}, kTimeout);
    const ConnectionOptions options{.key = port.key,
                                    .version = 7,
                                    .self = {security::Identity::Kind::daemon, 5},
                                    .timeout_ns = 20'000'000'000};
    Poller poller;
    Dialer dialer(options, poller, kHead, port.listener.port(),
                  {{own("127.0.0.1"), {*network::IpAddress::parse("127.0.0.1"), 8, "lo"}}});
    const base::UniqueFd silent = port.visit();
    REQUIRE(port.serve_until([&] { return port.listener.has_pending(); }));
    // Stopped between any two steps of the handshake.
    std::unique_ptr<PendingConnection> dialled;
    while (port.came.empty() && port.reasons.empty()) {
        std::this_thread::sleep_for(kTimeout * 3 / 2);
        if (dialled == nullptr)
            dialled = dialer.wait(base::now_ns() + 1'000'000);
        port.listener.serve(port.poller.wait(0));
    }
    CHECK(port.reasons.empty());
    REQUIRE(port.came.size() == 1);
    CHECK(port.came[0]->peer() == options.self);
    // While it is served, silence counts.
    const std::int64_t served_ns = base::now_ns();
    REQUIRE(port.serve_until([&] { return !port.reasons.empty(); }));
    CHECK(port.reasons[0] == "it did not finish the handshake in time");
    CHECK(base::now_ns() - served_ns <= 10 * std::chrono::nanoseconds(kTimeout).count());
}

TEST_CASE("who goes again without a word is not told of, and a closed port takes nobody")
{
    TestPort port({}, std::chrono::seconds(20));
    {
        const base::UniqueFd pending = port.visit();
        REQUIRE(port.serve_until([&] { return port.listener.has_pending(); }));
    }
    REQUIRE(port.serve_until([&] { return !port.listener.has_pending(); }));
    CHECK(port.reasons.empty());
    const auto there = network::IpAddress::parse("127.0.0.1");
    socklen_t size = 0;
    const auto to = there->to_sockaddr(port.listener.port(), 0, size);
    port.listener.close();
    const base::UniqueFd late(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK(connect(late.get(), reinterpret_cast<const sockaddr*>(&to), size) != 0);
}
