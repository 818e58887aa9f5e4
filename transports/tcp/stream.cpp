#include "transports/tcp/stream.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/connection/socket.hpp"

namespace tutti::transport::tcp {

namespace {

// How much is read behind a payload in the same system call, or when a long payload is expected: the
// beginning of what follows. More would have to be copied if it is a payload, too.
constexpr std::size_t kLookAheadBytes = 4u << 10;
// Copying a payload of up to this size costs less than passing two pieces to the kernel.
constexpr std::size_t kCopiedBytes = 1024;
// A connection without data is not read again for this time.
constexpr std::int64_t kReadAgainNs = 1000;
// After so many arrivals without a sleep epoll does not watch a connection: removing and adding it takes 1
// us.
constexpr unsigned kArrivalsWatched = 32;
// Arrivals up to this size are acknowledged at once when the ends take turns. For longer ones the reader's
// acknowledgement is better: the sender still has to send the next packet, as a packet has at most 64 KiB.
constexpr int kAcknowledgedAtOnce = 60 << 10;
// Number of arrivals in turn with sends until that begins, and how many of them an arrival out of turn
// cancels: a stream of short messages needs only one acknowledgement for many.
constexpr int kMostTurns = 32;
constexpr int kTurnsLost = 4;
constexpr std::int64_t kNsPerMs = 1'000'000;

}  // namespace

std::unique_ptr<std::byte[]> ReceiveBuffers::take()
{
    if (kept_.empty())
        return std::make_unique_for_overwrite<std::byte[]>(kMaxPayload);
    auto buffer = std::move(kept_.back());
    kept_.pop_back();
    return buffer;
}

void ReceiveBuffers::give_back(std::unique_ptr<std::byte[]> buffer)
{
    if (kept_.size() < kMostKept)
        kept_.push_back(std::move(buffer));
}

std::string Stream::error() const
{
    if (error_ == ECONNRESET || error_ == EPIPE)
        return connection::words_of(error_) + ": the process has probably died";
    if (error_ == ETIMEDOUT || error_ == EHOSTUNREACH)
        return connection::words_of(error_) + ": the network between the hosts is cut, or that host is down";
    if (error_ == EFAULT)
        return connection::words_of(error_) +
               ": the buffer of a receive cannot be written; keep it mapped and writable until the message has "
               "come";
    return connection::words_of(error_);
}

std::size_t Stream::receive(ReceiveBuffers& buffers, Sink& sink)
{
    std::byte* const arrivals = buffers.arrivals();
    const std::size_t missing = target_size_ - target_filled_;
    ssize_t result = 0;
    if (target_ == nullptr) {
        const std::size_t most = sink.expects_long(peer_) ? kLookAheadBytes : ReceiveBuffers::kArrivalBytes;
        result = recv(fd(), arrivals + head_size_, most - head_size_, MSG_DONTWAIT);
    } else {
        const std::array<iovec, 2> parts = {
            {{target_ + target_filled_, missing}, {arrivals, kLookAheadBytes}}};
        result = readv(fd(), parts.data(), parts.size());
    }
    if (result < 0) [[likely]] {
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) [[likely]]
            return 0;
        error_ = errno;
        end_ = End::failed;
        return 0;
    }
    if (result == 0) {
        end_ = has_failed_to_send() ? End::failed : End::closed;
        return 0;
    }

    auto arrived = static_cast<std::size_t>(result);
    if (target_ == nullptr) {
        std::memcpy(arrivals, head_.data(), head_size_);
        return take({arrivals, arrived + std::exchange(head_size_, 0)}, buffers, sink);
    }
    const std::size_t part = std::min(arrived, missing);
    target_filled_ += part;
    arrived -= part;
    if (target_filled_ != target_size_)
        return 1;
    finish_payload(buffers, sink);
    return 1 + take({arrivals, arrived}, buffers, sink);
}

// Whole frames go to the sink; an incomplete frame is kept.
std::size_t Stream::take(std::span<const std::byte> bytes, ReceiveBuffers& buffers, Sink& sink)
{
    std::size_t frames = 0;
    while (bytes.size() >= sizeof(Prefix)) {
        Prefix prefix;
        std::memcpy(&prefix, bytes.data(), sizeof prefix);
        if (!prefix.valid()) [[unlikely]] {
            end_ = End::garbage;
            return frames;
        }
        const std::size_t head_bytes = sizeof prefix + prefix.header_bytes;
        if (bytes.size() < head_bytes)
            break;
        const auto header = bytes.subspan(sizeof prefix, prefix.header_bytes);
        if (prefix.kind != Prefix::Kind::frame) [[unlikely]] {
            if (prefix.kind == Prefix::Kind::goodbye) {
                end_ = End::goodbye;
                return frames;
            }
            host_.assign(reinterpret_cast<const char*>(header.data()), header.size());
            bytes = bytes.subspan(head_bytes);
            continue;
        }
        ++frames;
        const auto rest = bytes.subspan(head_bytes);
        if (rest.size() < prefix.payload_bytes) {
            begin_payload(header, prefix.payload_bytes, rest, buffers, sink);
            return frames;
        }
        bytes = rest.subspan(prefix.payload_bytes);
        sink.frame(peer_, header, rest.first(prefix.payload_bytes));
    }
    if (!bytes.empty())
        std::memcpy(head_.data(), bytes.data(), bytes.size());
    head_size_ = bytes.size();
    return frames;
}

