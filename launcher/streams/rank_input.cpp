#include "launcher/streams/rank_input.hpp"

#include <fcntl.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

RankInput::RankInput(EventLoop& loop, std::function<void(std::uint64_t bytes)> on_taken)
    : loop_(loop), on_taken_(std::move(on_taken))
{
}

void RankInput::add(int rank, UniqueFd write_end)
{
    ::fcntl(write_end.get(), F_SETFL, O_NONBLOCK);
    streams_[rank].pipe = std::move(write_end);
}

void RankInput::write(int rank, std::string_view bytes)
{
    outstanding_bytes_ += bytes.size();
    std::vector<int> targets;
    for (auto& [target, stream] : streams_) {
        if (rank == target || rank == kAllRanks) {
            stream.queue.append(bytes);
            stream.ended = stream.ended || bytes.empty();
            targets.push_back(target);
        }
    }
    for (const int target : targets)
        flush(target);
    report_taken();
}

void RankInput::flush(int rank)
{
    const auto found = streams_.find(rank);
    if (found == streams_.end())
        return;
    Stream& stream = found->second;
    const ssize_t bytes = ::write(stream.pipe.get(), stream.queue.data(), stream.queue.size());
    if (bytes < 0 && errno != EAGAIN && errno != EINTR) {
        remove(rank);  // EPIPE: it closed its standard input
        return;
    }
    stream.queue.erase(0, static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    if (stream.queue.empty() && stream.ended) {
        remove(rank);
        return;
    }
    const bool wait = !stream.queue.empty();
    if (wait && !stream.watched) {
        loop_.watch(stream.pipe.get(), EPOLLOUT, [this, rank](std::uint32_t) {
            flush(rank);
            report_taken();
        });
    } else if (!wait && stream.watched) {
        loop_.forget(stream.pipe.get());
    }
    stream.watched = wait;
}

void RankInput::remove(int rank)
{
    const auto found = streams_.find(rank);
    if (found == streams_.end())
        return;
    if (found->second.watched)
        loop_.forget(found->second.pipe.get());
    streams_.erase(found);
    report_taken();
}

void RankInput::report_taken()
{
    std::uint64_t longest_bytes = 0;
    for (const auto& [rank, stream] : streams_)
        longest_bytes = std::max<std::uint64_t>(longest_bytes, stream.queue.size());
    if (longest_bytes < outstanding_bytes_) {
        on_taken_(outstanding_bytes_ - longest_bytes);
        outstanding_bytes_ = longest_bytes;
    }
}

}  // namespace tutti::launcher
