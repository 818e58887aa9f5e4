#include "lib/core/check/timed_barrier.hpp"

#include "lib/foundation/base/clock.hpp"

namespace tutti::check {

namespace {

using protocol::FrameKind;

constexpr std::int64_t kLongestNs = 3'000'000'000;

struct Header {
    protocol::Lead lead;
    std::uint64_t unused[3];
};

}  // namespace

TimedBarrier::TimedBarrier(protocol::Protocol& protocol, int rank, int size)
    : protocol_(protocol), rank_(rank), size_(size)
{
    protocol_.serve(FrameKind::check_arrived, FrameKind::check_all_arrived,
                    [this](int, std::span<const std::byte> header, std::span<const std::byte>) {
                        if (protocol::kind_of(header) == FrameKind::check_arrived)
                            arrived();
                        else
                            ++over_;
                    });
}

// At rank 0. A rank calls wait() again only when the barrier before is over, or its time is.
void TimedBarrier::arrived()
{
    if (++arrivals_ % static_cast<std::uint64_t>(size_) != 0)
        return;
    ++over_;
    for (int peer = 1; peer < size_; ++peer)
        protocol_.notify_if_reachable(peer, Header{protocol::Lead::of(FrameKind::check_all_arrived), {}});
}

void TimedBarrier::wait(progress::Engine& engine, progress::Engine::Lock& lock)
{
    if (size_ == 1)
        return;
    ++begun_;
    if (rank_ == 0)
        arrived();
    else
        protocol_.notify_if_reachable(0, Header{protocol::Lead::of(FrameKind::check_arrived), {}});
    engine.wait(
        lock, [&] { return over_ >= begun_ || protocol_.has_lost_peers(); }, base::now_ns() + kLongestNs);
}

}  // namespace tutti::check
