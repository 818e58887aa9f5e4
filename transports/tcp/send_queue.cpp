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
constexpr std::size_t kSegmentBytes = 64u << 10;
constexpr std::size_t kSegmentsACall = 8;

}  // namespace

// The last segment if more may be appended to it, else a new one.
SendQueue::Segment& SendQueue::open_segment(std::size_t more_bytes)
{
    if (segments_.empty() || segments_.back().completion != nullptr || !segments_.back().payload.empty() ||
        segments_.back().own.size() + more_bytes > kSegmentBytes)
        segments_.emplace_back();
    return segments_.back();
}

SendResult SendQueue::push(const Head& head, Parts payload, std::size_t sent, Completion& completion)
{
    const std::size_t payload_bytes = head.prefix.payload_bytes;
    const bool copies = payload_bytes < kCopyBelow;
    if (copies ? own_bytes_ >= kMostOwnBytes : kept_payloads_ >= kMostKeptPayloads)
        return SendResult::again;
    const auto rest_of = [&sent](std::span<const std::byte> bytes) {
        const std::size_t gone = std::min(sent, bytes.size());
        sent -= gone;
        return bytes.subspan(gone);
    };
    const auto head_rest = rest_of(head.bytes());
    Segment* segment = &open_segment(head_rest.size() + (copies ? payload_bytes : 0));
    const std::size_t before = segment->own.size();
    const auto append = [&](std::span<const std::byte> bytes) {
        segment->own.insert(segment->own.end(), bytes.begin(), bytes.end());
    };
    append(head_rest);
    for (const std::span<const std::byte> part : payload) {
        const auto rest = rest_of(part);
        if (copies) {
            append(rest);
        } else if (!rest.empty()) {
            if (!segment->payload.empty())
                segment = &segments_.emplace_back();
            segment->payload = rest;
        }
    }
    if (copies) {
        own_bytes_ += segment->own.size() - before;
        return SendResult::done;
    }
    own_bytes_ += head_rest.size();
    segment->completion = &completion;
    ++kept_payloads_;
    return SendResult::pending;
}

void SendQueue::push_own(const Head& head)
{
    const auto bytes = head.bytes();
    Segment& segment = open_segment(bytes.size());
    segment.own.insert(segment.own.end(), bytes.begin(), bytes.end());
    own_bytes_ += bytes.size();
}

SendQueue::Flush SendQueue::flush(int fd, std::vector<Completion*>& finished)
{
    while (!segments_.empty()) {
        std::array<iovec, 2 * kSegmentsACall> parts;
        std::size_t count = 0;
        std::size_t total = 0;
        const auto add = [&](std::span<const std::byte> bytes) {
            if (!bytes.empty())
                parts[count++] = {const_cast<std::byte*>(bytes.data()), bytes.size()};
            total += bytes.size();
        };
        for (std::size_t i = 0; i < std::min(segments_.size(), kSegmentsACall); ++i) {
            const Segment& segment = segments_[i];
            const std::size_t own_sent = std::min(segment.sent, segment.own.size());
            add(std::span(segment.own).subspan(own_sent));
            add(segment.payload.subspan(segment.sent - own_sent));
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
    while (!segments_.empty()) {
        Segment& first = segments_.front();
        const std::size_t step = std::min(bytes, first.size() - first.sent);
        first.sent += step;
        bytes -= step;
        if (first.sent != first.size())
            return;
        own_bytes_ -= first.own.size();
        if (first.completion != nullptr) {
            --kept_payloads_;
            finished.push_back(first.completion);
        }
        segments_.pop_front();
    }
}

void SendQueue::release_payload(const Completion& completion)
{
    // For a payload in parts only the last segment has the completion; the frame's others lie before it.
    auto first = segments_.begin();
    for (auto segment = first; segment != segments_.end(); ++segment) {
        if (segment->completion == &completion) {
            for (; first != std::next(segment); ++first) {
                own_bytes_ += first->payload.size();
                first->own.insert(first->own.end(), first->payload.begin(), first->payload.end());
                first->payload = {};
            }
        } else if (segment->completion != nullptr || segment->payload.empty()) {
            first = std::next(segment);
        }
    }
}

void SendQueue::clear(std::vector<Completion*>& unfinished) noexcept
{
    for (const Segment& segment : segments_)
        if (segment.completion != nullptr)
            unfinished.push_back(segment.completion);
    segments_.clear();
    own_bytes_ = 0;
    kept_payloads_ = 0;
}

}  // namespace tutti::transport::tcp
