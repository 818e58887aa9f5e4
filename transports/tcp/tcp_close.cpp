// How a TcpTransport leaves: what was accepted arrives first, and nobody takes the end for a death.
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

// While acknowledgements are awaited, of which epoll does not tell: twice as long each time.
constexpr int kFirstPauseMs = 1;
constexpr int kLongestPauseMs = 100;
constexpr int kReadsAPass = 64;  // of one connection: a flood shall not keep others waiting

/// Nobody receives any more.
class Nobody final : public Sink {
public:
    void frame(int, std::span<const std::byte>, std::span<const std::byte>) override {}
    void peer_lost(int, std::string_view) override {}
};

bool all_acknowledged(int fd) noexcept
{
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) != 0 || bytes == 0;
}

// False at the end of what the other end sends.
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
        // No memory for a message: what is left goes without a farewell.
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

// Goes on with what connections need, until all queues are empty: a peer that computes takes the rest when it
// next receives, one that is gone is lost, and with it its queue.
void TcpTransport::send_rest()
{
    Nobody nobody;
    const auto has_rest = [](const auto& known) { return known != nullptr && !known->queue.empty(); };
    arm();  // stays so: from here on epoll watches all
    while (std::ranges::any_of(peers_, has_rest)) {
        receive_hot(nobody, base::now_ns());  // else two that leave at once wait for each other to read
        flush_blocked();
        if (std::ranges::any_of(peers_, has_rest))
            poll(nobody, kLongestPauseMs);
    }
}

// The kernel may have room for none now: what was sent before has just filled it.
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

// A socket that is closed with bytes unread, or that gets more later, answers by a reset, and then all that
// the other end has not got yet is lost. So as long as the other host acknowledges, it is waited for.
void TcpTransport::await_arrival()
{
    const std::span scratch(buffers_.arrivals(), ReceiveBuffers::kArrivalBytes);
    connector_.look();  // dialers that have ended would not let epoll wait
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
        poller_.alarm_seen();
    }
}

}  // namespace tutti::transport::tcp
