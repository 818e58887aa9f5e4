#include "transports/ofi/links.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::ofi {

namespace {

constexpr int kBacklog = 4096;  // a whole job may dial at once
// Those who have a link want their turn, however many others come.
constexpr std::size_t kMostAcceptedAPass = 64;

// What epoll knows of descriptors that are no link's.
constexpr std::uint64_t kTimer = 1;
constexpr std::uint64_t kFabric = 2;
constexpr std::uint64_t kListener = 1u << 16;  // and the listener's number; no address is as low

[[noreturn]] void fail(const std::string& what)
{
    throw Error(ErrorCode::system, "fabric", fmt::format("{}: {}", what, std::strerror(errno)));
}

void watch_descriptor(int epoll, int descriptor, std::uint32_t events, std::uint64_t data)
{
    epoll_event event{};
    event.events = events;
    event.data.u64 = data;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
        fail("epoll_ctl");
}

std::string name_of(const sockaddr_storage& peer)
{
    const auto address = network::IpAddress::of(reinterpret_cast<const sockaddr&>(peer));
    const auto port = peer.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(peer).sin6_port
                                                 : reinterpret_cast<const sockaddr_in&>(peer).sin_port;
    return address ? address->with_port(ntohs(port)) : "an unknown address";
}

}  // namespace

Links::Links(const LinkSettings& settings, std::span<const network::LocalAddress> addresses,
             std::size_t most_strangers, LinkUser& user)
    : settings_(settings),
      most_strangers_(most_strangers),
      user_(user),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      spare_(open("/dev/null", O_RDONLY | O_CLOEXEC))
{
    if (!epoll_ || !timer_ || !spare_)
        fail("a descriptor to sleep on");
    watch_descriptor(epoll_.get(), timer_.get(), EPOLLIN, kTimer);
    for (const network::LocalAddress& address : addresses)
        listen_at(address);
}

Links::~Links()
{
    close();
}

