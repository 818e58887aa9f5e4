#include "launcher/wire/connection.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "launcher/wire/daemon_link.hpp"

namespace tutti::launcher {

namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::chrono::milliseconds kLinkCheckPeriod{1000};

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
    if (written_bytes_ == pending_.size()) {
        pending_.clear();
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

}  // namespace tutti::launcher
