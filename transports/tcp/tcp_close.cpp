// How a TcpTransport leaves: accepted frames arrive first, and no peer takes the end for a death.
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::transport::tcp {

namespace {

// Pauses while acknowledgements are awaited, which epoll does not report: each is twice as long as the last.
constexpr int kFirstPauseMs = 1;
constexpr int kLongestPauseMs = 100;
constexpr int kReadsAPass = 64;  // of one connection: other connections must get their turn

/// Discards everything.
class Nobody final : public Sink {
public:
    void frame(int, std::span<const std::byte>, std::span<const std::byte>) override {}
    void peer_lost(int, const Loss&) override {}
};

bool all_acknowledged(int fd) noexcept
{
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) != 0 || bytes == 0;
}

// False at the end of the other side's data.
bool drain(int fd, std::span<std::byte> scratch) noexcept
{
    ssize_t got = 1;
    for (int reads = 0; got > 0 && reads < kReadsAPass; ++reads)
        got = recv(fd, scratch.data(), scratch.size(), MSG_DONTWAIT);
    return got > 0 || (got < 0 && errno == EAGAIN);
}

}  // namespace

void TcpTransport::close() noexcept
{
    if (std::exchange(closed_, true))
        return;
    try {
        send_rest();
        connector_.close_port();
        say_goodbye();
        await_arrival();
    } catch (...) {
        // No memory for a message: the remaining peers get no goodbye.
    }
    connector_.close_port();
    for (const auto& known : peers_)
        if (known != nullptr)
            known->queue.clear(failed_);
    fire(finished_, ErrorCode::success);
    fire(failed_, ErrorCode::cancelled);
    hot_.clear();
    streams_ = 0;
    blocked_.clear();
    old_streams_.clear();
    peers_.clear();
}

// Serves the connections until all queues are empty. A peer that computes takes the rest when it next
// receives; a peer that is gone is lost, together with its queue.
void TcpTransport::send_rest()
{
    Nobody nobody;
    const auto has_rest = [](const auto& known) { return known != nullptr && !known->queue.empty(); };
    flush();
    arm();  // stays armed: from now on epoll watches all streams
    while (std::ranges::any_of(peers_, has_rest)) {
        receive_hot(nobody, base::now_ns());  // else two leaving ranks wait for each other to read
        flush_blocked();
        if (std::ranges::any_of(peers_, has_rest))
            poll(nobody, kLongestPauseMs);
    }
}

// The kernel may have no room now: the frames before may have just filled it.
void TcpTransport::say_goodbye()
{
    const Head goodbye(Prefix::Kind::goodbye, {}, 0);
    for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
        const auto& known = peers_[rank];
        connector_.forget(static_cast<int>(rank));
        if (known == nullptr || known->stream == nullptr)
            continue;
        known->queue.push_own(goodbye);
        note_blocked(*known);
    }
    send_rest();
    for (const auto& known : peers_)
        if (known != nullptr && known->stream != nullptr)
            shutdown(known->stream->fd(), SHUT_WR);
}

// A socket that is closed with unread bytes, or that gets bytes later, answers with a reset; then undelivered
// data is lost at the other end. So this waits as long as the other host acknowledges data.
void TcpTransport::await_arrival()
{
    const std::span scratch(buffers_.arrivals(), ReceiveBuffers::kArrivalBytes);
    connector_.look();  // otherwise dialers that have ended would keep waking epoll
    std::vector<Stream*> leaving;
    for (const auto& known : peers_)
        if (known != nullptr && known->stream != nullptr)
            leaving.push_back(known->stream.get());
    const auto is_over = [&](Stream& stream, std::int64_t now_ns) {
        return !drain(stream.fd(), scratch) || all_acknowledged(stream.fd()) ||
               stream.silent_ns(now_ns) >= timeout_ns();
    };
    for (int pause_ms = kFirstPauseMs;; pause_ms = std::min(2 * pause_ms, kLongestPauseMs)) {
        const std::int64_t now_ns = base::now_ns();
        std::erase_if(leaving, [&](Stream* stream) {
            if (!is_over(*stream, now_ns))
                return false;
            poller_.forget(stream->fd());
            return true;
        });
        if (leaving.empty())
            return;
        poller_.wait(pause_ms);
        poller_.clear_alarm();
    }
}

}  // namespace tutti::transport::tcp
