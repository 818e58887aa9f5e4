#include "launcher/tree/listener.hpp"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "launcher/job/daemon_record.hpp"
#include "launcher/wire/daemon_link.hpp"

namespace tutti::launcher {

namespace {

/// For the whole handshake; a daemon needs milliseconds.
constexpr std::chrono::seconds kGuestPatience{5};
/// More than these are not listened to at once: the one that has waited longest goes.
constexpr std::size_t kMostGuests = 512;
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

Listener::Listener(EventLoop& loop, const security::Key& key, security::Identity self, Events events)
    : loop_(loop), key_(key), self_(self), events_(std::move(events))
{
    open();
    loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { accept(); });
}

Listener::~Listener()
{
    while (!guests_.empty())
        dismiss(guests_.begin());
    loop_.cancel(pause_);
    loop_.forget(socket_.get());
}

void Listener::open()
{
    sockaddr_in6 address6{};
    address6.sin6_family = AF_INET6;
    sockaddr_in address4{};
    address4.sin_family = AF_INET;
    socket_.reset(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int no = 0;
    ::setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address6), sizeof address6) != 0) {
        // A kernel without IPv6.
        socket_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address4), sizeof address4) != 0)
            throw std::system_error(errno, std::generic_category(), "cannot open a port for daemons");
    }
    sockaddr_in6 bound{};
    socklen_t size = sizeof bound;
    if (::listen(socket_.get(), SOMAXCONN) != 0 ||
        ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot listen for daemons");
    port_ = ntohs(bound.sin6_port);  // at the same place in both families
}

void Listener::accept()
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    UniqueFd fd(
        ::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
        if (errno == EMFILE || errno == ENFILE) {
            // Out of descriptors: without a pause, who waits would wake us again and again.
            loop_.change(socket_.get(), 0);
            pause_ = loop_.after(kPause, [this] { loop_.change(socket_.get(), EPOLLIN); });
        }
        return;
    }
    prepare_link(fd.get());
    if (guests_.size() >= kMostGuests)
        refuse(guests_.begin(), "it said nothing, and others came");
    const int number = fd.get();
    const auto guest = guests_.insert(
        guests_.end(), Guest{std::move(fd), security::Handshake::listen(key_, kDaemonProtocol, self_),
                             address_text(address)});
    guest->timer = loop_.after(kGuestPatience, [this, guest] {
        refuse(guest, "it did not prove within 5 s that it belongs to the job");
    });
    loop_.watch(number, EPOLLIN, [this, guest](std::uint32_t) { talk(guest); });
}

void Listener::talk(Guests::iterator guest)
{
    using State = security::Handshake::State;
    security::Handshake& handshake = guest->handshake;
    while (handshake.state() == State::under_way) {
        std::array<std::byte, security::Handshake::kMostBytes> buffer;
        // No more than the handshake takes: what follows belongs to the frames.
        const ssize_t bytes = ::recv(guest->fd.get(), buffer.data(), handshake.wanted(), 0);
        if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (bytes <= 0) {
            // A daemon tries several addresses, and leaves those that it does not need without a word. A
            // stranger who says nothing wrong is not worth one either.
            dismiss(guest);
            return;
        }
        handshake.take({buffer.data(), static_cast<std::size_t>(bytes)});
        send(*guest);
    }
    if (handshake.state() == State::failed) {
        refuse(guest, std::string(handshake.reason()));
        return;
    }
    const security::Identity peer = handshake.peer();
    if (peer.kind != security::Identity::Kind::daemon) {
        refuse(guest, "it is no daemon");
        return;
    }
    UniqueFd stream = std::move(guest->fd);
    loop_.forget(stream.get());
    loop_.cancel(guest->timer);
    guests_.erase(guest);
    events_.joined(peer.number, std::move(stream));
}

/// A message of the handshake is far smaller than what the kernel takes from a new connection.
void Listener::send(Guest& guest)
{
    const auto bytes = guest.handshake.outgoing();
    if (!bytes.empty()) {
        const ssize_t sent = ::send(guest.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        guest.handshake.sent(sent > 0 ? static_cast<std::size_t>(sent) : 0);
    }
}

void Listener::refuse(Guests::iterator guest, const std::string& reason)
{
    const std::string address = guest->address;
    dismiss(guest);
    events_.refused(address, reason);
}

void Listener::dismiss(Guests::iterator guest)
{
    loop_.forget(guest->fd.get());
    loop_.cancel(guest->timer);
    guests_.erase(guest);
}

}  // namespace tutti::launcher
