#include "lib/foundation/connection/listener.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "tutti/error.hpp"

namespace tutti::connection {

namespace {

constexpr std::size_t kAcceptedAPass = 64;  // other work must get its turn
constexpr std::int64_t kNoFilesPauseNs = 200'000'000;
// Looks within the time that a pending connection has. They are counted in place of seconds: a process that
// was stopped, or has computed, has not looked meanwhile, and the other end may have answered long ago.
constexpr std::int64_t kLooks = 10;

}  // namespace

Listener::Listener(const ConnectionOptions& options, Poller& poller,
                   std::vector<network::LocalAddress> addresses, Limits limits, User& user)
    : options_(options),
      poller_(poller),
      addresses_(std::move(addresses)),
      limits_(limits),
      user_(user),
      socket_(listen_at(addresses_, options))
{
    if (!poller_.watch(socket_.fd.get(), EPOLLIN, watched_))
        throw Error(ErrorCode::system, "listen", words_of(errno));
}

void Listener::accept()
{
    for (std::size_t i = 0; i < kAcceptedAPass; ++i) {
        base::UniqueFd fd(accept4(socket_.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (fd) {
            add(std::move(fd));
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            // A caller that waits at the port would wake us again and again.
            user_.out_of_files(words_of(errno));
            poller_.forget(socket_.fd.get());
            accept_again_ns_ = base::now_ns() + kNoFilesPauseNs;
            poller_.wake_at(accept_again_ns_);
        }
        return;
    }
}

void Listener::add(base::UniqueFd fd)
{
    std::string remote = name_of_other_end(fd.get());
    const auto own = own_address_of(fd.get());
    if (!addresses_.empty() &&
        std::ranges::find(addresses_, own, &network::LocalAddress::address) == addresses_.end()) {
        const std::vector<network::HostAddress> chosen(addresses_.begin(), addresses_.end());
        return user_.dropped(remote,
                             fmt::format("it came to {}, which is not among the addresses chosen: {}",
                                         own ? own->to_string() : "an unknown address", describe(chosen)));
    }
    if (options_.prepare)
        options_.prepare(fd.get());
    auto pending = std::make_unique<PendingConnection>(
        std::move(fd), security::Handshake::listen(options_.key, options_.version, options_.self),
        std::move(remote), nullptr);
    if (!poller_.watch(pending->fd(), EPOLLIN, *pending))
        return;
    if (pending_.empty())
        next_look_ns_ = base::now_ns() + options_.timeout_ns / kLooks;
    poller_.wake_at(next_look_ns_);
    PendingConnection& added = *pending;
    pending_.push_back({std::move(pending)});
    advance(added);  // its hello has probably arrived already
    limit();
}

bool Listener::advance(PendingConnection& pending)
{
    const bool moved = pending.advance();
    if (pending.state() == PendingConnection::State::failed) {
        // A connection whose other end leaves silently, or after a valid hello, is not worth a message.
        const bool quiet = pending.was_left() && (!pending.has_received_anything() || pending.has_hello());
        drop(pending, quiet ? "" : pending.failure());
    } else if (pending.state() != PendingConnection::State::handshake) {
        user_.arrived(pending);
    } else {
        return moved;
    }
    return true;
}

void Listener::serve(std::span<const epoll_event> events)
{
    bool connections_came = false;
    for (const epoll_event& event : events) {
        auto& watched = *static_cast<Watched*>(event.data.ptr);
        if (watched.kind == Watched::Kind::pending)
            advance(static_cast<PendingConnection&>(watched));  // and may destroy it
        else if (watched.kind == Watched::Kind::listener)
            connections_came = true;
    }
    if (connections_came)
        accept();
    poller_.clear_alarm();
    if (const std::int64_t next_ns = look(base::now_ns()); next_ns != kNever)
        poller_.wake_at(next_ns);
}

std::unique_ptr<PendingConnection> Listener::take(PendingConnection& pending)
{
    const auto found =
        std::ranges::find_if(pending_, [&](const Pending& one) { return one.connection.get() == &pending; });
    auto taken = std::move(found->connection);
    pending_.erase(found);
    poller_.forget(taken->fd());
    return taken;
}

void Listener::drop(PendingConnection& pending, std::string_view why)
{
    const auto dropped = take(pending);
    if (!why.empty())
        user_.dropped(dropped->remote(), why);
}

void Listener::limit()
{
    const auto drop_oldest_beyond = [&](std::size_t most, const auto& counts) {
        const auto fits = [&](const Pending& pending) { return counts(*pending.connection); };
        if (pending_.size() > most && static_cast<std::size_t>(std::ranges::count_if(pending_, fits)) > most)
            drop(*std::ranges::find_if(pending_, fits)->connection,
                 "too many connections that prove nothing");
    };
    drop_oldest_beyond(limits_.outsiders, [](const auto& pending) { return !pending.has_hello(); });
    if (pending_.empty() || !pending_.back().connection->has_hello())
        return;
    const security::Identity claimed = pending_.back().connection->peer();
    drop_oldest_beyond(limits_.alike,
                       [&](const auto& pending) { return pending.has_hello() && pending.peer() == claimed; });
}

std::int64_t Listener::look(std::int64_t now_ns)
{
    if (!pending_.empty() && now_ns >= next_look_ns_) {
        next_look_ns_ = now_ns + options_.timeout_ns / kLooks;
        for (std::size_t i = pending_.size(); i-- > 0;) {
            PendingConnection& pending = *pending_[i].connection;
            const std::int64_t patience = pending.has_hello() ? limits_.patience_with_hello : 1;
            if (++pending_[i].looks > patience * kLooks)
                drop(pending, "it did not finish the handshake in time");
        }
    }
    const std::int64_t next_ns = pending_.empty() ? kNever : next_look_ns_;
    if (accept_again_ns_ == 0)
        return next_ns;
    if (now_ns < accept_again_ns_)
        return std::min(next_ns, accept_again_ns_);
    accept_again_ns_ = 0;
    poller_.watch(socket_.fd.get(), EPOLLIN, watched_);
    return next_ns;
}

void Listener::close() noexcept
{
    if (socket_.fd)
        poller_.forget(socket_.fd.get());
    socket_.fd.reset();
    pending_.clear();  // epoll drops closed descriptors by itself
    accept_again_ns_ = 0;
}

}  // namespace tutti::connection
