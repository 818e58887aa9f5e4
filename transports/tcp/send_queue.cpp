#include "transports/tcp/send_queue.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace tutti::transport::tcp {

namespace {

constexpr std::size_t kMostOwnBytes = 256u << 10;
constexpr std::size_t kMostKeptPayloads = 16;
constexpr std::size_t kPiecesACall = 128;

}  // namespace

void SendQueue::append(std::span<const std::byte> bytes)
{
    if (bytes.empty())
        return;
    if (pieces_.empty() || !pieces_.back().payload.empty())
        pieces_.push_back({});
    own_.append(bytes);
    pieces_.back().own_bytes += bytes.size();
    pushed_ += bytes.size();
}

void SendQueue::refer_to(std::span<const std::byte> payload)
{
    if (payload.empty())
        return;
    if (pieces_.empty() || !pieces_.back().payload.empty())
        pieces_.push_back({});
    pieces_.back().payload = payload;
    pushed_ += payload.size();
}

SendResult SendQueue::push(const Head& head, Parts payload, std::size_t sent, Completion& completion)
{
    const bool copies = head.prefix.payload_bytes < kCopyBelow;
    if (copies ? own_.size() >= kMostOwnBytes : kept_payloads_ >= kMostKeptPayloads)
        return SendResult::again;
    const auto rest_of = [&sent](std::span<const std::byte> bytes) {
        const std::size_t gone = std::min(sent, bytes.size());
        sent -= gone;
        return bytes.subspan(gone);
    };
    append(rest_of(head.bytes()));
    for (const std::span<const std::byte> part : payload)
        copies ? append(rest_of(part)) : refer_to(rest_of(part));
    if (copies)
        return SendResult::done;
    ends_.push_back({pushed_, &completion, true});
    ++kept_payloads_;
    return SendResult::pending;
}

void SendQueue::push_own(const Head& head)
{
    append(head.bytes());
}

void SendQueue::keep(const Head& head, std::span<const std::byte> payload, Completion& completion)
{
    append(head.bytes());
    // A copy of few bytes costs less than two more places for the kernel to look at.
    payload.size() < kCopiedSoonBelow ? append(payload) : refer_to(payload);
    ends_.push_back({pushed_, &completion, false});
}

SendQueue::Flush SendQueue::flush(int fd, std::vector<Completion*>& finished)
{
    while (!pieces_.empty()) {
        std::array<iovec, 2 * kPiecesACall> parts;
        std::size_t count = 0;
        std::size_t total = 0;
        const auto add = [&](std::span<const std::byte> bytes) {
            if (!bytes.empty())
                parts[count++] = {const_cast<std::byte*>(bytes.data()), bytes.size()};
            total += bytes.size();
        };
        auto own = own_.all();
        for (std::size_t i = 0; i < std::min(pieces_.size(), kPiecesACall); ++i) {
            const Piece& piece = pieces_[i];
            add(own.first(piece.own_bytes));
            own = own.subspan(piece.own_bytes);
            add(piece.payload);
        }
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = count;
        const ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            if (errno == EINTR)
                continue;
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? Flush::blocked
                                                                               : Flush::failed;
        }
        count_sent(static_cast<std::size_t>(sent), finished);
        if (static_cast<std::size_t>(sent) != total)
            return Flush::blocked;
    }
    return Flush::empty;
}

void SendQueue::count_sent(std::size_t bytes, std::vector<Completion*>& finished)
{
    sent_ += bytes;
    std::size_t own_sent = 0;
    while (bytes != 0) {
        Piece& first = pieces_.front();
        const std::size_t own = std::min(bytes, first.own_bytes);
        const std::size_t other = std::min(bytes - own, first.payload.size());
        first.own_bytes -= own;
        first.payload = first.payload.subspan(other);
        own_sent += own;
        bytes -= own + other;
        if (first.own_bytes == 0 && first.payload.empty())
            pieces_.pop_front();
    }
    own_.pop_front(own_sent);
    while (!ends_.empty() && ends_.front().position <= sent_) {
        kept_payloads_ -= ends_.front().counts;
        finished.push_back(ends_.front().completion);
        ends_.pop_front();
    }
}

void SendQueue::release_payload(const Completion& completion)
{
    std::uint64_t position = sent_;
    std::size_t own_bytes = 0;
    std::size_t end = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        Piece& piece = pieces_[i];
        position += piece.own_bytes + piece.payload.size();
        own_bytes += piece.own_bytes;
        if (piece.payload.empty())
            continue;
        while (ends_[end].position < position)  // a payload in place has its frame's end at or behind it
            ++end;
        if (ends_[end].completion != &completion)
            continue;
        own_.insert(own_bytes, piece.payload);
        own_bytes += piece.payload.size();
        piece.own_bytes += piece.payload.size();
        piece.payload = {};
    }
}

void SendQueue::clear(std::vector<Completion*>& unfinished) noexcept
{
    for (const End& end : ends_.all())
        unfinished.push_back(end.completion);
    own_.clear();
    pieces_.clear();
    ends_.clear();
    sent_ = pushed_;
    kept_payloads_ = 0;
}

}  // namespace tutti::transport::tcp
