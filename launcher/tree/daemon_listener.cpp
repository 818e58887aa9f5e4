#include "launcher/tree/daemon_listener.hpp"

#include <net/if.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/wire/connection.hpp"
#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/connection/dialer.hpp"

namespace tutti::launcher {

namespace {

/// For the whole handshake; a daemon needs milliseconds.
constexpr std::chrono::nanoseconds kHandshakeTimeout = std::chrono::seconds(5);
/// More than these are not listened to at once: the one that has waited longest goes.
constexpr std::size_t kMostPending = 512;

constexpr std::chrono::nanoseconds kJoinPatience = std::chrono::seconds(10);  // for all addresses together
constexpr std::chrono::nanoseconds kHeadStart = std::chrono::milliseconds(250);

/// From whichever address the routes choose.
std::vector<network::Candidate> candidates(const DaemonRecord& record)
{
    std::vector<std::string> addresses;
    if (const std::string text = environment_variable("SSH_CONNECTION"); !text.empty())
        addresses.push_back(text.substr(0, text.find(' ')));  // the client's address comes first
    for (const std::string& address : record.addresses)
        if (std::ranges::find(addresses, address) == addresses.end())
            addresses.push_back(address);
    std::vector<network::Candidate> ways;
    for (const std::string& text : addresses) {
        const std::size_t percent = text.find('%');
        const auto to = network::IpAddress::parse(text.substr(0, percent));
        if (!to)
            continue;
        network::LocalAddress from{{*network::IpAddress::parse(to->is_v4() ? "0.0.0.0" : "::"), 0, {}}};
        if (percent != std::string::npos)
            from.interface_index = ::if_nametoindex(text.c_str() + percent + 1);
        ways.push_back({from, {*to, 0, {}}});
    }
    return ways;
}

}  // namespace

DaemonListener::DaemonListener(EventLoop& loop, const security::Key& key, security::Identity self,
                               Events events)
    : loop_(loop),
      events_(std::move(events)),
      options_{.key = key,
               .version = kDaemonProtocol,
               .self = self,
               .timeout_ns = kHandshakeTimeout.count(),
               .prepare = prepare_link},
      listener_(options_, poller_, {},
                {.outsiders = kMostPending, .alike = kMostPending, .patience_with_hello = 1}, *this)
{
    loop_.watch(poller_.fd(), EPOLLIN, [this](std::uint32_t) { listener_.serve(poller_.wait(0)); });
}

DaemonListener::~DaemonListener()
{
    loop_.forget(poller_.fd());
}

void DaemonListener::arrived(connection::PendingConnection& pending)
{
    const security::Identity who = pending.peer();
    if (who.kind != security::Identity::Kind::daemon)
        listener_.drop(pending, "it is no daemon");
    else
        events_.joined(who.number, listener_.take(pending)->release());
}

void DaemonListener::dropped(const std::string& remote, std::string_view why)
{
    events_.refused(remote.substr(0, remote.rfind(':')), why);
}

UniqueFd join_job(const DaemonRecord& record, int node)
{
    const connection::ConnectionOptions options{
        .key = record.key,
        .version = kDaemonProtocol,
        .self = {security::Identity::Kind::daemon, static_cast<std::uint32_t>(node)},
        .timeout_ns = kJoinPatience.count(),
        .prepare = prepare_link};
    connection::Poller poller;
    connection::Dialer dialer(options, poller, record.parent, record.port, candidates(record),
                              kHeadStart.count());
    if (const auto joined = dialer.wait(base::now_ns() + kJoinPatience.count()))
        return joined->release();
    throw std::runtime_error(
        fmt::format("cannot connect back to tuttirun at port {} ({}); a firewall must let this host connect "
                    "there, on one of these addresses",
                    record.port, dialer.failure()));
}

}  // namespace tutti::launcher
