// The way to one peer: who hangs up, who listens no more, who is somebody else, and which addresses are
// tried.
#include "lib/foundation/connection/dialer.hpp"

#include <catch2/catch.hpp>

#include <sys/socket.h>

#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include "lib/foundation/base/clock.hpp"

using namespace tutti;
using namespace tutti::connection;
using Catch::Matchers::Contains;
using State = PendingConnection::State;
using std::chrono::milliseconds;

namespace {

constexpr security::Identity kDialer{security::Identity::Kind::rank, 1};
constexpr security::Identity kListener{security::Identity::Kind::rank, 0};

ConnectionOptions options_of(const security::Key& key, security::Identity self, milliseconds timeout)
{
    return {.key = key, .version = 7, .self = self, .timeout_ns = std::chrono::nanoseconds(timeout).count()};
}

network::HostAddress host_address(const char* text)
{
    return {*network::IpAddress::parse(text), 8, "lo"};
}

network::Candidate way(const char* to, const char* from = "127.0.0.1")
{
    return {{host_address(from), 1}, host_address(to)};
}

/// Where a rank would listen.
struct Port {
    ListeningSocket socket = listen_at(std::array{network::LocalAddress{host_address("127.0.0.1"), 1}},
                                       options_of(security::Key::random(), kListener, milliseconds(1)));

