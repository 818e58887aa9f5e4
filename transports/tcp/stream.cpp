#include "transports/tcp/stream.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/foundation/connection/socket.hpp"

namespace tutti::transport::tcp {

namespace {

// What is read behind the rest of a payload, in the same system call, or where a long one is expected: the
// beginning of what follows. More would have to be copied where that is a payload, too.
constexpr std::size_t kLookAheadBytes = 4u << 10;

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

// Whole frames go to the sink, the beginning of one is kept.
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

}  // namespace tutti::transport::tcp
