#include "transports/ofi/links.hpp"

#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>

#include "tutti/error.hpp"

namespace tutti::transport::ofi {

namespace {

// The version of the messages after the handshake; each transport has its own.
constexpr std::uint32_t kVersion = 0x6f666902;

// The kernel's keepalive: it is answered even while the other rank computes.
void prepare(int fd, int timeout_ms) noexcept
{
    const int step_s = std::max(1, timeout_ms / 5000);
    connection::set_usual_options(fd, {.idle_s = step_s, .interval_s = step_s, .questions = 3});
}

}  // namespace

Links::Links(const security::Key& key, int rank, std::int64_t timeout_ns,
             connection::PeerConnector::Settings settings, LinkUser& user)
    : user_(user),
      timeout_ms_(static_cast<int>(std::clamp<std::int64_t>(timeout_ns / 1'000'000, 1000, 1'000'000))),
      connector_({.key = key,
                  .version = kVersion,
                  .self = connection::rank_identity(rank),
                  .timeout_ns = timeout_ns,
                  .prepare = [this](int fd) { prepare(fd, timeout_ms_); }},
                 std::move(settings), poller_, *this)
{
}

void Links::connected(int rank, base::UniqueFd fd, std::string remote)
{
    // Data to a dead host ends the link as quickly as keepalive does.
    connection::set_option(fd.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, timeout_ms_ * 4 / 5);
    auto made = std::make_unique<Link>(std::move(fd), rank, std::move(remote));
    Link& link = *made;
    links_[&link] = std::move(made);
    touched_.push_back(&link);
    if (!poller_.watch(link.fd(), EPOLLIN, link))
        link.end("it cannot be watched: " + connection::words_of(errno));
    user_.linked(link);
}

void Links::dropped(const std::string& remote, std::string_view why)
{
    user_.outsider(fmt::format("{}: {}", remote, why));
}

void Links::send(Link& link, const LinkMessage& message)
{
    link.send(message);
    if (link.wants_to_write())
        poller_.change(link.fd(), EPOLLIN | EPOLLOUT, link);
    if (link.has_ended())
        touched_.push_back(&link);
}

void Links::drop(Link& link)
{
    link.end("dropped");
    const auto found = links_.find(&link);
    old_links_.push_back(std::move(found->second));
    links_.erase(found);
}

std::size_t Links::look()
{
    std::size_t events = 0;
    for (const epoll_event& event : poller_.wait(0)) {
        auto& watched = *static_cast<connection::Watched*>(event.data.ptr);
        if (&watched == &fabric_)
            continue;
        if (watched.kind != connection::Watched::Kind::owned) {
            events += connector_.on_event(watched);
            continue;
        }
        Link& link = static_cast<Link&>(watched);
        const bool waited = link.wants_to_write();
        link.ready();
        if (waited && !link.wants_to_write() && !link.has_ended())
            poller_.change(link.fd(), EPOLLIN, link);
        touched_.push_back(&link);
        ++events;
    }
    connector_.look();
    for (std::size_t i = 0; i < touched_.size(); ++i)  // the user's answers may add to the list
        deliver(*touched_[i]);
    events += touched_.size();
    touched_.clear();
    old_links_.clear();
    return events;
}

// Also delivers messages that came before the link ended, unless the user has dropped it.
void Links::deliver(Link& link)
{
    while (links_.contains(&link)) {
        if (const auto message = link.take()) {
            user_.take_message(link, *message);
            continue;
        }
        if (link.has_ended()) {
            drop(link);
            user_.ended(link);
        }
        return;
    }
}

void Links::watch_fabric(int descriptor)
{
    if (!poller_.watch(descriptor, EPOLLIN | EPOLLET, fabric_))
        throw Error(ErrorCode::system, "fabric",
                    "its descriptor cannot be watched: " + connection::words_of(errno));
}

void Links::wake_at(std::int64_t time_ns) noexcept
{
    if (time_ns != 0)
        poller_.wake_at(time_ns);
}

void Links::close() noexcept
{
    links_.clear();
    touched_.clear();
    connector_.close_port();
}

}  // namespace tutti::transport::ofi