    base::UniqueFd accept() const
    {
        return base::UniqueFd(accept4(socket.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    }
};

/// What its owner would do: what is ready before what is late.
void pass(Dialer& dialer, Poller& poller)
{
    for (const epoll_event& event : poller.wait(1)) {
        auto& watched = *static_cast<Watched*>(event.data.ptr);
        if (watched.kind == Watched::Kind::pending)
            dialer.advance(static_cast<PendingConnection&>(watched), base::now_ns());
    }
    poller.clear_alarm();
    dialer.look(base::now_ns());
}

bool is_over(Dialer& dialer)
{
    return dialer.has_failed() || dialer.in(State::proved) != nullptr;
}

/// The other end of a connection, as a rank has it.
struct Pending {
    Pending(base::UniqueFd fd, const security::Key& key)
        : connection(std::move(fd), security::Handshake::listen(key, 7, kListener), "there", nullptr)
    {
    }
    PendingConnection connection;
};

}  // namespace

TEST_CASE("who hangs up without a word is dialled again")
{
    const security::Key key = security::Key::random();
    const ConnectionOptions options = options_of(key, kDialer, milliseconds(10'000));
    const Port port;
    Poller poller;
    Dialer dialer(options, poller, kListener, port.socket.port, {way("127.0.0.1")});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int closed = 0;
    std::optional<Pending> other_end;
    while (!is_over(dialer) && std::chrono::steady_clock::now() < deadline) {
        pass(dialer, poller);
        if (base::UniqueFd fd = port.accept()) {
            if (closed < 3)
                ++closed;
            else
                other_end.emplace(std::move(fd), key);
        }
        if (other_end)
            other_end->connection.advance();
    }
    CHECK(dialer.in(State::proved) != nullptr);
    CHECK(closed == 3);
}

TEST_CASE("who always hangs up without a word is given up when the time is over")
{
    const auto kept = milliseconds(GENERATE(0, 200));
    const ConnectionOptions options = options_of(security::Key::random(), kDialer, milliseconds(1000));
    const Port port;
    Poller poller;
    Dialer dialer(options, poller, kListener, port.socket.port, {way("127.0.0.1")});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int closed = 0;
    base::UniqueFd pending;
    auto close_at = std::chrono::steady_clock::now();
    while (!dialer.has_failed() && std::chrono::steady_clock::now() < deadline) {
        pass(dialer, poller);
        if (pending && std::chrono::steady_clock::now() >= close_at) {
            pending.reset();
            ++closed;
        } else if (!pending) {
            pending = port.accept();
            close_at = std::chrono::steady_clock::now() + kept;
        }
    }
    REQUIRE(dialer.has_failed());
    CHECK(closed > 3);
    CHECK_FALSE(dialer.was_refused());
    CHECK_THAT(dialer.failure(), Contains("127.0.0.1 (lo) from 127.0.0.1 (lo): "));
}

TEST_CASE("who hangs up again and again on a rank that computes is reached in the end")
{
    const bool with_reset = GENERATE(false, true);
    const security::Key key = security::Key::random();
    const ConnectionOptions options = options_of(key, kDialer, milliseconds(200));
    const Port port;
    Poller poller;
    Dialer dialer(options, poller, kListener, port.socket.port, {way("127.0.0.1")});
    for (int times = 0; times < 4; ++times) {
        base::UniqueFd fd;
        while (!(fd = port.accept()))
            pass(dialer, poller);
        // Before the dialer has looked at it.
        const linger at_once{.l_onoff = with_reset, .l_linger = 0};
        REQUIRE(setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
        fd.reset();
        std::this_thread::sleep_for(milliseconds(200));
        pass(dialer, poller);
        REQUIRE_FALSE(is_over(dialer));
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::optional<Pending> other_end;
    while (!is_over(dialer) && std::chrono::steady_clock::now() < deadline) {
        pass(dialer, poller);
        if (base::UniqueFd fd = port.accept())
            other_end.emplace(std::move(fd), key);
        if (other_end)
            other_end->connection.advance();
    }
    CHECK(dialer.in(State::proved) != nullptr);
}

TEST_CASE("who hangs up and listens no more has ended")
{
    const ConnectionOptions options = options_of(security::Key::random(), kDialer, milliseconds(10'000));
    Port port;
    Poller poller;
    Dialer dialer(options, poller, kListener, port.socket.port, {way("127.0.0.1")});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!dialer.has_failed() && std::chrono::steady_clock::now() < deadline) {
        pass(dialer, poller);
        if (port.accept())
            port.socket.fd.reset();
    }
    CHECK(dialer.has_failed());
    CHECK(dialer.was_refused());
}

TEST_CASE("a connection goes out from the address that was chosen for it")
{
    const ConnectionOptions options = options_of(security::Key::random(), kDialer, milliseconds(1000));
    const Port port;
    Poller poller;
    const Dialer dialer(options, poller, kListener, port.socket.port, {way("127.0.0.1", "127.0.0.5")});
    base::UniqueFd accepted;
    while (!accepted)
        accepted = port.accept();
    CHECK_THAT(name_of_other_end(accepted.get()), Catch::StartsWith("127.0.0.5:"));

    // An address that this host does not have says so.
    network::Candidate elsewhere = way("127.0.0.1", "192.0.2.1");
    elsewhere.from.interface = "eth9";
    const Dialer other(options, poller, kListener, port.socket.port, {elsewhere});
    CHECK(other.has_failed());
    CHECK(other.failure() == "127.0.0.1 (lo) from 192.0.2.1 (eth9): Cannot assign requested address");
}

TEST_CASE("waiting ends with a proof, and otherwise names what became of each address")
{
    const security::Key key = security::Key::random();
    const ConnectionOptions options = options_of(key, kDialer, milliseconds(10'000));
    const Port port;
    Poller poller;
    // Nobody is at the first address; the routes choose where the second is dialled from.
    Dialer dialer(options, poller, kListener, port.socket.port,
                  {way("127.0.0.2"), way("127.0.0.1", "0.0.0.0")}, 50'000'000);
    std::optional<Pending> other_end;
    const std::int64_t deadline_ns = base::now_ns() + 30'000'000'000;
    std::unique_ptr<PendingConnection> proved;
    while (proved == nullptr && base::now_ns() < deadline_ns) {
        proved = dialer.wait(base::now_ns() + 1'000'000);
        if (base::UniqueFd fd = port.accept())
            other_end.emplace(std::move(fd), key);
        if (other_end)
            other_end->connection.advance();
    }
    REQUIRE(proved != nullptr);
    CHECK(proved->peer() == kListener);
    CHECK(dialer.failure() == "127.0.0.2 (lo) from 127.0.0.1 (lo): Connection refused");

    Dialer late(options, poller, kListener, port.socket.port, {way("127.0.0.1", "0.0.0.0")});
    CHECK(late.wait(base::now_ns() + 10'000'000) == nullptr);
    CHECK(late.failure() == "127.0.0.1: no answer");
}
