#include "launcher/tree/listener.hpp"

#include "launcher/job/daemon_record.hpp"
#include "launcher/wire/daemon_link.hpp"

namespace tutti::launcher {

namespace {

/// For the whole handshake; a daemon needs milliseconds.
constexpr std::chrono::nanoseconds kGuestPatience = std::chrono::seconds(5);
/// More than these are not listened to at once: the one that has waited longest goes.
constexpr std::size_t kMostGuests = 512;

}  // namespace

Listener::Listener(EventLoop& loop, const security::Key& key, security::Identity self, Events events)
    : loop_(loop),
      events_(std::move(events)),
      options_{.key = key,
               .version = kDaemonProtocol,
               .self = self,
               .timeout_ns = kGuestPatience.count(),
               .prepare = prepare_link},
      listener_(options_, poller_, {},
                {.strangers = kMostGuests, .alike = kMostGuests, .patience_with_hello = 1}, *this)
{
    loop_.watch(poller_.fd(), EPOLLIN, [this](std::uint32_t) { listener_.serve(poller_.wait(0)); });
}

Listener::~Listener()
{
    loop_.forget(poller_.fd());
}

void Listener::arrived(connection::PendingConnection& guest)
{
    const security::Identity who = guest.peer();
    if (who.kind != security::Identity::Kind::daemon)
        listener_.drop(guest, "it is no daemon");
    else
        events_.joined(who.number, listener_.take(guest)->release());
}

void Listener::dropped(const std::string& remote, std::string_view why)
{
    events_.refused(remote.substr(0, remote.rfind(':')), why);
}

}  // namespace tutti::launcher
