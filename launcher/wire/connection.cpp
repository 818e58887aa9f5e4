#include "launcher/wire/connection.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "lib/foundation/connection/socket.hpp"
#include "lib/foundation/network/interface_choice.hpp"

namespace tutti::launcher {

namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::chrono::milliseconds kLinkCheckPeriod{1000};

constexpr int kQuietSeconds = 2;     // before the kernel asks the other end
constexpr int kQuestionSeconds = 1;  // from one question to the next

std::string own_name()
{
    utsname system{};
    return ::uname(&system) == 0 ? system.nodename : "this one";
}

}  // namespace

Connection::Connection(EventLoop& loop, UniqueFd fd, FrameHandler on_frame, ClosedHandler on_closed)
    : loop_(loop), fd_(std::move(fd)), on_frame_(std::move(on_frame)), on_closed_(std::move(on_closed))
{
    loop_.watch(fd_.get(), EPOLLIN, [this](std::uint32_t events) { handle(events); });
    if (is_link(fd_.get()))
        watch_link();
}

Connection::~Connection()
{
    hang_up();
}

void Connection::watch_link()
{
    link_timer_ = loop_.after(kLinkCheckPeriod, [this] {
        if (link_is_dead(fd_.get()))
            close(fmt::format("it has not answered for {} s", kLinkTimeoutSeconds));
        else
            watch_link();
    });
}

void Connection::handle(std::uint32_t epoll_events)
{
    if (epoll_events & EPOLLOUT)
        flush();
    if (open_ && (epoll_events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        receive();
}

void Connection::receive_all()
{
    while (open_ && receive()) {
    }
}

/// False when nothing has arrived.
bool Connection::receive()
{
    // All connections of this thread share the buffer; frames are views into the parser's copy.
    static thread_local std::vector<char> buffer(kReadBytes);
    const ssize_t bytes = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (bytes <= 0) {
        close(bytes == 0 ? "it closed the connection" : std::strerror(errno));
        return false;
    }
    try {
        parser_.append({buffer.data(), static_cast<std::size_t>(bytes)});
        Frame frame{};
        while (open_ && parser_.next(frame))
            on_frame_(frame);
    } catch (const WireError& error) {
        close(error.what());
    }
    return true;
}

void Connection::send(const Frame& frame)
{
    if (!open_)
        return;
    if (!pending_.empty()) {
        append_frame(pending_, frame);
        flush();
        return;
    }
    // Only the part that the kernel does not take now is copied.
    auto header = frame_header(frame);
    std::array<iovec, 2> parts{iovec{header.data(), header.size()},
                               iovec{const_cast<char*>(frame.payload.data()), frame.payload.size()}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t bytes = ::sendmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    const std::size_t taken_bytes = bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
    if (taken_bytes < header.size() + frame.payload.size()) {
        append_frame(pending_, frame);
        written_bytes_ = taken_bytes;
        flush();  // an error comes again, and is handled there
    }
}

void Connection::flush()
{
    while (open_ && written_bytes_ < pending_.size()) {
        const ssize_t bytes = ::send(fd_.get(), pending_.data() + written_bytes_,
                                     pending_.size() - written_bytes_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (bytes >= 0) {
            written_bytes_ += static_cast<std::size_t>(bytes);
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            // Frames that the peer sent before it left are still unread. After them receive() sees that the
            // peer is gone.
            written_bytes_ = pending_.size();
        }
    }
    // Where frames come as fast as they go, there is always a rest.
    if (written_bytes_ == pending_.size() ||
        (written_bytes_ > kReadBytes && written_bytes_ > pending_.size() / 2)) {
        pending_.erase(0, written_bytes_);
        written_bytes_ = 0;
    }
    const bool wait_for_room = !pending_.empty();
    if (open_ && wait_for_room != waits_for_room_) {
        waits_for_room_ = wait_for_room;
        loop_.change(fd_.get(), wait_for_room ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
}

void Connection::hang_up()
{
    if (open_) {
        open_ = false;
        loop_.cancel(link_timer_);
        loop_.forget(fd_.get());
        fd_.reset();
        pending_.clear();
        written_bytes_ = 0;
    }
}

void Connection::close(const std::string& reason)
{
    hang_up();
    on_closed_(reason);
}

void prepare_link(int fd) noexcept
{
    connection::set_usual_options(fd, {.idle_s = kQuietSeconds,
                                       .interval_s = kQuestionSeconds,
                                       .questions = kLinkTimeoutSeconds - kQuietSeconds});
}

bool is_link(int fd) noexcept
{
    int domain = AF_UNIX;
    socklen_t size = sizeof domain;
    return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX;
}

bool link_is_dead(int fd) noexcept
{
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return false;
    // Who has closed its window is asked more and more rarely whether it is open again. TCP_USER_TIMEOUT
    // would take that for death: of a head that the user has stopped, for one.
    const bool waits_for_window = info.tcpi_unacked == 0 && info.tcpi_notsent_bytes > 0;
    return !waits_for_window && info.tcpi_last_ack_recv > kLinkTimeoutSeconds * 1000U;
}

std::string peer_address(int fd)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    ::getpeername(fd, reinterpret_cast<sockaddr*>(&storage), &size);
    const auto address = network::IpAddress::of(reinterpret_cast<const sockaddr&>(storage));
    return address ? address->to_string() : std::string();
}

std::vector<std::string> own_addresses(const std::string& interface)
{
    using namespace network;
    const std::vector<LocalAddress> all = local_addresses();
    const InterfaceChoice choice = interface.empty()
                                       ? InterfaceChoice::parse(environment_variable("TUTTI_INTERFACE"))
                                       : InterfaceChoice::parse(interface, "--interface");
    const auto is_loopback = [](const LocalAddress& address) { return address.address.is_loopback(); };
    std::vector<std::string> result;
    // A machine without a network has nothing to choose from, and may be its own other host.
    if (!choice.is_automatic() || !std::ranges::all_of(all, is_loopback))
        for (const LocalAddress& chosen : choice.choose(all, own_name()))
            result.push_back(chosen.address.to_string());
    for (const LocalAddress& address : all)
        if (is_loopback(address) && std::ranges::find(result, address.address.to_string()) == result.end())
            result.push_back(address.address.to_string());
    return result;
}

}  // namespace tutti::launcher
