// A link whose other end closes it without a word: a rank with too many strangers does so, and a rank that
// has ended.
#include "transports/ofi/link.hpp"

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "lib/foundation/base/clock.hpp"

using namespace tutti;
using namespace tutti::transport::ofi;
using Catch::Matchers::Contains;

namespace {

/// Where a rank would listen.
struct LinkListener {
    LinkListener() : fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        auto* const raw = reinterpret_cast<sockaddr*>(&at);
        REQUIRE(bind(fd.get(), raw, size) == 0);
        REQUIRE(listen(fd.get(), 10) == 0);
        REQUIRE(getsockname(fd.get(), raw, &size) == 0);
        const network::LocalAddress here{{*network::IpAddress::of(*raw), 8, "lo"}, 1};
        ways = {{{here, here}, ntohs(at.sin_port)}};
    }
    base::UniqueFd accepted() const
    {
        return base::UniqueFd(accept4(fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    }

    base::UniqueFd fd;
    std::vector<Way> ways;
};

/// As Links would: what is ready before what is late.
void drive_link(Link& link)
{
    pollfd ready{.fd = link.descriptor(), .events = POLLIN, .revents = 0};
    if (link.wants_to_write())
        ready.events |= POLLOUT;
    if (poll(&ready, 1, 1) == 1)
        link.ready();
    if (link.deadline_ns() && *link.deadline_ns() <= base::now_ns())
        link.on_deadline();
}

/// Closes the connection that comes next, before the dialer has looked at it.
void hang_up_on(Link& dialer, const LinkListener& listener, bool with_reset)
{
    while (dialer.state() == Link::State::connecting) {
        if (const base::UniqueFd connection = listener.accepted()) {
            const linger at_once{.l_onoff = with_reset, .l_linger = 0};
            REQUIRE(setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) == 0);
            return;
        }
        if (dialer.descriptor() < 0)
            drive_link(dialer);
    }
}

}  // namespace

TEST_CASE("who closes a link without a word is asked again")
{
    const security::Key key = security::Key::random();
    const LinkSettings dialer_settings{key, 1, 10'000'000'000};
    const LinkSettings listener_settings{key, 0, 10'000'000'000};
    LinkListener listener;
    Link dialer(dialer_settings, 0, listener.ways);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int closed = 0;
    std::optional<Link> other_end;
    while (dialer.state() != Link::State::proved && dialer.state() != Link::State::ended &&
           std::chrono::steady_clock::now() < deadline) {
        drive_link(dialer);
        if (base::UniqueFd connection = listener.accepted()) {
            if (closed < 3)
                ++closed;
            else
                other_end.emplace(listener_settings, std::move(connection), "here");
        }
        if (other_end)
            drive_link(*other_end);
    }
    CHECK(dialer.reason() == "");
    CHECK(dialer.state() == Link::State::proved);
    CHECK(closed == 3);
}

TEST_CASE("who always closes a link without a word is given up when the time is over")
{
    const auto kept = std::chrono::milliseconds(GENERATE(0, 200));
    const LinkSettings settings{security::Key::random(), 1, 1'000'000'000};
    LinkListener listener;
    Link dialer(settings, 0, listener.ways);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int closed = 0;
    base::UniqueFd guest;
    auto close_at = std::chrono::steady_clock::now();
    while (dialer.state() != Link::State::ended && std::chrono::steady_clock::now() < deadline) {
        drive_link(dialer);
        if (guest && std::chrono::steady_clock::now() >= close_at) {
            guest.reset();
            ++closed;
        } else if (!guest) {
            guest = listener.accepted();
            close_at = std::chrono::steady_clock::now() + kept;
        }
    }
    REQUIRE(dialer.state() == Link::State::ended);
    CHECK(closed > 3);
    CHECK_FALSE(dialer.was_refused());
    CHECK_THAT(dialer.reason(), Contains("127.0.0.1:"));  // and either end's word for it
}

TEST_CASE("who closes a link again and again on a rank that computes is reached in the end")
{
    const bool with_reset = GENERATE(false, true);
    const security::Key key = security::Key::random();
    const LinkSettings dialer_settings{key, 1, 200'000'000};
    const LinkSettings listener_settings{key, 0, 10'000'000'000};
    LinkListener listener;
    Link dialer(dialer_settings, 0, listener.ways);
    for (int times = 0; times < 4; ++times) {
        hang_up_on(dialer, listener, with_reset);
        std::this_thread::sleep_for(std::chrono::nanoseconds(dialer_settings.timeout_ns));
        drive_link(dialer);
        CHECK(dialer.reason() == "");
        REQUIRE(dialer.state() == Link::State::connecting);
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::optional<Link> other_end;
    while (dialer.state() != Link::State::proved && dialer.state() != Link::State::ended &&
           std::chrono::steady_clock::now() < deadline) {
        drive_link(dialer);
        if (base::UniqueFd connection = listener.accepted())
            other_end.emplace(listener_settings, std::move(connection), "here");
        if (other_end)
            drive_link(*other_end);
    }
    CHECK(dialer.reason() == "");
    CHECK(dialer.state() == Link::State::proved);
}

TEST_CASE("who closes a link and listens no more has ended")
{
    const LinkSettings settings{security::Key::random(), 1, 10'000'000'000};
    LinkListener listener;
    Link dialer(settings, 0, listener.ways);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (dialer.state() != Link::State::ended && std::chrono::steady_clock::now() < deadline) {
        drive_link(dialer);
        if (listener.accepted())
            listener.fd.reset();
    }
    CHECK(dialer.state() == Link::State::ended);
    CHECK(dialer.was_refused());
}
