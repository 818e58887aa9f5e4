#include "launcher/streams/rank_output.hpp"

#include <fcntl.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

namespace tutti::launcher {

namespace {

/// The window: at most so many bytes are between the ranks' pipes and the head's outputs.
constexpr std::uint64_t kOutputWindowBytes = std::uint64_t{1} << 20;
constexpr std::size_t kOutputReadBytes = std::size_t{64} << 10;
constexpr std::size_t kStreamBytes = sizeof(std::int32_t) + sizeof(std::uint8_t);

}  // namespace

RankOutput::RankOutput(EventLoop& loop, Uplink& head, std::function<void()> on_all_closed)
    : loop_(loop),
      head_(head),
      on_all_closed_(std::move(on_all_closed)),
      ready_(::epoll_create1(EPOLL_CLOEXEC))
{
    if (!ready_)
        throw std::system_error(errno, std::generic_category(), "epoll_create1");
    loop_.watch(ready_.get(), EPOLLIN, [this](std::uint32_t) { read_ready(); });
}

void RankOutput::add(int rank, Channel channel, UniqueFd read_end)
{
    const int fd = read_end.get();
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(ready_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        throw std::system_error(errno, std::generic_category(), "epoll_ctl");
    streams_.emplace(fd, Stream{rank, channel, std::move(read_end)});
}

void RankOutput::taken(std::uint64_t bytes)
{
    on_the_way_bytes_ -= std::min(bytes, on_the_way_bytes_);
    if (draining_)
        read_rest();
    switch_reading();
}

void RankOutput::drain()
{
    draining_ = true;
    read_rest();
    switch_reading();
}

void RankOutput::read_rest()
{
    // Pipes without data do not become ready, so each is read.
    std::vector<int> pipes;
    for (const auto& [fd, stream] : streams_)
        pipes.push_back(fd);
    for (const int fd : pipes)
        while (on_the_way_bytes_ < kOutputWindowBytes && streams_.contains(fd))
            read_one(fd);
    if (streams_.empty() && on_all_closed_)
        std::exchange(on_all_closed_, nullptr)();
}

void RankOutput::read_ready()
{
    std::array<epoll_event, 64> events{};
    const int count = ::epoll_wait(ready_.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count && on_the_way_bytes_ < kOutputWindowBytes; ++i)
        read_one(events.at(static_cast<std::size_t>(i)).data.fd);
    switch_reading();
}

void RankOutput::switch_reading()
{
    const bool should_read = !draining_ && on_the_way_bytes_ < kOutputWindowBytes;
    if (should_read != reading_) {
        reading_ = should_read;
        loop_.change(ready_.get(), should_read ? std::uint32_t{EPOLLIN} : 0);
    }
}

/// The payload that ends a stream, and the beginning of every other payload.
std::string RankOutput::payload_of(const Stream& stream)
{
    return WireWriter().put(std::int32_t{stream.rank}).put(static_cast<std::uint8_t>(stream.channel)).bytes();
}

void RankOutput::read_one(int fd)
{
    // A frame's payload: the stream, and after it the bytes of its pipe.
    static std::vector<char> payload(kStreamBytes + kOutputReadBytes);
    const ssize_t bytes = ::read(fd, payload.data() + kStreamBytes, kOutputReadBytes);
    if (bytes < 0 && errno == EINTR)
        return;
    if (bytes < 0 && errno == EAGAIN && !draining_)
        return;
    if (bytes <= 0) {
        end_stream(fd);
        return;
    }
    const std::string stream = payload_of(streams_.at(fd));
    std::copy(stream.begin(), stream.end(), payload.begin());
    head_.send(FrameType::output, {payload.data(), kStreamBytes + static_cast<std::size_t>(bytes)});
    on_the_way_bytes_ += static_cast<std::uint64_t>(bytes);
}

void RankOutput::end_stream(int fd)
{
    const auto found = streams_.find(fd);
    head_.send(FrameType::output, payload_of(found->second));
    ::epoll_ctl(ready_.get(), EPOLL_CTL_DEL, fd, nullptr);
    streams_.erase(found);
}

}  // namespace tutti::launcher