void Links::listen_at(const network::LocalAddress& address)
{
    socklen_t size = 0;
    const unsigned scope = address.address.is_link_local() ? address.interface_index : 0;
    auto at = address.address.to_sockaddr(0, scope, size);
    base::UniqueFd listener(socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    auto* const raw = reinterpret_cast<sockaddr*>(&at);
    if (!listener || bind(listener.get(), raw, size) != 0 || listen(listener.get(), kBacklog) != 0 ||
        getsockname(listener.get(), raw, &size) != 0)
        fail(fmt::format("cannot listen on {} ({})", address.address.to_string(), address.interface));
    const auto port = at.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(at).sin6_port
                                               : reinterpret_cast<const sockaddr_in&>(at).sin_port;
    doors_.push_back({address, ntohs(port)});
    watch_descriptor(epoll_.get(), listener.get(), EPOLLIN, kListener + listeners_.size());
    listeners_.push_back(std::move(listener));
}

Link& Links::dial(int peer, std::vector<Way> ways)
{
    Link& link = adopt(std::make_unique<Link>(settings_, peer, std::move(ways)));
    set_timer();
    return link;
}

Link& Links::adopt(std::unique_ptr<Link> link)
{
    Link& adopted = *link;
    Watched& watched = links_[&adopted];
    watched.link = std::move(link);
    watched.number = adopted_++;
    watch(watched);
    touched_.push_back(&adopted);
    return adopted;
}

void Links::send(Link& link, const LinkMessage& message)
{
    link.send(message);
    if (link.state() == Link::State::ended)
        touched_.push_back(&link);
    else
        watch(links_.at(&link));
}

void Links::drop(Link& link)
{
    links_.at(&link).told_ended = true;
    link.end("dropped");
    touched_.push_back(&link);
}

// Has epoll know the link's descriptor as it is now.
void Links::watch(Watched& watched)
{
    Link& link = *watched.link;
    const bool writing = link.wants_to_write();
    const bool known = watched.attempt == link.attempt() + 1;
    if (link.state() == Link::State::ended || link.descriptor() < 0 || (known && watched.writing == writing))
        return;
    epoll_event event{};
    event.events = EPOLLIN | (writing ? static_cast<std::uint32_t>(EPOLLOUT) : 0u);
    event.data.ptr = &link;
    if (epoll_ctl(epoll_.get(), known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, link.descriptor(), &event) != 0) {
        link.end(fmt::format("{}: it cannot be watched: {}", link.where(), std::strerror(errno)));
        touched_.push_back(&link);
    }
    watched.attempt = link.attempt() + 1;
    watched.writing = writing;
}

std::size_t Links::look()
{
    std::size_t events = 0;
    std::array<epoll_event, 64> ready;
    const int count = epoll_wait(epoll_.get(), ready.data(), ready.size(), 0);
    for (int i = 0; i < count; ++i) {
        const epoll_data_t data = ready[static_cast<std::size_t>(i)].data;
        if (data.u64 == kFabric)
            continue;
        if (data.u64 == kTimer) {
            timer_set_ns_ = 0;
            wake_at_ns_ = 0;
            std::uint64_t times = 0;
            [[maybe_unused]] const ssize_t got = read(timer_.get(), &times, sizeof times);
            set_timer();
            continue;
        }
        ++events;
        if (data.u64 >= kListener && data.u64 < kListener + listeners_.size()) {
            accept_some(listeners_[data.u64 - kListener].get());
            continue;
        }
        Link* const link = static_cast<Link*>(data.ptr);
        link->ready();
        watch(links_.at(link));
        touched_.push_back(link);
    }
    check_deadlines(base::now_ns());
    if (!touched_.empty()) {
        tell_all();
        set_timer();
        ++events;
    }
    return events;
}

void Links::tell_all()
{
    for (std::size_t i = 0; i < touched_.size(); ++i) {  // the user's answers may touch more
        const auto found = links_.find(touched_[i]);
        if (found != links_.end())
            tell(found->second);
    }
    touched_.clear();
    std::erase_if(links_, [](const auto& entry) { return entry.second.link->state() == Link::State::ended; });
}

void Links::tell(Watched& watched)
{
    Link& link = *watched.link;
    const bool was_proved = watched.told_proved;
    const auto first_message = link.take();
    if (!was_proved && (link.state() == Link::State::proved || first_message)) {
        watched.told_proved = true;
        user_.proved(link);
    }
    // Also of a link that has ended meanwhile, unless by us.
    for (auto message = first_message; message && !watched.told_ended; message = link.take())
        user_.heard(link, *message);
    if (link.state() != Link::State::ended || std::exchange(watched.told_ended, true))
        return;
    if (link.dialed() || watched.told_proved)
        user_.ended(link);
    else
        user_.stranger(link.reason());
}

// A flood of connections that say nothing must not keep those of the job out, which say who they are at once;
// who is dropped all the same tries again.
void Links::make_room()
{
    std::size_t unproved = 0;
    Link* oldest = nullptr;
    std::pair<bool, std::uint64_t> lowest;  // without a word before those who say that they are of the job
    for (const auto& [link, watched] : links_) {
        if (link->dialed() || link->state() != Link::State::proving)
            continue;
        ++unproved;
        const std::pair order{link->peer() >= 0, watched.number};
        if (oldest == nullptr || order < lowest) {
            oldest = link;
            lowest = order;
        }
    }
    if (unproved <= most_strangers_)
        return;
    oldest->end(fmt::format("{}: too many connections that prove nothing", oldest->where()));
    touched_.push_back(oldest);
}

void Links::accept_some(int listener)
{
    for (std::size_t i = 0; i < kMostAcceptedAPass; ++i) {
        sockaddr_storage from{};
        socklen_t size = sizeof from;
        base::UniqueFd connection(
            accept4(listener, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!connection) {
            if (errno == EMFILE || errno == ENFILE)
                refuse_one(listener);
            return;
        }
        Link& link = adopt(std::make_unique<Link>(settings_, std::move(connection), name_of(from)));
        link.ready();  // its hello is likely to be there
        watch(links_.at(&link));
        make_room();
    }
}

// Descriptors have run out. Who is not let in must be told so, or would wait and wake us for ever.
void Links::refuse_one(int listener)
{
    spare_.reset();
    base::UniqueFd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)).reset();
    spare_.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    user_.stranger("a connection: this process has no descriptors left; raise `ulimit -n`");
}

void Links::check_deadlines(std::int64_t now_ns)
{
    for (auto& [link, watched] : links_) {
        if (!link->deadline_ns() || *link->deadline_ns() > now_ns)
            continue;
        link->on_deadline();
        watch(watched);
        touched_.push_back(link);
    }
}

void Links::watch_fabric(int descriptor)
{
    watch_descriptor(epoll_.get(), descriptor, EPOLLIN | EPOLLET, kFabric);
}

void Links::wake_at(std::int64_t time_ns)
{
    wake_at_ns_ = time_ns;
    set_timer();
}

void Links::set_timer()
{
    std::int64_t at = wake_at_ns_;
    for (const auto& [link, watched] : links_)
        if (link->deadline_ns() && (at == 0 || *link->deadline_ns() < at))
            at = *link->deadline_ns();
    if (at == timer_set_ns_)
        return;
    timer_set_ns_ = at;
    itimerspec setting{};
    setting.it_value.tv_sec = at / 1'000'000'000;
    setting.it_value.tv_nsec = at % 1'000'000'000;
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

void Links::close() noexcept
{
    links_.clear();
    touched_.clear();
    listeners_.clear();
}

}  // namespace tutti::transport::ofi
