// How a TcpTransport leaves: what was accepted arrives first, and nobody takes the end for a death.
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "lib/base/clock.hpp"
#include "transports/tcp/tcp_transport.hpp"

namespace tutti::transport::tcp {

namespace {

constexpr int kPauseMs = 1;
constexpr int kReadsAPass = 64;  // of one connection: a flood shall not outlast the deadline

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
    poller_.forget(listener_.fd.get());
    listener_.fd.reset();
    try {
        const std::int64_t deadline_ns = base::now_ns() + timeout_ns();
        send_rest(deadline_ns);
        guests_.clear();
        say_goodbye();
        await_arrival(deadline_ns);
    } catch (...) {
        // No memory for a message: what is left goes without a farewell.
    }
    for (const auto& known : peers_) {
        if (known != nullptr)
            known->queue.clear(failed_);
    }
    fire(finished_, ErrorCode::success);
    fire(failed_, ErrorCode::cancelled);
    hot_count_ = streams_ = dials_ = 0;
    blocked_.clear();
    old_streams_.clear();
    old_dials_.clear();
    peers_.clear();
}

// Goes on with what connections need, until all queues are empty.
void TcpTransport::send_rest(std::int64_t deadline_ns)
{
    Nobody nobody;
    const auto has_rest = [](const auto& known) { return known != nullptr && !known->queue.empty(); };
    armed_ = true;
    while (base::now_ns() < deadline_ns && std::ranges::any_of(peers_, has_rest)) {
        arm();
        flush_blocked();
        if (std::ranges::any_of(peers_, has_rest))
            poll(nobody, kPauseMs);
    }
}

void TcpTransport::say_goodbye()
{
    const Head goodbye(Prefix::Kind::goodbye, {}, 0);
    for (const auto& known : peers_) {
        if (known == nullptr)
            continue;
        end_dial(*known);
        // Behind half a frame it would be a part of that.
        if (known->stream == nullptr || !known->queue.empty())
            continue;
        known->queue.push_own(goodbye);
        known->queue.flush(known->stream->fd(), finished_);
        shutdown(known->stream->fd(), SHUT_WR);
    }
}

// A socket that is closed with bytes unread, or that gets more later, answers by a reset, and then all that
// the other end has not got yet is lost.
void TcpTransport::await_arrival(std::int64_t deadline_ns)
{
    const std::span scratch(buffers_.arrivals(), ReceiveBuffers::kArrivalBytes);
    std::vector<Stream*> leaving;
    for (const auto& known : peers_) {
        if (known != nullptr && known->stream != nullptr)
            leaving.push_back(known->stream.get());
    }
    std::array<epoll_event, 64> room;
    while (true) {
        std::erase_if(leaving, [&](Stream* stream) {
            if (drain(stream->fd(), scratch) && !all_acknowledged(stream->fd()))
                return false;
            poller_.forget(stream->fd());
            return true;
        });
        if (leaving.empty() || base::now_ns() >= deadline_ns)
            return;
        poller_.wait(room, kPauseMs);
    }
}

}  // namespace tutti::transport::tcp