void Stream::begin_payload(std::span<const std::byte> header, std::size_t payload_bytes,
                           std::span<const std::byte> arrived, ReceiveBuffers& buffers, Sink& sink)
{
    std::ranges::copy(header, head_.begin());
    head_size_ = header.size();
    const auto place = sink.destination(peer_, std::span(head_).first(head_size_), payload_bytes);
    if (place.size() != payload_bytes)
        own_ = buffers.take();
    target_ = own_ != nullptr ? own_.get() : place.data();
    target_size_ = payload_bytes;
    target_filled_ = arrived.size();
    if (!arrived.empty())
        std::memcpy(target_, arrived.data(), arrived.size());
}

void Stream::release_place(ReceiveBuffers& buffers)
{
    if (target_ == nullptr || own_ != nullptr)
        return;
    own_ = buffers.take();
    std::memcpy(own_.get(), target_, target_filled_);
    target_ = own_.get();
}

void Stream::finish_payload(ReceiveBuffers& buffers, Sink& sink)
{
    std::byte* const target = std::exchange(target_, nullptr);
    const auto header = std::span(head_).first(std::exchange(head_size_, 0));
    if (own_ == nullptr) {
        sink.placed(peer_, header, target_size_);
    } else {
        auto own = std::move(own_);
        sink.frame(peer_, header, {target, target_size_});
        buffers.give_back(std::move(own));
    }
}

ssize_t Stream::write(const Head& head, Parts payload) noexcept
{
    note_sent();
    const auto head_bytes = head.bytes();
    if (payload.size() == 1 && payload[0].size() <= kCopiedBytes) [[likely]] {
        std::array<std::byte, sizeof(Head) + kCopiedBytes> frame;
        std::memcpy(frame.data(), head_bytes.data(), head_bytes.size());
        if (!payload[0].empty())
            std::memcpy(frame.data() + head_bytes.size(), payload[0].data(), payload[0].size());
        return ::send(fd(), frame.data(), head_bytes.size() + payload[0].size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    std::array<iovec, 1 + kMostParts> parts;
    parts[0] = {const_cast<std::byte*>(head_bytes.data()), head_bytes.size()};
    std::size_t count = 1;
    for (const std::span<const std::byte> part : payload)
        parts[count++] = {const_cast<std::byte*>(part.data()), part.size()};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    return sendmsg(fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool Stream::watch() noexcept
{
    arrivals_watched_ = 0;
    if (watched_)
        return true;
    if (acknowledged_at_once_)
        acknowledge_at_once(false);
    watched_ = poller_.watch(fd(), EPOLLIN, *this);
    return watched_;
}

void Stream::watch_for_room(bool wanted) noexcept
{
    if (std::exchange(watched_for_room_, wanted) != wanted)
        poller_.change(fd(), wanted ? EPOLLIN | EPOLLOUT : EPOLLIN, *this);
}

void Stream::read_soon() noexcept
{
    idle_reads_ = 0;
    due_ns_ = 0;
}

void Stream::note_read(bool came, bool somebody_sleeps) noexcept
{
    if (!came) {
        ++idle_reads_;
        due_ns_ = base::now_ns() + kReadAgainNs;
        return;
    }
    read_soon();
    const bool was_answered = std::exchange(answered_, false);
    turns_ = was_answered ? std::min(turns_ + 1, kMostTurns) : std::max(turns_ - kTurnsLost, 0);
    if (watched_) {
        if (++arrivals_watched_ > kArrivalsWatched && !somebody_sleeps && !watched_for_room_) {
            poller_.forget(fd());
            watched_ = false;
        }
    } else if (acknowledged_at_once_ ? turns_ == 0 : turns_ == kMostTurns) {
        acknowledge_at_once(!acknowledged_at_once_);
    }
}

// Linux sends an acknowledgement that does not enlarge the window only at a read, in the reader's time. It
// sends it at once if the program waits for more bytes; until they arrive, epoll reports nothing.
void Stream::acknowledge_at_once(bool at_once) noexcept
{
    acknowledged_at_once_ = at_once;
    connection::set_option(fd(), SOL_SOCKET, SO_RCVLOWAT, at_once ? kAcknowledgedAtOnce : 1);
}

// Counts the time of unacknowledged data, or of unanswered window probes. The window itself may stay closed
// while the peer computes.
std::int64_t Stream::silent_ns(std::int64_t now_ns) noexcept
{
    tcp_info info{};
    socklen_t size = sizeof info;
    const bool known = getsockopt(fd(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
    if (!known || (info.tcpi_unacked == 0 && info.tcpi_probes == 0)) {
        awaits_acknowledgement_ = known && info.tcpi_notsent_bytes != 0;
        unacknowledged_since_ns_ = 0;
        return 0;
    }
    const std::int64_t acknowledged_ns = now_ns - std::int64_t{info.tcpi_last_ack_recv} * kNsPerMs;
    unacknowledged_since_ns_ =
        unacknowledged_since_ns_ == 0 ? now_ns : std::max(unacknowledged_since_ns_, acknowledged_ns);
    return now_ns - unacknowledged_since_ns_;
}

}  // namespace tutti::transport::tcp
