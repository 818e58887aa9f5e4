#include "transports/tcp/hot_streams.hpp"

#include <algorithm>
#include <utility>

#include "lib/foundation/base/clock.hpp"
#include "transports/tcp/socket.hpp"

namespace tutti::transport::tcp {

namespace {

// For so long a connection is not read again that has just brought nothing.
constexpr std::int64_t kReadAgainNs = 1000;
// After so many reads that brought nothing a connection need not be hot, where others might be instead.
constexpr unsigned kHotReads = 64;
// So much has to come without a sleep until epoll does not watch a connection any more: to leave it and to
// come back takes 1 us.
constexpr unsigned kArrivalsWatched = 32;
// Arrivals up to this size are acknowledged at once where the ends take turns. Longer ones are better
// acknowledged by their reader: the sender has still to send the next packet of them, as one has 64 KiB at
// most.
constexpr int kAcknowledgedAtOnce = 60 << 10;
// Arrivals in turn with sends until that begins, and how many of them one counts that is not: a stream of
// short messages is better acknowledged once for many.
constexpr int kMostTurns = 32;
constexpr int kTurnsLost = 4;

}  // namespace

bool HotStreams::has(const Stream& stream) const noexcept
{
    const auto end = hot_.begin() + count_;
    return std::find(hot_.begin(), end, &stream) != end;
}

void HotStreams::add(Stream& stream) noexcept
{
    stream.idle_reads = 0;
    stream.due_ns = 0;
    if (has(stream))
        return;
    if (count_ == kMost) {
        Stream* const quiet =
            *std::ranges::max_element(hot_, {}, [](const Stream* other) { return other->idle_reads; });
        if (!watch(*quiet))
            return;
        remove(*quiet);
    }
    hot_[count_++] = &stream;
}

void HotStreams::cool_quiet() noexcept
{
    for (std::size_t i = count_; i-- > 0;)
        if (hot_[i]->idle_reads > kHotReads && watch(*hot_[i]))
            hot_[i] = hot_[--count_];
}

void HotStreams::remove(const Stream& stream) noexcept
{
    const auto end = hot_.begin() + count_;
    const auto found = std::find(hot_.begin(), end, &stream);
    if (found != end)
        *found = hot_[--count_];
}

std::span<Stream* const> HotStreams::due(std::int64_t now_ns) noexcept
{
    std::size_t count = 0;
    for (Stream* const stream : std::span(hot_).first(count_))
        if (stream->due_ns <= now_ns)
            due_[count++] = stream;
    return std::span(due_).first(count);
}

void HotStreams::note_read(Stream& stream, bool came, bool somebody_sleeps) noexcept
{
    if (!came) {
        ++stream.idle_reads;
        stream.due_ns = base::now_ns() + kReadAgainNs;
        return;
    }
    stream.idle_reads = 0;
    stream.due_ns = 0;
    const bool was_answered = std::exchange(stream.answered, false);
    stream.turns =
        was_answered ? std::min(stream.turns + 1, kMostTurns) : std::max(stream.turns - kTurnsLost, 0);
    if (stream.watched) {
        if (++stream.arrivals_watched > kArrivalsWatched && !somebody_sleeps && !stream.watched_for_room) {
            poller_.forget(stream.fd());
            stream.watched = false;
        }
    } else if (stream.acknowledged_at_once ? stream.turns == 0 : stream.turns == kMostTurns) {
        acknowledge_at_once(stream, !stream.acknowledged_at_once);
    }
}

bool HotStreams::watch_all() noexcept
{
    bool all = true;
    for (Stream* const stream : std::span(hot_).first(count_))
        all = watch(*stream) && all;
    return all;
}

bool HotStreams::watch(Stream& stream) noexcept
{
    stream.arrivals_watched = 0;
    if (stream.watched)
        return true;
    if (stream.acknowledged_at_once)
        acknowledge_at_once(stream, false);
    stream.watched = poller_.watch(stream.fd(), EPOLLIN, stream);
    return stream.watched;
}

void HotStreams::acknowledge_at_once(Stream& stream, bool at_once) noexcept
{
    stream.acknowledged_at_once = at_once;
    set_acknowledged_at_once(stream.fd(), at_once ? kAcknowledgedAtOnce : 1);
}

}  // namespace tutti::transport::tcp
