#include "lib/core/check/meeting.hpp"

#include "lib/foundation/base/clock.hpp"
#include "tutti/error.hpp"

namespace tutti::check {

namespace {

using protocol::FrameKind;

constexpr std::int64_t kLongestNs = 3'000'000'000;

struct Header {
    protocol::Lead lead;
    std::uint64_t unused[3];
};

}  // namespace

Meeting::Meeting(protocol::Protocol& protocol, int rank, int size)
    : protocol_(protocol), rank_(rank), size_(size)
{
    protocol_.serve(FrameKind::check_arrived, FrameKind::check_all_arrived,
                    [this](int, std::span<const std::byte> header, std::span<const std::byte>) {
                        heard(protocol::kind_of(header));
                    });
}

void Meeting::tell(FrameKind kind, int peer) noexcept
{
    try {
        protocol_.tell(peer, Header{protocol::Lead::of(kind), {}});
    } catch (const Error&) {
        // It has ended: nobody waits for it.
    }
}

void Meeting::heard(FrameKind kind)
{
    if (kind == FrameKind::check_arrived)
        arrived();
    else
        ++over_;
}

// At rank 0. A rank comes to the next meeting when the last one is over, or when its time is.
void Meeting::arrived()
{
    if (++arrivals_ % static_cast<std::uint64_t>(size_) != 0)
        return;
    ++over_;
    for (int peer = 1; peer < size_; ++peer)
        tell(FrameKind::check_all_arrived, peer);
}

void Meeting::meet(progress::Engine& engine, progress::Engine::Lock& lock)
{
    if (size_ == 1)
        return;
    ++begun_;
    if (rank_ == 0)
        arrived();
    else
        tell(FrameKind::check_arrived, 0);
    engine.wait(
        lock, [&] { return over_ >= begun_ || protocol_.has_lost_peers(); }, base::now_ns() + kLongestNs);
}

}  // namespace tutti::check
