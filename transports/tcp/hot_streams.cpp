#include "transports/tcp/hot_streams.hpp"

#include <algorithm>

namespace tutti::transport::tcp {

namespace {

// After so many reads without data a connection need not stay hot, and another may take its place.
constexpr unsigned kHotReads = 64;

}  // namespace

bool HotStreams::has(const Stream& stream) const noexcept
{
    const auto end = hot_.begin() + count_;
    return std::find(hot_.begin(), end, &stream) != end;
}

void HotStreams::add(Stream& stream) noexcept
{
    stream.read_soon();
    if (has(stream))
        return;
    if (count_ == kMost) {
        Stream* const quiet = *std::ranges::max_element(hot_, {}, &Stream::idle_reads);
        if (!quiet->watch())
            return;
        remove(*quiet);
    }
    hot_[count_++] = &stream;
}

void HotStreams::cool_quiet() noexcept
{
    for (std::size_t i = count_; i-- > 0;)
        if (hot_[i]->idle_reads() > kHotReads && hot_[i]->watch())
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
        if (stream->due_ns() <= now_ns)
            due_[count++] = stream;
    return std::span(due_).first(count);
}

bool HotStreams::watch_all() noexcept
{
    bool all = true;
    for (Stream* const stream : std::span(hot_).first(count_))
        all = stream->watch() && all;
    return all;
}

}  // namespace tutti::transport::tcp
